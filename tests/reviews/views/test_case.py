from __future__ import annotations

import re
from dataclasses import replace

import pytest

from attribution.browser import BEFORE, WINDOW
from attribution.models import Analysis
from reviews.models import Case, Category, Contract
from tests.clients import address, ids_of, roots_of, signed_in
from tests.factories import AT, make_project, make_run, make_step, make_transcript
from tests.reviews.conftest import Desk
from tests.reviews.scenes import case_of, make_candidate, make_policy, make_scene, settle, sign
from traces.models import Run
from traces.transcript import Failure, Gap, Outcome, Report

pytestmark = [pytest.mark.django_db, pytest.mark.database]
PARTS = {"minimap", "browser", "panel", "candidates", "lease", "keys", "where", "s0", "s3"}
OWN = {"marker", "claim", "claim-form", "claim-footer", "saved", "note"}


def page_of(name: str, case: Case, **query: object) -> str:
    response = signed_in(name).get(address("case", case), query)
    assert response.status_code == 200
    return response.content.decode()


def test_a_viewer_reads_the_trace_and_judges_nothing(case: Case) -> None:
    page = page_of("vera", case)
    assert ids_of(page.encode()) >= PARTS
    assert not ids_of(page.encode()) & OWN
    assert "Take this case" not in page
    assert "Next case" not in page


def test_a_reviewer_may_take_the_case(case: Case) -> None:
    page = page_of("ada", case)
    assert not ids_of(page.encode()) & OWN
    assert "Take this case" in page
    assert "Case 1 · blind" in page


def test_who_holds_the_case_can_mark_cite_and_claim(case: Case) -> None:
    desk = Desk(case)
    page = desk.get().content
    assert ids_of(page) >= PARTS | OWN
    assert page.count(f'name="token" value="{desk.token}"'.encode()) >= 2
    for view in ("mark", "cite", "write-draft", "sign", "revise", "unresolved", "decline"):
        assert address(view, case).encode() in page, view


def test_the_header_says_what_failed_and_where(db: None) -> None:
    failure = Failure("f1", "Orders stay open.", "closed", "open", "e2e", exposed_by=3)
    gap = Gap("missing_parent", "It refers to s9.", 2)
    system = {"name": "billing", "version": "2.1"}
    case = make_scene(failures=(failure,), gaps=(gap,), system=system)
    page = page_of("vera", case)
    for words in (
        "<h1>Orders stay open.</h1>", "closed", "task", "T-1", "system billing 2.1",
        "4 steps, 4 actors", '<a class="bad" href="?step=3#s3">#3</a>', "1 gap</a>",
    ):  # fmt: skip
        assert words in page, words


def test_gaps_and_reports_beyond_a_hundred_are_counted(db: None) -> None:
    gaps = tuple(Gap("no_times", f"gap {n}.") for n in range(101))
    reports = tuple(Report("passed", "agent", None, None, f"report {n}.") for n in range(102))
    page = page_of("vera", make_scene(gaps=gaps, reports=reports))
    for more, name in ((1, "gap"), (2, "report")):
        assert f"and {more} more</p>" in page
        assert (f"{name} 99." in page, f"{name} 100." in page) == (True, False)


def test_categories_and_contracts_are_offered(case: Case) -> None:
    project = case.project
    Contract.objects.create(
        project=project, key="c", component="verifier", clause="Checks currency.", valid_from=AT
    )
    Category.objects.create(project=project, key="k", name="Stale interface", definition="Old.")
    desk = Desk(case)
    desk.post("mark", mark="missed-3")
    page = desk.get().content.decode()
    assert "Stale interface" in page
    assert ">Checks currency.</option>" in page


@pytest.mark.parametrize(
    ("step", "selected"),
    [("2", 2), ("3", 3), ("99", 3), ("99999999", 3), ("", 0), ("x", 0), ("²", 0), ("-1", 0),
     ("9" * 5000, 0), ("\0", 0)],
)  # fmt: skip
def test_the_selected_step(case: Case, step: str, selected: int) -> None:
    response = Desk(case).get(step=step)
    assert response.context["selected"] == selected
    actor = ("owner", "planner", "coder", "verifier")[selected]
    assert f"Step #{selected}, {actor}" in response.content.decode()


def test_a_run_without_steps_can_still_be_judged(db: None) -> None:
    project = make_project()
    make_policy(project)
    empty = replace(make_transcript(), steps=(), actors=())
    case = case_of(make_run(project, replace(empty, failures=(Failure("f1", "It broke."),))))
    desk = Desk(case)
    page = desk.get(step=7).content.decode()
    assert "no steps" in page
    assert desk.post("mark", purpose="decisive", step=0).status_code == 404
    assert desk.post("write-draft", note="Nothing to see.").status_code == 302
    assert "Nothing to see." in desk.get().content.decode()
    assert signed_in("vera").get(f"/p/demo/runs/{case.run.pk}/").status_code == 200


def test_a_successful_run_stands_beside(case: Case) -> None:
    absence = "No successful run of this task or a similar one is here to compare with."
    assert absence in page_of("vera", case)
    steps = (make_step(0, "owner"), make_step(1, "planner", "Use POST /v2/invoices."))
    passed = make_transcript(*steps, external_id="ok", outcome=Outcome.SUCCEEDED)
    make_run(case.project, passed)
    page = page_of("vera", case)
    assert "same task T-1, succeeded" in page
    assert {"r0", "r1"} <= ids_of(page.encode())
    assert page.count("first-divergence") == 1


def test_a_waiting_case_leads_a_lead_to_the_verdict(case: Case) -> None:
    sign(case, "ada")
    sign(case, "ben")
    assert "Compare claims and decide" in page_of("lena", case)
    page = page_of("ada", case)
    assert "Compare claims and decide" not in page
    assert "You signed 2026-11-20 09:00:00 UTC" in page
    assert "waiting for a lead" in page


def test_a_settled_case_shows_its_verdict_to_all(case: Case) -> None:
    claim = sign(case, "ada")
    sign(case, "ben", "unresolved")
    case.refresh_from_db()
    settle(case, claim)
    page = page_of("vera", case)
    for words in (
        "<b>settled</b>", "as claimed by ada", "The quote shows it.", "Claim of ada",
        "Claim of ben", address("postmortem", case, "json"),
    ):  # fmt: skip
        assert words in page, words
    assert "blind" not in page.split("<h1>")[0]


def test_candidates_come_by_themselves_while_attributors_work(case: Case) -> None:
    Analysis.objects.filter(run=case.run).delete()
    analysis = Analysis.objects.create(run=case.run, attributor="slow@1", queued_at=AT)
    page = page_of("vera", case)
    asking = f'hx-get="{address("candidates", case)}?step=0" hx-trigger="load delay:1500ms"'
    assert asking in page
    assert "Attributors are at work: 1 of 1 to go." in page
    analysis.status, analysis.finished_at, analysis.note = "done", AT, "It found nothing."
    analysis.save()
    page = page_of("vera", case)
    assert f'hx-get="{address("candidates", case)}' not in page
    assert "slow@1: It found nothing." in page


def test_the_poll_brings_the_list_the_map_and_the_steps_named(case: Case) -> None:
    """Each element carries its own order to be swapped in: the poll itself swaps nothing."""
    make_candidate(case.run)
    make_candidate(case.run, step=3, actor="verifier")
    response = signed_in("vera").get(address("candidates", case), {"step": 3})
    roots = ["candidates", "minimap", "s1", "s3"]
    assert roots_of(response.content) == roots
    assert response.content.count(b'hx-swap-oob="true"') == len(roots)
    page = page_of("vera", case)
    assert set(roots) <= ids_of(page.encode())
    assert "hx-swap-oob" not in page


def test_many_candidates_are_folded_and_none_is_lost(case: Case) -> None:
    for n in range(12):
        make_candidate(case.run, score=1 - n / 100, rationale=f"Reason {n}.")
    page = Desk(case).get().content.decode()
    assert all(f"Reason {n}." in page for n in range(12))
    assert "9 more" in page
    # Keys 1 to 9 stand for the first nine.
    assert [f'data-key="{n}"' in page for n in (1, 9, 10)] == [True, True, False]


def test_a_long_run_is_windowed_around_the_step(case: Case) -> None:
    steps = [make_step(n) for n in range(450)]
    run: Run = make_run(case.project, make_transcript(*steps, external_id="long", task_id="T-9"))
    long = case_of(run)
    shown = set(range(250 - BEFORE, 250 - BEFORE + WINDOW))
    page = page_of("vera", long, step=250)
    assert {int(n) for n in re.findall(r'id="s(\d+)"', page)} == shown
    assert f"steps #{min(shown)}–#{max(shown)} of 450" in page
    assert f'href="?until={min(shown) - 1}"' in page
    assert f'href="?from={max(shown) + 1}"' in page

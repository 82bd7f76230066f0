from __future__ import annotations

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client

from attribution.drawn_steps import Marks
from attribution.views.run import marks_of_candidates
from tests.clients import ids_of, signed_in
from tests.factories import AT, make_project, make_run, make_step, make_transcript
from tests.reviews.scenes import TEXT, make_candidate, make_failed_run, make_scene, sign
from traces.models import Run
from traces.transcript import (
    Actor,
    ActorKind,
    Gap,
    Link,
    LinkKind,
    Opinion,
    Outcome,
    Part,
    PartKind,
    Report,
)

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def address(run: Run, slug: str = "demo") -> str:
    return f"/p/{slug}/runs/{run.pk}/"


@pytest.fixture
def run(db: None) -> Run:
    """The scene's failed run; its case is beside the point here."""
    return make_scene().run


def make_passed(run: Run, name: str = "ok", *, days: int = 0) -> Run:
    steps = (make_step(0, "owner"), make_step(1, "planner", "Use POST /v2/invoices."))
    transcript = make_transcript(*steps, external_id=name, outcome=Outcome.SUCCEEDED)
    return make_run(run.project, transcript, at=AT + timedelta(days=days))


def test_who_is_not_signed_in_is_sent_to_sign_in(run: Run) -> None:
    response = Client().get(address(run))
    assert response.url == f"/accounts/login/?next={address(run)}"


def test_a_stranger_and_another_project_find_nothing(run: Run) -> None:
    make_project("other")
    assert signed_in("sam").get(address(run)).status_code == 404
    assert signed_in("lena").get(address(run, "other")).status_code == 404
    assert signed_in("lena").get(f"/p/demo/runs/{uuid4()}/").status_code == 404
    assert signed_in("lena").get("/p/demo/runs/not-a-run/").status_code == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_another_method_is_refused(run: Run, method: str) -> None:
    assert signed_in("lena").generic(method, address(run)).status_code == 405


def test_a_viewer_reads_the_whole_run(run: Run) -> None:
    page = signed_in("vera").get(address(run)).content.decode()
    assert TEXT in page
    assert {"minimap", "browser", "gaps", "keys", "s0", "s3"} <= ids_of(page.encode())
    for words in ("Run · failed", "4 steps, 4 actors", run.sha256, run.document.sha256):
        assert words in page, words
    assert 'data-total="4">steps #0–#3 of 4</small>' in page
    assert "No successful run of this task or a similar one is here to compare with." in page


def test_nothing_of_a_case_is_on_the_page(run: Run) -> None:
    case = run.cases.get()
    make_candidate(run)
    sign(case, "ada", note="Ada's note.")
    page = signed_in("ada").get(address(run)).content.decode()
    assert "Ada" not in page
    assert "<mark" not in page
    assert not {"claim", "marker", "candidates"} & ids_of(page.encode())
    assert 'class="tag cand">candidate 1' in page


def test_labels_that_came_with_the_file_are_not_shown(db: None) -> None:
    label = Opinion("annotator", "1", 0, 1, "planner", "It used v1.")
    run = make_scene(opinions=(label,), withheld={"answer": "WITHHELD"}).run
    for name in ("ada", "lena"):
        page = signed_in(name).get(address(run)).content.decode()
        assert ("annotator" in page, "WITHHELD" in page) == (False, False)


def test_why_an_instance_is_missing_is_told_as_the_record_tells_it(db: None) -> None:
    actors = (
        Actor("planner", "planner", ActorKind.AGENT, capture={"instance": "withheld"}),
        Actor("coder", "coder", ActorKind.AGENT),
        Actor("tests", "tests", ActorKind.TOOL, instance="t/1"),
    )
    steps = (make_step(0), make_step(1, "coder"), make_step(2, "tests"))
    capture = {"actors/instance": "not_in_schema"}
    transcript = make_transcript(*steps, actors=actors, capture=capture)
    run = make_run(make_project(), transcript)
    client = signed_in("vera")
    page = client.get(address(run)).content.decode()
    record = client.get(f"{address(run)}record/").content.decode()
    for told in ("instance withheld", "instance not in schema"):
        assert page.count(told) == record.count(told) == 1
    assert "instance not captured" not in page


def test_gaps_reports_and_capture_states_are_told(db: None) -> None:
    run = make_scene(
        gaps=(Gap("missing_parent", "It refers to s9.", 2), Gap("new_kind", "Unheard of.")),
        reports=(Report("passed", "agent", 3, None, "all tests"),),
        capture={"ended_at": "not_captured", "items": "withheld"},
        initial_state={"digest": "sha256:2"},
    ).run
    page = signed_in("vera").get(address(run)).content.decode()
    for words in (
        "2 gaps", "Missing predecessor", f"/runs/{run.pk}/record/#gap-missing_parent", "new_kind",
        "2 fields of the run empty for a stated reason", "all tests",
        '<p class="note gap"><b>Missing predecessor</b>: It refers to s9.</p>',
    ):  # fmt: skip
        assert words in page, words
    assert "Unheard of." not in page  # the record's own page tells gaps in their words


def test_each_step_leads_to_its_cause_and_each_instance_to_the_one_it_replaces(db: None) -> None:
    steps = (make_step(0, "a"), make_step(1, "b"), make_step(2, "b", attempt=2))
    actors = (
        Actor("a", "coder", ActorKind.AGENT),
        Actor("b", "coder", ActorKind.AGENT, replaces="a"),
    )
    links = (Link(0, 2, LinkKind.RETRY_OF),)
    transcript = make_transcript(*steps, actors=actors, links=links)
    run = make_run(make_project(), transcript)
    page = signed_in("vera").get(address(run)).content.decode()
    assert page.count(f'class="why" href="{address(run)}steps/') == 3
    assert page.count("replaces a") == 1
    assert "attempt 2 of step #0: no reason given" in page


def test_the_closest_success_stands_beside(run: Run) -> None:
    make_passed(run)
    response = signed_in("vera").get(address(run))
    page = response.content.decode()
    assert "Successful run" in page
    assert {"r0", "r1"} <= ids_of(page.encode())
    assert response.context["place"].kept == ""


def test_any_two_runs_of_the_project_are_compared(run: Run) -> None:
    make_passed(run)
    other = make_failed_run(run.project, "run-2", task_id="T-2")
    response = signed_in("vera").get(address(run), {"with": str(other.pk), "step": 2})
    page = response.content.decode()
    assert "run-2, failed, chosen by you" in page
    assert f"?with={other.pk}&amp;step=2#s2" in page
    assert response.context["viewing"].aligned.aligned == 4


@pytest.mark.parametrize("wanted", ["x", "1", "9" * 5000, "١" * 32, "{", str(uuid4())])
def test_a_run_to_compare_with_that_is_none_is_not_found(run: Run, wanted: str) -> None:
    response = signed_in("lena").get(address(run), {"with": wanted})
    assert response.status_code == 404


def test_a_run_of_another_project_is_not_compared(run: Run) -> None:
    other = make_scene("other").run
    assert signed_in("lena").get(address(run), {"with": str(other.pk)}).status_code == 404


def test_an_odd_way_to_write_an_id_stays_harmless(run: Run) -> None:
    other = make_passed(run)
    wanted = "{" + str(other.pk) + "}"
    response = signed_in("vera").get(address(run), {"with": wanted})
    assert response.status_code == 200
    assert f"?with=%7B{other.pk}%7D&amp;step=1#s1" in response.content.decode()


@pytest.mark.parametrize(
    ("step", "selected"),
    [("2", 2), ("99", 3), ("99999999", 3), ("x", 0), ("²", 0), ("-1", 0), ("9" * 5000, 0)],
)
def test_the_selected_step(run: Run, step: str, selected: int) -> None:
    response = signed_in("vera").get(address(run), {"step": step})
    assert response.context["selected"] == selected
    assert f' sel" id="s{selected}"' in response.content.decode()


def test_a_long_run_comes_in_windows_that_link_to_each_other(run: Run) -> None:
    steps = [make_step(n) for n in range(100)]
    long = make_run(run.project, make_transcript(*steps, external_id="long", task_id="T-9"))
    client, query, seen = signed_in("vera"), "?step=0", list[int]()
    while query:
        page = client.get(f"{address(long)}{query}").content.decode()
        shown = [int(number) for number in re.findall(r'id="s(\d+)"', page)]
        assert f"steps #{shown[0]}–#{shown[-1]} of 100" in page
        seen += shown
        query = next(iter(re.findall(r'href="(\?from=\d+)"', page)), "")
    assert seen == list(range(100))


def test_a_very_long_line_is_cut_and_its_rest_counted(run: Run) -> None:
    line = "".join(f"{n:07} " for n in range(50_000))
    steps = (make_step(0, "owner", line), make_step(1, "planner", "[" * 50_000))
    long = make_run(run.project, make_transcript(*steps, external_id="long", task_id="T-9"))
    page = signed_in("vera").get(address(long)).content.decode()
    article = page.split('id="s0"')[1].split("</article>")[0]
    text = article.split('data-part="0"')[1].split(">", 1)[1].split("<")[0]
    assert line.startswith(text)
    assert 1_000 < len(text) < 10_000
    # What is not there is counted, and is one click away.
    rest = len(line) - len(text)
    assert f"{rest:,} more characters" in article or f"{rest} more characters" in article
    assert f'href="{address(long)}steps/0/parts/0/' in article


def test_candidates_of_one_step_are_numbered_by_rank(run: Run) -> None:
    first, second, third = (make_candidate(run, step=step, actor="planner") for step in (1, 2, 1))
    assert marks_of_candidates([first, second, third]) == Marks(candidates={1: (1, 3), 2: (2,)})
    assert marks_of_candidates([]) == Marks()


def test_payloads_of_either_run_are_fetched_from_that_run(run: Run) -> None:
    told = {"media_type": "image/png", "size": 1_234, "sha256": "ab" * 32, "stored": True}
    parts = (Part(PartKind.MESSAGE, "see <img src=x>", {"payload": told}),)
    ours, theirs = (
        make_run(
            run.project,
            make_transcript(make_step(0, parts=parts), external_id=name, task_id="T-9"),
        )
        for name in ("one", "two")
    )
    page = signed_in("vera").get(address(ours), {"with": str(theirs.pk)}).content.decode()
    left, right = page.split('id="s0"')[1].split('id="r0"')
    for part, which in ((left, ours), (right, theirs)):
        assert "image/png, 1,234 bytes" in part
        assert f'href="/p/demo/runs/{which.pk}/payloads/{"ab" * 32}/"' in part
    assert "<img" not in page

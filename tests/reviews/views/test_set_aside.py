"""A run that is set aside: it stays readable, and leaves queues and figures, until it is back."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from reviews import assignment, queue
from reviews.models import Case
from tests.clients import address, signed_in
from tests.factories import AT, make_run, make_transcript
from tests.reviews.conftest import Desk
from tests.reviews.scenes import case_of, make_failed_run, settle, sign, user
from tests.traces.storms import make_storm
from traces import quarantine
from traces.models import Quarantine, Run

pytestmark = [pytest.mark.django_db, pytest.mark.database]
LEFT_OUT = "1 case</a> of runs that are set aside is not counted."


def put_aside(run: Run, reason: str = "duplicate", **given: object) -> Quarantine:
    arguments = {"note": "Sent twice.", "by": user("lena"), "at": AT} | given
    return quarantine.set_aside(run=run, reason=reason, **arguments)


def lift(row: Quarantine) -> None:
    quarantine.lift(quarantine=row, why="It is none.", by=user("lena"), at=AT)


def page(name: str, path: str = "", **query: str) -> str:
    response = signed_in(name).get(f"/p/demo/{path}", query)
    assert response.status_code == 200
    return response.content.decode()


def listed(name: str = "ada", **query: str) -> list[int]:
    context = signed_in(name).get("/p/demo/cases/", query).context
    return [case.number for case in context["page"]]


def test_nobody_gets_its_case(case: Case) -> None:
    row = put_aside(case.run)
    project, ada = case.project, user("ada")
    with pytest.raises(assignment.NothingToTake, match="The run of case 1 is set aside"):
        assignment.take(case=case, reviewer=ada, at=AT)
    assert assignment.take_next(project=project, reviewer=ada, at=AT) is None
    words = "Nothing to take: all open cases are of runs that are set aside."
    assert queue.emptiness(project, ada) == words
    assert "Take this case" not in page("ada", "cases/1/")
    lift(row)
    assert "Take this case" in page("ada", "cases/1/")
    assert assignment.take_next(project=project, reviewer=ada, at=AT)


def test_the_next_case_is_another(case: Case) -> None:
    other = case_of(make_failed_run(case.project, "run-2"))
    put_aside(case.run)
    slot = assignment.take_next(project=case.project, reviewer=user("ada"), at=AT)
    assert slot
    assert slot.case == other


def test_who_holds_it_may_finish_and_sees_the_band(case: Case) -> None:
    desk = Desk(case)
    put_aside(case.run)
    answer = desk.get().content.decode()
    assert "Set aside since 2026-11-20 09:00:00 UTC" in answer
    assert desk.post("write-draft", note="I go on.").status_code == 302
    assert desk.fields["note"] == "I go on."
    later = timezone.now() + timedelta(days=1)
    with pytest.raises(assignment.NothingToTake):
        assignment.take(case=case, reviewer=user("ben"), at=later)
    # Also late, and from the list: it is theirs.
    assert assignment.take(case=case, reviewer=user("ada"), at=later).reviewer == user("ada")
    sign(case, "ada", at=later)
    assert case.claims.count() == 1


def test_the_work_list_leaves_it_out_and_says_so(case: Case) -> None:
    case_of(make_failed_run(case.project, "run-2"))
    row = put_aside(case.run)
    shown = page("ada")
    assert "1 of 1, first things first" in shown
    assert LEFT_OUT in shown
    assert "1 failed run of task T-1" in shown
    lift(row)
    shown = page("ada")
    assert "2 of 2, first things first" in shown
    assert "set aside" not in shown


def test_what_waits_for_a_lead_is_left_out_too(case: Case) -> None:
    for name in ("ada", "ben"):
        sign(case, name)
    put_aside(case.run)
    assert "Waiting for your verdict" not in page("lena")
    shown = page("lena", "verdicts/")
    assert "Waiting for a lead <small>0 of 0</small>" in shown
    assert LEFT_OUT in shown


def test_what_was_signed_stays_and_a_lead_may_still_decide(case: Case) -> None:
    claim = sign(case, "ada")
    sign(case, "ben")
    put_aside(case.run)
    case.refresh_from_db()
    settle(case, claim)
    assert "Signed <small>1 of 1</small>" in page("vera", "verdicts/")
    assert page("vera", "cases/1/postmortem.html")


def test_the_list_of_cases_leaves_it_out_unless_asked(case: Case) -> None:
    make_failed_run(case.project, "run-2")
    put_aside(case.run)
    assert listed() == [2]
    assert listed(aside="only") == [1]
    assert listed(aside="with") == [2, 1]
    assert listed(aside="nonsense") == [2]
    assert LEFT_OUT in page("ada", "cases/")
    assert LEFT_OUT not in page("ada", "cases/", task="T-2")
    assert '<span class="chip">set aside</span>' in page("ada", "cases/", aside="with")


def test_cases_of_personal_data_are_listed_for_leads_alone(case: Case) -> None:
    make_failed_run(case.project, "run-2")
    put_aside(case.run, "personal_data")
    assert (listed("ada", aside="only"), listed("lena", aside="only")) == ([], [1])
    assert (listed("ada", aside="with"), listed("lena", aside="with")) == ([2], [2, 1])
    assert LEFT_OUT in page("ada", "cases/", aside="with")
    assert LEFT_OUT not in page("lena", "cases/", aside="with")


@pytest.mark.parametrize("name", ["vera", "ada", "lena"])
def test_it_stays_readable_with_a_band(case: Case, name: str) -> None:
    other = make_run(case.project, make_transcript(external_id="again"))
    put_aside(case.run, replacement=other)
    for path in (f"runs/{case.run.pk}/", "cases/1/"):
        shown = page(name, path)
        assert "Set aside since 2026-11-20 09:00:00 UTC</b> · duplicate · decided by lena" in shown
        assert f'replaced by <a href="/p/demo/runs/{other.pk}/">again</a>' in shown
        assert "Sent twice." in shown
        assert ("<button>Lift</button>" in shown) == (name == "lena")
    document = f"documents/{case.run.document.sha256}/"
    assert signed_in(name).get(f"/p/demo/{document}").status_code == 200
    assert "set aside</a>" in page(name, "runs/")


def test_a_run_that_counts_has_no_band(case: Case) -> None:
    shown = page("lena", f"runs/{case.run.pk}/")
    assert "Set aside since" not in shown
    assert f"/p/demo/runs/{case.run.pk}/set-aside/" in shown
    assert "set-aside" not in page("ada", f"runs/{case.run.pk}/")


def test_a_proposal_shows_on_the_run_to_leads(case: Case) -> None:
    run = make_storm(case.project)
    assert "Proposed for the quarantine" in page("lena", f"runs/{run.pk}/")
    assert "Proposed for the quarantine" not in page("ada", f"runs/{run.pk}/")


def test_it_is_not_offered_for_comparison(case: Case) -> None:
    other = make_failed_run(case.project, "run-2")
    row = put_aside(other)
    option, choices = f"?with={other.pk}", f"runs/{case.run.pk}/choices/"
    assert option not in page("vera", choices)
    assert page("vera", f"runs/{case.run.pk}/", **{"with": str(other.pk)})
    lift(row)
    assert option in page("vera", choices)


@pytest.mark.parametrize("name", ["vera", "ada"])
def test_personal_data_is_for_leads_alone(case: Case, name: str) -> None:
    desk = Desk(case)
    other = make_failed_run(case.project, "run-2")
    row = put_aside(case.run, "personal_data")
    client, run = signed_in(name), case.run
    paths = [
        f"/p/demo/runs/{run.pk}/",
        f"/p/demo/runs/{run.pk}/values/?text=planner",
        f"/p/demo/runs/{other.pk}/?with={run.pk}",
        f"/p/demo/documents/{run.document.sha256}/",
        address("case", case),
        address("candidates", case),
    ]
    for path in paths:
        answer = client.get(path)
        assert answer.status_code == 403, path
        assert b"planner" not in answer.content
        assert signed_in("lena").get(path).status_code == 200, path
    assert "because it holds personal data" in client.get(paths[0]).content.decode()
    assert desk.post("write-draft", note="I go on.").status_code == 403
    lift(row)
    assert all(client.get(path).status_code == 200 for path in paths)
    assert desk.post("write-draft", note="I go on.").status_code == 302


def test_the_postmortem_of_personal_data_is_for_leads_alone(case: Case) -> None:
    claim = sign(case, "ada")
    sign(case, "ben")
    case.refresh_from_db()
    settle(case, claim)
    put_aside(case.run, "personal_data")
    for query in ("", "?verdict=1"):
        path = address("postmortem", case, "json") + query
        assert signed_in("ada").get(path).status_code == 403
        assert signed_in("lena").get(path).status_code == 200


def test_counting_stops_where_it_would_cost_more_than_the_page(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "COUNTED", 1)
    for name in ("run-2", "run-3"):
        make_failed_run(case.project, name)
    assert "3 of more than 1, first things first" in page("ada")
    for run in Run.objects.exclude(external_id="run-3"):
        put_aside(run)
    shown = page("ada")
    assert "1 of 1, first things first" in shown
    assert "More than 1 cases</a> of runs that are set aside are not counted." in shown


def test_a_holder_of_what_was_closed_sees_nothing_of_it_and_gives_it_back(case: Case) -> None:
    slot = assignment.take(case=case, reviewer=user("ada"), at=timezone.now())
    put_aside(case.run, "personal_data")
    text = page("ada")
    assert case.failure.statement not in text
    assert "Its run was set aside for personal data" in text
    client = signed_in("ada")
    answer = client.post(address("give-back", case), {"token": str(slot.token)})
    assert answer.status_code == 302
    assert "Yours" not in page("ada")


def test_a_settled_case_of_what_was_closed_is_not_told_on_the_work_list(case: Case) -> None:
    sign(case, "ada")
    settle(case, sign(case, "ben"))
    put_aside(case.run, "personal_data")
    assert case.failure.statement not in page("ada")

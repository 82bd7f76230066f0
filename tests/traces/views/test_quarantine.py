"""The ledger: read by members, decided by leads, with plain forms."""

from __future__ import annotations

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from tests.clients import signed_in, told
from tests.factories import AT, make_project, make_run, make_transcript, make_user
from tests.traces.storms import make_storm
from traces import quarantine
from traces.models import Membership, Project, Quarantine, Role, Run
from traces.views import quarantine as pages

pytestmark = [pytest.mark.django_db, pytest.mark.database]
ADDRESS = "/p/demo/quarantine/"


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def run(project: Project) -> Run:
    return make_run(project)


def another(project: Project, name: str) -> Run:
    return make_run(project, make_transcript(external_id=name))


def put_aside(run: Run, reason: str = "duplicate", *, days: int = 0, **given: object) -> Quarantine:
    arguments = {"note": "", "by": make_user("lena"), "at": AT + timedelta(days=days)} | given
    return quarantine.set_aside(run=run, reason=reason, **arguments)


def form_of(run: Run) -> str:
    return f"/p/demo/runs/{run.pk}/set-aside/"


def action(row: Quarantine, verb: str) -> str:
    return f"{ADDRESS}{row.pk}/{verb}/"


def shown(client: Client, **query: str) -> list[str]:
    return [row.run.external_id for row in client.get(ADDRESS, query).context["rows"]]


def test_who_is_not_signed_in_is_asked_to(run: Run) -> None:
    row = put_aside(run)
    assert Client().get(ADDRESS).status_code == 302
    for address in (form_of(run), action(row, "lift"), action(row, "dismiss")):
        assert Client().post(address).status_code == 302
    assert quarantine.standing(run)


def test_a_stranger_finds_nothing(run: Run) -> None:
    row, sam = put_aside(run), signed_in("sam")
    assert sam.get(ADDRESS).status_code == 404
    for address in (form_of(run), action(row, "lift"), action(row, "dismiss")):
        assert sam.post(address, {"why": "I can."}).status_code == 404
    assert quarantine.standing(run)


@pytest.mark.parametrize("name", ["vera", "ada"])
def test_others_than_leads_only_read(project: Project, run: Run, name: str) -> None:
    proposal, row, client = make_storm(project).quarantines.get(), put_aside(run), signed_in(name)
    page = client.get(ADDRESS).content.decode()
    assert "run-1" in page
    assert "stormy" in page
    assert 'method="post" action="/p/' not in page
    assert client.get(form_of(run)).status_code == 403
    assert client.post(form_of(run), {"reason": "duplicate"}).status_code == 403
    assert client.post(action(row, "lift"), {"why": "I can."}).status_code == 403
    assert client.post(action(proposal, "dismiss"), {"why": "I can."}).status_code == 403
    assert quarantine.standing(run) == row


def test_other_methods_are_refused(run: Run) -> None:
    row, lena = put_aside(run), signed_in("lena")
    assert lena.post(ADDRESS).status_code == 405
    assert lena.get(action(row, "lift")).status_code == 405
    assert lena.get(action(row, "dismiss")).status_code == 405


def test_what_is_of_another_project_is_not_there(run: Run) -> None:
    other, lena = make_run(make_project("other")), signed_in("lena")
    row = put_aside(other)
    assert shown(lena) == []
    assert lena.post(action(row, "lift"), {"why": "No."}).status_code == 404
    assert lena.get(form_of(other)).status_code == 404
    assert lena.get(f"/p/demo/runs/{uuid4()}/set-aside/").status_code == 404
    answer = lena.post(form_of(run), {"reason": "duplicate", "replacement": str(other.pk)})
    assert "No run of this project has this name or id." in answer.content.decode()
    assert quarantine.standing(run) is None


def test_a_lead_sets_a_run_aside(project: Project, run: Run) -> None:
    lena, other = signed_in("lena"), another(project, "run-2")
    page = lena.get(form_of(run)).content.decode()
    assert "rate limit" in page
    answer = lena.post(
        form_of(run),
        {"reason": "rate_limit", "note": "Shared\r\nkey.", "replacement": "run-2"},
    )
    assert answer.url == f"/p/demo/runs/{run.pk}/"
    assert lena.get(answer.url).status_code == 200
    assert told(answer) == ["run-1 is set aside."]
    row = quarantine.standing(run)
    assert row
    assert (row.reason, row.note, row.replacement) == ("rate_limit", "Shared\nkey.", other)
    assert (row.owner, row.status) == (make_user("lena"), "in_force")


def test_another_lead_can_be_named(project: Project, run: Run) -> None:
    lara = make_user("lara")
    Membership.objects.create(project=project, user=lara, role=Role.LEAD)
    signed_in("lena").post(form_of(run), {"reason": "duplicate", "owner": lara.pk})
    row = quarantine.standing(run)
    assert row
    assert row.owner == lara
    page = signed_in("vera").get(ADDRESS).content.decode()
    assert 'lara<br><span class="small soft">decided by lena</span>' in page


def test_the_ledger_names_the_decider_once_if_who_decided_answers_for_it(run: Run) -> None:
    put_aside(run)
    assert "decided by" not in signed_in("vera").get(ADDRESS).content.decode()


def test_no_reason_is_chosen_beforehand(run: Run) -> None:
    page = signed_in("lena").get(form_of(run)).content.decode()
    assert '<option value="" selected>choose one</option>' in page
    assert re.search('<select name="reason"[^>]* required', page)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "This field is required."),
        ({"reason": "boring"}, "Select a valid choice."),
        ({"reason": "duplicate", "owner": "0"}, "Select a valid choice."),
        ({"reason": "duplicate", "replacement": "nowhere"}, "No run of this project"),
        ({"reason": "duplicate", "replacement": "run-1"}, "A run cannot replace itself."),
        ({"reason": "duplicate", "replacement": "twin"}, "Several runs have this name"),
        ({"reason": "duplicate", "note": "\x00"}, "Null characters are not allowed."),
    ],
)
def test_what_cannot_be_is_said_on_the_form(
    project: Project, run: Run, given: dict[str, str], words: str
) -> None:
    for name in ("a", "b"):
        Run.objects.filter(pk=another(project, name).pk).update(external_id="twin")
    answer = signed_in("lena").post(form_of(run), given)
    assert answer.status_code == 200
    assert words in answer.content.decode()
    assert quarantine.standing(run) is None


def test_setting_aside_again_is_refused_with_a_sentence(run: Run) -> None:
    put_aside(run)
    page = signed_in("lena").post(form_of(run), {"reason": "time_out"}).content.decode()
    assert "lena has set this run aside already, 2026-11-20 09:00 UTC: duplicate." in page


def test_a_proposal_fills_the_form_and_is_taken_up(project: Project) -> None:
    run, lena = make_storm(project), signed_in("lena")
    page = lena.get(form_of(run)).content.decode()
    assert "A rate limit was met 6 times" in page
    assert '<option value="rate_limit" selected>' in page
    lena.post(form_of(run), {"reason": "rate_limit", "note": "As proposed."})
    assert run.quarantines.get().status == "in_force"


def test_a_lead_lifts_and_comes_back_to_the_page(run: Run) -> None:
    row, lena = put_aside(run), signed_in("lena")
    here = f"/p/demo/runs/{run.pk}/?step=2"
    answer = lena.post(action(row, "lift"), {"why": "Looked again.", "back": here})
    assert answer.url == here
    assert told(answer) == ["run-1 counts again."]
    assert quarantine.standing(run) is None
    again = lena.post(action(row, "lift"), {"why": "Looked again."})
    assert told(again)[-1].startswith("lena has lifted this already")


@pytest.mark.parametrize("address", ["https://evil.example/", "//evil.example", "javascript:x"])
def test_nobody_is_sent_elsewhere(run: Run, address: str) -> None:
    row = put_aside(run)
    answer = signed_in("lena").post(action(row, "lift"), {"why": "So.", "back": address})
    assert answer.url == ADDRESS


@pytest.mark.parametrize("why", ["", "  ", "\x00"])
def test_a_decision_needs_a_reason(project: Project, run: Run, why: str) -> None:
    lena, row, proposal = signed_in("lena"), put_aside(run), make_storm(project).quarantines.get()
    for address in (action(row, "lift"), action(proposal, "dismiss")):
        answer = lena.post(address, {"why": why})
        assert told(answer)[-1] == "Say why: the reason stays in the ledger."
    assert set(Quarantine.objects.values_list("status", flat=True)) == {"in_force", "proposed"}


def test_a_lead_dismisses_a_proposal(project: Project) -> None:
    lena, proposal = signed_in("lena"), make_storm(project).quarantines.get()
    answer = lena.post(action(proposal, "dismiss"), {"why": "They coped."})
    assert told(answer) == ["The proposal is dismissed: stormy stays in."]
    assert "They coped." in lena.get(ADDRESS).content.decode()
    again = lena.post(action(proposal, "dismiss"), {"why": "They coped."})
    assert told(again)[-1].startswith("lena has decided on this already")


def test_every_decision_is_shown_newest_first_and_filtered(project: Project) -> None:
    lena = signed_in("lena")
    assert "No run was ever set aside." in lena.get(ADDRESS).content.decode()
    lift_me = put_aside(another(project, "lifted"), "rate_limit", days=1)
    put_aside(another(project, "middle"), "rate_limit", days=2)
    put_aside(another(project, "newest"), "time_out", days=3)
    quarantine.lift(quarantine=lift_me, why="So.", by=make_user("lena"), at=AT)
    assert shown(lena) == ["newest", "middle", "lifted"]
    assert shown(lena, status="in_force") == ["newest", "middle"]
    assert shown(lena, reason="rate_limit") == ["middle", "lifted"]
    assert shown(lena, status="lifted", reason="rate_limit") == ["lifted"]
    assert shown(lena, status="proposed", reason="nonsense") == ["newest", "middle", "lifted"]
    page = lena.get(ADDRESS, {"reason": "duplicate"}).content.decode()
    assert "No decision matches the filter." in page


def test_pages_hold_every_row_once(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "ON_PAGE", 3)
    for number in range(7):
        put_aside(another(project, f"run-{number}"))
    client, query, seen = signed_in("vera"), {}, []
    while query is not None:
        context = client.get(ADDRESS, query).context
        seen += [row.run.external_id for row in context["rows"]]
        older = context["older"]
        query = {"past": older, "before": context["last"]} if older else None
    assert seen == [f"run-{number}" for number in reversed(range(7))]


@pytest.mark.parametrize("past", ["nonsense", "0", "-1", "²", "9" * 30])
def test_a_place_that_nobody_made_is_the_beginning(run: Run, past: str) -> None:
    put_aside(run)
    assert shown(signed_in("vera"), past=past) == ["run-1"]


def test_the_page_says_how_many_proposals_it_does_not_show(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "PROPOSALS", 2)
    for number in range(3):
        make_storm(project, f"stormy-{number}")
    assert "2 of 3, oldest first" in signed_in("lena").get(ADDRESS).content.decode()


def test_hostile_names_and_notes_are_shown_as_text(project: Project) -> None:
    name = "<script>alert(1)</script>\u202e"
    put_aside(another(project, name), note=name)
    page = signed_in("lena").get(ADDRESS).content.decode()
    assert "<script>alert" not in page
    assert "\u202e" not in page


@pytest.mark.parametrize("number", [1, 3])
@pytest.mark.parametrize(("name", "queries"), [("vera", 6), ("lena", 7)])
def test_queries(
    project: Project,
    number: int,
    name: str,
    queries: int,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    for n in range(number):
        make_storm(project, f"stormy-{n}")
        row = put_aside(another(project, f"lifted-{n}"))
        quarantine.lift(quarantine=row, why="So.", by=make_user("lena"), at=AT)
        put_aside(another(project, f"aside-{n}"), replacement=row.run)
    client = signed_in(name)
    with django_assert_num_queries(queries):
        assert client.get(ADDRESS).status_code == 200

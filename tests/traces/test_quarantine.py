from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, connection, transaction
from pytest_django import DjangoAssertNumQueries

from tests.factories import AT, make_project, make_run, make_transcript, make_user
from tests.traces.storms import make_storm
from traces import audit, members, quarantine
from traces.models import AuditEntry, Membership, Project, Quarantine, Role, Run

pytestmark = [pytest.mark.django_db, pytest.mark.database]
LATER = AT + timedelta(hours=1)


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def run(project: Project) -> Run:
    return make_run(project)


def put_aside(run: Run, **given: object) -> Quarantine:
    arguments = {"reason": "duplicate", "note": "Sent twice.", "by": make_user("lena"), "at": AT}
    return quarantine.set_aside(run=run, **arguments | given)


def lift(row: Quarantine, name: str = "lena") -> Quarantine:
    return quarantine.lift(quarantine=row, why="It is no duplicate.", by=make_user(name), at=LATER)


def dismiss(row: Quarantine, name: str = "lena") -> Quarantine:
    return quarantine.dismiss(quarantine=row, why="They coped.", by=make_user(name), at=LATER)


def second_lead(project: Project, name: str = "lara") -> None:
    Membership.objects.create(project=project, user=make_user(name), role=Role.LEAD)


def counted(project: Project) -> list[str]:
    return [run.external_id for run in Run.objects.filter(project=project).counted()]


@pytest.mark.parametrize("name", ["vera", "ada", "sam"])
def test_only_a_lead_decides(project: Project, run: Run, name: str) -> None:
    with pytest.raises(PermissionDenied):
        put_aside(run, by=make_user(name))
    row = put_aside(run)
    with pytest.raises(PermissionDenied):
        lift(row, name)
    proposal = make_storm(project).quarantines.get()
    with pytest.raises(PermissionDenied):
        dismiss(proposal, name)
    assert set(Quarantine.objects.values_list("status", flat=True)) == {"in_force", "proposed"}


def test_who_set_it_aside_already_and_why_is_said(run: Run) -> None:
    put_aside(run)
    words = "lena has set this run aside already, 2026-11-20 09:00 UTC: duplicate."
    with pytest.raises(quarantine.Refused, match=words):
        put_aside(run, reason="rate_limit")
    assert Quarantine.objects.get().reason == "duplicate"


def test_a_reason_that_is_not_on_the_list_is_refused(run: Run) -> None:
    with pytest.raises(ValueError, match="boring"):
        put_aside(run, reason="boring")
    assert not Quarantine.objects.exists()


@pytest.mark.parametrize("name", ["ada", "sam"])
def test_who_answers_for_it_must_be_a_lead(run: Run, name: str) -> None:
    with pytest.raises(quarantine.Refused, match="must be a lead"):
        put_aside(run, owner=make_user(name))


def test_a_replacement_is_another_run_of_the_project_that_counts(
    project: Project, run: Run
) -> None:
    with pytest.raises(quarantine.Refused, match="cannot replace itself"):
        put_aside(run, replacement=run)
    with pytest.raises(quarantine.Refused, match="one of this project"):
        put_aside(run, replacement=make_run(make_project("other")))
    other = make_run(project, make_transcript(external_id="run-2"))
    put_aside(other)
    with pytest.raises(quarantine.Refused, match="set aside itself"):
        put_aside(run, replacement=other)


def test_a_run_that_is_set_aside_is_not_counted_until_that_is_lifted(
    project: Project, run: Run
) -> None:
    other = make_run(project, make_transcript(external_id="run-2"))
    row = put_aside(run, replacement=other)
    assert (row.owner, row.decided_at, row.replacement) == (make_user("lena"), AT, other)
    assert counted(project) == ["run-2"]
    assert quarantine.standing(run) == row
    lifted = lift(row)
    assert (lifted.lifted_by, lifted.lifted_at) == (make_user("lena"), LATER)
    assert lifted.lift_reason == "It is no duplicate."
    assert sorted(counted(project)) == ["run-1", "run-2"]
    assert quarantine.standing(run) is None


def test_it_can_be_set_aside_again_and_the_ledger_has_both(run: Run) -> None:
    lift(put_aside(run))
    put_aside(run, reason="rate_limit", at=LATER)
    rows = run.quarantines.order_by("pk").values_list("status", "reason")
    assert list(rows) == [("lifted", "duplicate"), ("in_force", "rate_limit")]


def test_another_lead_may_answer_for_it(project: Project, run: Run) -> None:
    second_lead(project)
    assert put_aside(run, owner=make_user("lara")).owner == make_user("lara")


def test_what_is_over_is_not_decided_again(project: Project, run: Run) -> None:
    row = put_aside(run)
    with pytest.raises(quarantine.Refused, match="lena has decided on this already"):
        dismiss(row)
    lift(row)
    with pytest.raises(quarantine.Refused, match="lena has lifted this already, 2026-11-20 10:00"):
        lift(row)
    proposal = make_storm(project).quarantines.get()
    with pytest.raises(quarantine.Refused, match="nothing to lift"):
        lift(proposal)
    dismiss(proposal)
    with pytest.raises(quarantine.Refused, match="decided on this already"):
        dismiss(proposal)


def test_ingest_proposes_and_decides_nothing(project: Project) -> None:
    run = make_storm(project)
    row = run.quarantines.get()
    assert (row.status, row.reason, row.owner, row.proposed_at) == (
        "proposed",
        "rate_limit",
        None,
        AT,
    )
    assert row.note.startswith("A rate limit was met 6 times")
    assert counted(project) == ["stormy"]
    assert quarantine.standing(run) is None
    assert quarantine.entry(run) == row


def test_the_same_run_again_is_not_proposed_again(project: Project) -> None:
    dismiss(make_storm(project).quarantines.get())
    make_storm(project)
    assert Quarantine.objects.get().status == "dismissed"


def test_a_proposal_is_taken_up_or_dismissed(project: Project) -> None:
    run = make_storm(project)
    taken = put_aside(run, reason="rate_limit")
    assert (taken.pk, taken.proposed_at) == (run.quarantines.get().pk, AT)
    other = make_storm(project, "stormy-2")
    row = dismiss(other.quarantines.get())
    assert (row.owner, row.decided_at, row.lift_reason) == (make_user("lena"), LATER, "They coped.")
    assert counted(project) == ["stormy-2"]


def test_each_change_writes_an_entry_in_its_transaction(project: Project) -> None:
    run = make_storm(project)
    lift(put_aside(run, reason="rate_limit", note="The account was shared."))
    told = AuditEntry.objects.filter(action__startswith="quarantine.").order_by("number")
    assert list(told.values_list("action", "actor__username", "subject")) == [
        ("quarantine.proposed", None, f"run:{run.pk}"),
        ("quarantine.set_aside", "lena", f"run:{run.pk}"),
        ("quarantine.lifted", "lena", f"run:{run.pk}"),
    ]
    assert [entry.data["reason"] for entry in told] == ["rate_limit"] * 3
    assert told[1].data["note"] == "The account was shared."
    assert list(audit.faults()) == []


def test_personal_data_is_for_leads(project: Project, run: Run) -> None:
    everybody = {m.user.username: m for m in project.memberships.select_related("user")}
    assert all(quarantine.readable(run, member) for member in (*everybody.values(), None))
    row = put_aside(run)
    assert all(quarantine.readable(run, member) for member in (*everybody.values(), None))
    lift(row)
    put_aside(run, reason="personal_data", at=LATER)
    may = {name: quarantine.readable(run, member) for name, member in everybody.items()}
    assert may == {"vera": False, "ada": False, "ben": False, "lena": True}
    assert not quarantine.readable(run, None)
    with pytest.raises(quarantine.Restricted, match="personal data"):
        quarantine.require_readable(run, everybody["ada"])


def test_a_run_that_is_known_to_be_free_is_not_looked_up(
    run: Run, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    marked = Run.objects.annotate(is_open=quarantine.is_open()).get(pk=run.pk)
    with django_assert_num_queries(0):
        assert quarantine.entry(marked) is None
        assert quarantine.standing(marked) is None


def test_a_lead_who_left_still_stands_in_the_ledger(project: Project, run: Run) -> None:
    row = put_aside(run)
    second_lead(project)
    members.remove(project=project, user=make_user("lena"), by=make_user("lara"), at=AT)
    assert lift(row, "lara").owner == make_user("lena")


def test_the_database_keeps_one_open_entry_per_run(run: Run) -> None:
    put_aside(run)
    with pytest.raises(IntegrityError, match="one_open_quarantine_per_run"), transaction.atomic():
        Quarantine.objects.create(run=run, status="proposed", reason="time_out", proposed_at=AT)


@pytest.mark.django_db(transaction=True)
def test_of_two_leads_at_once_one_wins_and_the_other_sees_why() -> None:
    project = make_project()
    second_lead(project)
    run = make_run(project)

    def decide(name: str) -> str:
        try:
            put_aside(run, by=make_user(name))
            return "set aside"
        except quarantine.Refused as refusal:
            return str(refusal)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        first, second = sorted(pool.map(decide, ("lena", "lara")), key=len)
    assert first == "set aside"
    winner = Quarantine.objects.get().owner
    assert second == f"{winner} has set this run aside already, 2026-11-20 09:00 UTC: duplicate."
    assert list(audit.faults()) == []

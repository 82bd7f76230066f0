"""Failures added to a run: what is refused, and that all that follows comes with them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from tests.factories import AT, make_project, make_run, make_step, make_transcript, make_user
from traces import audit, failing, models, subscriptions, withholding
from traces.models import AuditEntry, Quarantine, Run
from traces.transcript import Failure, Outcome

pytestmark = pytest.mark.database
Origin = models.Failure.Origin


def make_passed(**fields: Any) -> Run:
    return make_run(make_project(), make_transcript(outcome=Outcome.SUCCEEDED, **fields))


def add(run: Run, statement: str = "It lied.", **fields: Any) -> models.Failure:
    failure = Failure(key="", statement=statement, **fields)
    by: User = make_user("ada")
    return failing.add_failure(run=run, failure=failure, by=by, origin=Origin.PERSON, at=AT)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"statement": " \n "}, "Say what failed: a failure needs a statement."),
        ({"statement": "x" * 2001}, "The statement has more than 2,000 characters."),
        ({"check": "x" * 201}, "The check has more than 200 characters."),
        ({"observed": "x" * 20_001}, "The observed has more than 20,000 characters."),
        ({"exposed_by": 3}, "There is no step 3: this run has the steps 0 to 2."),
        ({"exposed_by": -1}, "There is no step -1: this run has the steps 0 to 2."),
        ({"consequence": "dire"}, "The consequence is none of transient, remediation,"),
    ],
)
def test_what_says_too_little_or_points_nowhere_is_refused(
    fields: dict[str, Any], sentence: str
) -> None:
    run = make_passed()
    entries = AuditEntry.objects.count()
    with pytest.raises(failing.Refused) as refused:
        add(run, **fields)
    assert str(refused.value).startswith(sentence)
    assert not run.failures.exists()
    assert AuditEntry.objects.count() == entries


@pytest.mark.django_db
def test_a_run_without_steps_has_no_exposing_step() -> None:
    run = make_passed()
    Run.objects.filter(pk=run.pk).update(step_count=0)
    run.refresh_from_db()
    with pytest.raises(failing.Refused, match="This run has no steps"):
        add(run, exposed_by=0)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "again", [{}, {"statement": " it  LIED.\n"}, {"check": "", "expected": "the truth"}]
)
def test_the_same_statement_and_check_is_refused_with_the_first(again: dict[str, Any]) -> None:
    run = make_passed()
    first = add(run)
    with pytest.raises(failing.AlreadyThere) as refused:
        add(run, **again)
    assert refused.value.first == first
    assert add(run, check="by hand") != first


@pytest.mark.django_db
def test_what_the_record_shows_is_not_added_again() -> None:
    run = make_run(make_project())
    with pytest.raises(failing.AlreadyThere) as refused:
        add(run, "It broke.")
    assert refused.value.first.key == "f1"


@pytest.mark.django_db
@pytest.mark.parametrize(("status", "added"), [("in_force", 0), ("lifted", 1), ("proposed", 1)])
def test_a_run_that_is_set_aside_gets_none(status: str, added: int) -> None:
    run = make_passed()
    lena = make_user("lena")
    lifted = {"lifted_by": lena, "lifted_at": AT} if status == "lifted" else {}
    Quarantine.objects.create(
        run=run, status=status, reason="duplicate", owner=lena, decided_at=AT, **lifted
    )
    if not added:
        with pytest.raises(failing.SetAside, match="This run is set aside"):
            add(run)
    else:
        add(run)
    assert run.failures.count() == added


@pytest.mark.django_db
def test_it_carries_who_added_it_and_leaves_the_run_as_it_was() -> None:
    run = make_passed()
    before = Run.objects.filter(pk=run.pk).values().get()
    added = add(
        run, "  It lied. ", expected="no", observed="y\x00es", check="by hand", exposed_by=2,
        consequence="accountability",
    )  # fmt: skip
    added.refresh_from_db()
    assert (added.statement, added.expected, added.observed) == ("It lied.", "no", "y␀es")
    assert (added.check_name, added.exposed_by) == ("by hand", 2)
    assert (added.consequence, added.origin) == ("accountability", "person")
    assert (added.added_by, added.added_at) == (make_user("ada"), AT)
    assert Run.objects.filter(pk=run.pk).values().get() == before
    assert run.outcome == "succeeded"


@pytest.mark.django_db
def test_the_audit_chain_covers_what_was_stated() -> None:
    run = make_passed()
    added = add(run, observed="one thing")
    entry = AuditEntry.objects.get(action="failure.added")
    assert (entry.subject, entry.actor_id) == (f"run:{run.pk}", make_user("ada").pk)
    stated = Failure(key=added.key, statement="It lied.", observed="one thing")
    assert entry.data == {
        "key": added.key, "origin": "person", "sha256": failing.digest(stated),
    }  # fmt: skip
    other = Failure(key=added.key, statement="It lied.", observed="another thing")
    assert failing.digest(other) != entry.data["sha256"]
    assert list(audit.faults()) == []


@pytest.mark.django_db
def test_subscribers_are_told_once_and_their_failing_undoes_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = make_passed()
    told: list[str] = []

    def listen(*, failure: models.Failure, at: object) -> None:
        told.append(failure.statement)
        if failure.statement == "Bad.":
            raise ValueError("not this one")

    monkeypatch.setattr(subscriptions, "_failure_subscribers", [])
    assert subscriptions.on_new_failure(listen) is listen
    subscriptions.on_new_failure(listen)
    add(run)
    with pytest.raises(ValueError, match="not this one"):
        add(run, "Bad.")
    assert told == ["It lied.", "Bad."]
    assert [failure.statement for failure in run.failures.all()] == ["It lied."]


@pytest.mark.django_db(transaction=True)
def test_of_several_people_at_once_one_adds_it() -> None:
    run = make_passed()

    def arrive(_: int) -> bool:
        try:
            add(Run.objects.get(pk=run.pk))
        except failing.AlreadyThere:
            return False
        else:
            return True
        finally:
            connection.close()

    make_user("ada")
    with ThreadPoolExecutor(6) as pool:
        assert sorted(pool.map(arrive, range(6))) == [False] * 5 + [True]
    assert run.failures.count() == 1
    assert run.cases.count() == 1


@pytest.mark.django_db
def test_steps_are_numbered_from_nought() -> None:
    run = make_run(make_project(), make_transcript(make_step(0), outcome=Outcome.UNKNOWN))
    assert add(run, exposed_by=0).exposed_by == 0


@pytest.mark.django_db
def test_what_a_program_sends_passes_the_policy_of_the_project() -> None:
    run = make_run(make_project())
    rule = {"name": "mail", "action": "redact", "detector": "emails"}
    withholding.set_policy(project=run.project, rules=[rule], note="", by=None, at=AT)
    address = "jo" + "@" + "example.org"
    added = failing.add_failure(
        run=run,
        failure=Failure(key="", statement=f"It wrote to {address}."),
        by=make_user("ada"),
        origin=Origin.API,
        at=AT,
    )
    assert added.statement == "It wrote to [EMAIL-1]."

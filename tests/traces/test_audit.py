from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256

import pgtrigger
import pytest
from django.db import connection, transaction
from django.db.models import F

from tests.factories import AT, make_project, make_user
from traces import audit
from traces.models import AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@transaction.atomic
def write(number: int, *, at: datetime = AT) -> AuditEntry:
    return audit.record(action="tried", subject=f"thing:{number}", at=at, data={"n": number})


@pytest.fixture
def entries() -> list[AuditEntry]:
    return [write(number) for number in range(1, 6)]


@pytest.mark.django_db(transaction=True)
def test_an_entry_outside_a_transaction_is_refused() -> None:
    with pytest.raises(RuntimeError, match="belongs in the transaction of the change"):
        audit.record(action="tried", subject="thing:1", at=AT)
    assert not AuditEntry.objects.exists()


def test_a_change_that_is_rolled_back_leaves_no_entry(entries: list[AuditEntry]) -> None:
    with transaction.atomic():
        write(6)
        transaction.set_rollback(True)
    assert list(AuditEntry.objects.order_by("number")) == entries
    assert list(audit.faults()) == []


def test_the_first_entry_by_hand() -> None:
    project, ada = make_project(), make_user("ada")
    entry = audit.record(
        action="claim.signed", subject="case:1", at=AT, project=project, actor=ada, data={"é": 1}
    )
    content = (
        f'{{"action":"claim.signed","actor":{ada.pk},"at":"2026-11-20T09:00:00+00:00",'
        f'"data":{{"é":1}},"number":1,"previous":"{"0" * 64}","project":{project.pk},'
        f'"subject":"case:1"}}'
    )
    assert entry.sha256 == sha256(content.encode()).hexdigest()


def test_each_entry_follows_the_one_before(entries: list[AuditEntry]) -> None:
    assert [entry.number for entry in entries] == [1, 2, 3, 4, 5]
    assert [entry.previous for entry in entries[1:]] == [entry.sha256 for entry in entries[:-1]]
    assert list(audit.faults()) == []


def test_a_time_of_another_zone_is_the_same_moment() -> None:
    """The database gives times back in UTC; the hash must not depend on how they were given."""
    write(1, at=datetime(2026, 11, 20, 11, 30, 0, 250, tzinfo=timezone(timedelta(hours=2.5))))
    assert AuditEntry.objects.get().at == datetime(2026, 11, 20, 9, 0, 0, 250, tzinfo=UTC)
    assert list(audit.faults()) == []


@pytest.mark.parametrize(
    "change",
    [
        {"action": "other"},
        {"subject": "thing:9"},
        {"at": AT + timedelta(microseconds=1)},
        {"data": {"n": 4}},
        {"sha256": "0" * 64},
    ],
)
def test_a_changed_entry_shows(entries: list[AuditEntry], change: dict[str, object]) -> None:
    with pgtrigger.ignore():
        AuditEntry.objects.filter(number=3).update(**change)
    assert "Entry 3 was changed after it was written." in list(audit.faults())


def test_an_entry_changed_with_its_hash_shows_in_the_next(entries: list[AuditEntry]) -> None:
    changed = entries[2]
    changed.data = {"n": 4}
    changed.sha256 = audit.digest(changed)
    with pgtrigger.ignore():
        changed.save()
    assert list(audit.faults()) == ["Entry 4 does not follow the entry before it."]


@pytest.mark.parametrize(
    ("removed", "found"),
    [
        ([1], ["Entries 1 to 1 are missing.", "Entry 2 does not follow the entry before it."]),
        ([2, 3], ["Entries 2 to 3 are missing.", "Entry 4 does not follow the entry before it."]),
    ],
)
def test_a_removed_entry_shows(
    entries: list[AuditEntry], removed: list[int], found: list[str]
) -> None:
    with pgtrigger.ignore():
        AuditEntry.objects.filter(number__in=removed).delete()
    assert list(audit.faults()) == found


def test_an_inserted_entry_shows(entries: list[AuditEntry]) -> None:
    with pgtrigger.ignore():
        for number in (5, 4, 3):
            AuditEntry.objects.filter(number=number).update(number=F("number") + 1)
        inserted = AuditEntry(
            number=3, action="tried", subject="thing:2.5", at=AT, previous=entries[1].sha256
        )
        inserted.sha256 = audit.digest(inserted)
        inserted.save(force_insert=True)
    assert list(audit.faults()) == [
        "Entry 4 does not follow the entry before it.",
        "Entry 4 was changed after it was written.",
        "Entry 5 was changed after it was written.",
        "Entry 6 was changed after it was written.",
    ]


@pytest.mark.django_db(transaction=True)
def test_two_writers_at_once_keep_the_chain_whole() -> None:
    def write_many(first: int) -> None:
        try:
            for number in range(first, first + 40):
                write(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(write_many, (100, 200)))
    numbers = AuditEntry.objects.order_by("number").values_list("number", flat=True)
    assert list(numbers) == list(range(1, 81))
    assert list(audit.faults()) == []


def test_entries_recorded_together_are_chained_at_the_end(entries: list[AuditEntry]) -> None:
    with transaction.atomic(), audit.together():
        held_back = [write(6), write(7)]
        assert AuditEntry.objects.count() == len(entries)
    assert [entry.number for entry in held_back] == [6, 7]
    assert list(AuditEntry.objects.order_by("number")) == entries + held_back
    assert list(audit.faults()) == []


def test_an_error_discards_what_was_recorded_together(entries: list[AuditEntry]) -> None:
    @transaction.atomic
    @audit.together()
    def fail() -> None:
        write(6)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert write(7).number == 6

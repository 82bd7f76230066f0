from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pgtrigger
import pytest
from django.conf import LazySettings
from django.db import DatabaseError, transaction

from config.celery import app
from reviews import checkpoints, tasks
from reviews.postmortems import keys, signing, verify
from tests.factories import AT
from tests.reviews.commands.test_verify_audit import run
from tests.reviews.scenes import make_scene, sign
from traces import audit
from traces.models import AuditCheckpoint, AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@transaction.atomic
def write(number: int) -> AuditEntry:
    return audit.record(action="tried", subject=f"thing:{number}", at=AT)


def cut(after: int) -> None:
    with pgtrigger.ignore():
        AuditEntry.objects.filter(number__gt=after).delete()


def faults(*words: str) -> list[str]:
    code, told = run("--json", *words)
    found = list(json.loads(told)["faults"])
    assert code == bool(found)
    return found


@pytest.fixture
def five() -> list[AuditEntry]:
    return [write(number) for number in range(1, 6)]


def test_a_cut_tail_is_a_fault(five: list[AuditEntry]) -> None:
    checkpoints.make(at=AT)
    cut(3)
    assert faults() == [
        "The chain has 3 entries, but the checkpoint of 2026-11-20T09:00:00+00:00 counts 5:"
        " its end was cut off."
    ]
    assert checkpoints.make(at=AT) is None


def test_a_tail_that_was_cut_and_grew_again_is_a_fault(five: list[AuditEntry]) -> None:
    checkpoints.make(at=AT)
    cut(3)
    for number in range(6, 10):
        write(number)
    found = [
        "Entry 5 is not the one that the checkpoint of 2026-11-20T09:00:00+00:00 names:"
        " the chain was written anew."
    ]
    assert faults() == found
    # A later checkpoint over the new tail does not heal it.
    assert checkpoints.make(at=AT + timedelta(hours=1))
    assert faults() == found


def test_a_copy_kept_elsewhere_shows_what_the_database_does_not(
    five: list[AuditEntry], tmp_path: Path
) -> None:
    file = tmp_path / "checkpoint.json"
    assert run("--checkpoint", "--out", str(file)) == (0, "5 entries checked. The chain holds.\n")
    assert faults("--against", str(file)) == []
    cut(3)
    with pgtrigger.ignore():
        AuditCheckpoint.objects.all().delete()
    assert faults() == []
    (found,) = faults("--against", str(file))
    assert found.startswith("The chain has 3 entries, but the checkpoint of ")


def test_a_changed_copy_is_not_believed(five: list[AuditEntry], tmp_path: Path) -> None:
    file = tmp_path / "checkpoint.json"
    run("--checkpoint", "--out", str(file))
    envelope = json.loads(file.read_text())
    signature = envelope["signatures"][0]
    signature["sig"] = ("B" if signature["sig"][0] == "A" else "A") + signature["sig"][1:]
    file.write_text(json.dumps(envelope, separators=(",", ":"), sort_keys=True))
    (found,) = faults("--against", str(file))
    assert found.startswith(f"{file} is no checkpoint to check against.")


def test_a_postmortem_is_no_checkpoint() -> None:
    signer = keys.installation_signer()
    statement = signing.statement_about(subjects=[("run", "0" * 64)], predicate={})
    with pytest.raises(verify.Fault, match="not a checkpoint"):
        checkpoints.read(
            signing.sign(statement, signer=signer), public_pem=signing.public_pem(signer)
        )


@pytest.mark.parametrize("change", [{"entries": 4}, {"head": "0" * 64}, {"envelope": "{}"}])
def test_a_changed_checkpoint_is_a_fault(five: list[AuditEntry], change: dict[str, object]) -> None:
    checkpoints.make(at=AT)
    with pytest.raises(DatabaseError), transaction.atomic():
        AuditCheckpoint.objects.update(**change)
    with pgtrigger.ignore():
        AuditCheckpoint.objects.update(**change)
    assert faults()[0].startswith("The newest checkpoint ")


def test_no_checkpoint_is_made_of_a_chain_that_does_not_hold(five: list[AuditEntry]) -> None:
    with pgtrigger.ignore():
        AuditEntry.objects.filter(number=2).delete()
    code, _ = run("--checkpoint")
    assert code == 1
    assert not AuditCheckpoint.objects.exists()


def test_the_task_makes_one_whenever_the_chain_has_grown() -> None:
    tasks.checkpoint()
    assert not AuditCheckpoint.objects.exists()
    sign(make_scene(), "ada")
    tasks.checkpoint()
    tasks.checkpoint()
    last = AuditEntry.objects.latest("number")
    made = AuditCheckpoint.objects.get()
    assert (made.entries, made.head) == (last.number, last.sha256)
    write(1)
    tasks.checkpoint()
    assert AuditCheckpoint.objects.count() == 2
    assert faults() == []
    assert tasks.checkpoint.name in {row["task"] for row in app.conf.beat_schedule.values()}


def test_a_new_key_signs_anew_and_old_files_need_the_old_one(
    five: list[AuditEntry], tmp_path: Path, settings: LazySettings
) -> None:
    file, old, new = (tmp_path / name for name in ("checkpoint.json", "old.pem", "new.pem"))
    run("--checkpoint", "--out", str(file))
    old.write_bytes(signing.public_pem(keys.installation_signer()))
    new.write_text(signing.generate_key())
    settings.SIGNING_KEY_FILE = str(new)
    (found,) = faults()
    assert "It was signed with the key" in found
    tasks.checkpoint()
    assert faults() == []
    assert len(faults("--against", str(file))) == 1
    assert faults("--against", str(file), "--key", str(old)) == []


def test_the_checkpoint_is_printed_where_no_file_is_named(five: list[AuditEntry]) -> None:
    code, told = run("--checkpoint")
    assert code == 0
    assert told.splitlines()[1] == AuditCheckpoint.objects.get().envelope
    _, told = run("--checkpoint", "--json")
    assert json.loads(told)["checkpoint"] == json.loads(AuditCheckpoint.objects.get().envelope)

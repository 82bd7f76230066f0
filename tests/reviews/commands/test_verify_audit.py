from __future__ import annotations

import json
from io import StringIO

import pgtrigger
import pytest
from django.core.management import call_command

from tests.reviews.scenes import make_scene, sign
from traces.models import AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def run(*words: str) -> tuple[int, str]:
    out, code = StringIO(), 0
    try:
        call_command("verify_audit", *words, stdout=out)
    except SystemExit as ended:
        code = int(ended.code or 0)
    return code, out.getvalue()


def test_a_changed_entry_is_found() -> None:
    sign(make_scene(), "ada")
    with pgtrigger.ignore():
        entry = AuditEntry.objects.get(action="claim.signed")
        AuditEntry.objects.filter(pk=entry.pk).update(data={"claim": 0})
    code, told = run("--json")
    assert code == 1
    fault = f"Entry {entry.number} was changed after it was written."
    document = json.loads(told)
    assert document == {"valid": False, "entries": AuditEntry.objects.count(), "faults": [fault]}
    code, told = run()
    assert code == 1
    assert fault in told
    assert "The chain does not hold: 1 fault." in told


def test_a_removed_entry_is_found() -> None:
    sign(make_scene(), "ada")
    with pgtrigger.ignore():
        AuditEntry.objects.filter(number=2).delete()
    code, told = run()
    assert code == 1
    assert "Entries 2 to 2 are missing." in told


def test_a_whole_chain_holds() -> None:
    sign(make_scene(), "ada")
    count = AuditEntry.objects.count()
    assert run() == (0, f"{count} entries checked. The chain holds.\n")
    code, told = run("--json")
    assert (code, json.loads(told)) == (0, {"valid": True, "entries": count, "faults": []})

from __future__ import annotations

import json
from io import StringIO

import pgtrigger
import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from reviews.models import Claim, Evidence, Postmortem, Verdict
from tests.factories import AT
from tests.reviews.scenes import make_scene, settle, sign
from traces import audit
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
        AuditEntry.objects.filter(pk=entry.pk).update(data=entry.data | {"status": "settled"})
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


def faults() -> list[str]:
    return list(json.loads(run("--json")[1])["faults"])


@pytest.mark.parametrize(
    "change",
    [{"confidence": "low"}, {"note": "Not what was said."}, {"tags": ["x"]}, {"reviewer": "ben"}],
)
def test_a_claim_changed_behind_the_triggers_is_found(change: dict[str, object]) -> None:
    claim = sign(make_scene(), "ada")
    if "reviewer" in change:
        change = {"reviewer": User.objects.get(username=change["reviewer"])}
    with pgtrigger.ignore():
        Claim.objects.filter(pk=claim.pk).update(**change)
    assert faults() == [f"Claim {claim.pk} was changed after it was signed."]


def test_a_quote_changed_or_added_behind_the_triggers_is_found() -> None:
    claim = sign(make_scene(), "ada")
    quote = claim.evidence.get()
    with pgtrigger.ignore():
        Evidence.objects.filter(pk=quote.pk).update(text="Use POST /v2/invoices.")
    assert faults() == [f"Claim {claim.pk} was changed after it was signed."]
    with pgtrigger.ignore():
        Evidence.objects.filter(pk=quote.pk).update(text=quote.text)
    assert faults() == []
    claim.carriers.create(step=3)
    assert faults() == [f"Claim {claim.pk} was changed after it was signed."]


def test_a_claim_that_is_gone_and_one_nobody_signed_are_found() -> None:
    claim = sign(make_scene(), "ada")
    gone = claim.pk
    with pgtrigger.ignore():
        claim.evidence.all().delete()
        claim.carriers.all().delete()
        claim.delete()
    claim.pk = None
    claim.save(force_insert=True)
    assert faults() == [
        f"Claim {gone} was removed after it was signed.",
        f"Claim {claim.pk} has no audit entry: nobody signed it here.",
    ]


def test_a_verdict_and_a_postmortem_changed_behind_the_triggers_are_found() -> None:
    case = make_scene()
    verdict = settle(case, sign(case, "ada"))
    with pgtrigger.ignore():
        Verdict.objects.filter(pk=verdict.pk).update(reason="Because.")
        Postmortem.objects.filter(verdict=verdict).update(envelope="{}")
    assert faults() == [
        f"Verdict {verdict.pk} was changed after it was signed.",
        f"The postmortem of verdict {verdict.pk} was changed after it was signed.",
    ]


def test_an_entry_of_the_first_releases_has_no_hash_to_compare() -> None:
    case = make_scene()
    claim = sign(case, "ada")
    settle(case, claim)
    with pgtrigger.ignore():
        AuditEntry.objects.all().delete()
    for action, data in (("claim", claim.pk), ("verdict", case.verdicts.get().pk)):
        audit.record(action=f"{action}.signed", subject="case", at=AT, data={action: data})
    assert faults() == []


def test_a_whole_chain_holds() -> None:
    case = make_scene()
    settle(case, sign(case, "ada"))
    count = AuditEntry.objects.count()
    assert run() == (0, f"{count} entries checked. The chain holds.\n")
    code, told = run("--json")
    assert (code, json.loads(told)) == (0, {"valid": True, "entries": count, "faults": []})

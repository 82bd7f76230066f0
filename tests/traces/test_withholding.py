"""The policy at the door: who may not first, then what is stored, told and revealed."""

from __future__ import annotations

import gzip
import hashlib
import json
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction

from tests.factories import AT, make_project
from tests.traces.redaction.searching import CARD, EMAIL, TOKEN
from traces import ingest, redaction, sealing, withholding
from traces.models import (
    AuditEntry,
    Membership,
    Project,
    ProjectKey,
    RawDocument,
    Receipt,
    Redaction,
    RedactionPolicy,
    Withheld,
)

pytestmark = pytest.mark.django_db

MAIL = {"name": "mail", "action": "redact", "detector": "emails"}
KEYS = {"name": "keys", "action": "encrypt", "detector": "api_keys"}
CARDS = {"name": "cards", "action": "restrict", "detector": "cards", "role": "reviewer"}


@pytest.fixture
def project() -> Project:
    return make_project()


def member(name: str) -> Membership:
    return Membership.objects.get(user__username=name)


def put(project: Project, *rules: dict[str, Any]) -> RedactionPolicy:
    return withholding.set_policy(project=project, rules=list(rules), note="", by=None, at=AT)


def store(project: Project, value: object) -> RawDocument:
    content = value if isinstance(value, bytes) else json.dumps(value).encode()
    stored = withholding.at_the_door(project=project, content=content, at=AT)
    return RawDocument.objects.get(pk=stored.document.pk)


def receive(project: Project, content: bytes, filename: str = "a.json") -> Receipt:
    return ingest.receive(
        project=project,
        content=content,
        filename=filename,
        via=Receipt.Via.COMMAND,
        by=None,
        at=AT,
    )


def withheld(project: Project, rule: dict[str, Any], value: str) -> Withheld:
    put(project, rule)
    store(project, {"a": value})
    return Withheld.objects.get()


@pytest.mark.parametrize(
    ("rule", "value", "who"),
    [
        (MAIL, EMAIL, "lena"),
        (KEYS, TOKEN, "vera"),
        (KEYS, TOKEN, "ada"),
        (CARDS, CARD, "vera"),
    ],
)
def test_who_may_not_reveals_nothing(
    project: Project, rule: dict[str, Any], value: str, who: str
) -> None:
    row = withheld(project, rule, value)
    with pytest.raises(PermissionDenied):
        withholding.reveal(withheld=row, by=member(who), at=AT)
    assert not AuditEntry.objects.filter(action="withheld.revealed").exists()


def test_a_lead_of_another_project_reveals_nothing(project: Project) -> None:
    row = withheld(project, KEYS, TOKEN)
    lead = Membership.objects.get(project=make_project("other"), user__username="lena")
    with pytest.raises(PermissionDenied):
        withholding.reveal(withheld=row, by=lead, at=AT)


def test_a_bad_policy_changes_nothing(project: Project) -> None:
    with pytest.raises(redaction.BadPolicy):
        put(project, {**MAIL, "detector": "iris"})
    assert withholding.policy_in_force(project) is None
    assert not AuditEntry.objects.exists()


def test_what_cannot_be_searched_is_not_stored(project: Project) -> None:
    put(project, MAIL)
    receipt = receive(project, gzip.compress(b'{"a": 1}')[:-9])
    assert receipt.status == Receipt.Status.REFUSED
    assert receipt.reason.startswith("The gzip data was cut after")
    assert receipt.document is None
    assert not RawDocument.objects.exists()


def test_with_a_lost_key_nothing_is_stored_and_a_sentence_says_so(
    project: Project, settings: Any
) -> None:
    row = withheld(project, KEYS, TOKEN)
    settings.SECRET_KEY = "another" * 8
    receipt = receive(project, json.dumps({"b": TOKEN}).encode(), filename=f"{TOKEN}.json")
    assert receipt.status == Receipt.Status.REFUSED
    assert receipt.filename == "*.json"
    assert "INQUEST_SECRET_KEY" in receipt.reason
    assert RawDocument.objects.count() == 1
    with pytest.raises(sealing.KeyLost, match="INQUEST_SECRET_KEY"):
        withholding.reveal(withheld=row, by=member("lena"), at=AT)


def test_an_old_secret_key_still_opens(project: Project, settings: Any) -> None:
    row = withheld(project, KEYS, TOKEN)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another" * 8
    assert withholding.reveal(withheld=row, by=member("lena"), at=AT) == TOKEN


def test_the_database_keeps_no_redacted_value(project: Project) -> None:
    row = withheld(project, MAIL, EMAIL)
    with pytest.raises(IntegrityError), transaction.atomic():
        Withheld.objects.create(
            project=project,
            type="EMAIL",
            number=9,
            keyed_hash="0",
            length=1,
            action="redact",
            sealed=b"x",
            made_at=AT,
        )
    assert row.sealed is None


@pytest.mark.parametrize(
    ("rule", "value", "who"),
    [(KEYS, TOKEN, "lena"), (CARDS, CARD, "ada"), (CARDS, CARD, "lena")],
)
def test_who_may_reveals_and_it_is_recorded(
    project: Project, rule: dict[str, Any], value: str, who: str
) -> None:
    row = withheld(project, rule, value)
    assert withholding.reveal(withheld=row, by=member(who), at=AT) == value
    entry = AuditEntry.objects.get(action="withheld.revealed")
    assert (entry.actor, entry.subject) == (member(who).user, f"withheld:{row.pk}")
    assert value not in json.dumps(entry.data)
    assert value.encode() not in bytes(row.sealed or b"")


def test_without_a_policy_bytes_are_stored_as_sent(project: Project) -> None:
    document = store(project, {"a": EMAIL})
    assert bytes(document.content) == json.dumps({"a": EMAIL}).encode()
    assert (document.policy, document.original_sha256) == (None, "")
    put(project)
    assert store(project, {"b": EMAIL}).original_sha256 == ""
    assert not ProjectKey.objects.exists()


def test_a_document_is_stored_with_placeholders_and_a_receipt(project: Project) -> None:
    policy = put(project, MAIL, KEYS)
    content = json.dumps({"steps": [{"a": EMAIL}, {"a": EMAIL}, {"b": TOKEN}]}).encode()
    document = store(project, content)
    stored = json.dumps({"steps": [{"a": "[EMAIL-1]"}, {"a": "[EMAIL-1]"}, {"b": "[TOKEN-1]"}]})
    assert bytes(document.content) == stored.encode()
    assert document.sha256 == hashlib.sha256(stored.encode()).hexdigest()
    assert document.size == len(stored)
    assert document.original_sha256 == hashlib.sha256(content).hexdigest()
    assert (document.original_size, document.policy) == (len(content), policy)
    receipt = Redaction.objects.get(document=document)
    hashes = dict(Withheld.objects.values_list("type", "keyed_hash"))
    assert receipt.count == 3
    assert receipt.entries == [
        {
            "rule": "mail",
            "type": "EMAIL",
            "action": "redact",
            "field": "steps/*/a",
            "count": 2,
            "values": [
                {
                    "placeholder": "[EMAIL-1]",
                    "length": len(EMAIL),
                    "keyed_hash": hashes["EMAIL"],
                    "count": 2,
                }
            ],
        },
        {
            "rule": "keys",
            "type": "TOKEN",
            "action": "encrypt",
            "field": "steps/*/b",
            "count": 1,
            "values": [
                {
                    "placeholder": "[TOKEN-1]",
                    "length": len(TOKEN),
                    "keyed_hash": hashes["TOKEN"],
                    "count": 1,
                }
            ],
        },
    ]
    entry = AuditEntry.objects.get(action="document.redacted")
    assert entry.data == {
        "policy": 1,
        "count": 3,
        "sha256": document.sha256,
        "original_sha256": document.original_sha256,
    }


def test_a_receipt_tells_no_secret_by_its_paths(project: Project) -> None:
    put(project, MAIL, {"name": "f", "action": "redact", "fields": ["**/x"]})
    store(project, {EMAIL: {"x": "value\0"}, "nul\0": {"x": 1}})
    told = json.dumps(Redaction.objects.get().entries)
    assert EMAIL not in told
    assert [entry["field"] for entry in json.loads(told)] == ["*", "*/x", "nul\u2400/x"]


def test_a_receipt_is_bounded(project: Project) -> None:
    put(project, MAIL)
    store(project, {f"k{key}": [f"a{key}.{n}{EMAIL}" for n in range(60)] for key in range(220)})
    receipt = Redaction.objects.get()
    assert receipt.count == 220 * 60
    assert len(receipt.entries) == 201
    assert {len(entry["values"]) for entry in receipt.entries} == {50}


def test_a_value_has_one_number_in_its_project(project: Project) -> None:
    put(project, MAIL)
    other = make_project("other")
    put(other, MAIL)
    store(project, {"a": "x" + EMAIL})
    first = store(project, {"a": EMAIL, "b": "x" + EMAIL})
    elsewhere = store(other, {"a": EMAIL})
    assert json.loads(first.content) == {"a": "[EMAIL-2]", "b": "[EMAIL-1]"}
    assert json.loads(elsewhere.content) == {"a": "[EMAIL-1]"}
    hashes = Withheld.objects.filter(length=len(EMAIL)).values_list("keyed_hash", flat=True)
    assert len(set(hashes)) == 2


def test_the_same_bytes_are_one_document_whatever_the_policy(project: Project) -> None:
    content = {"a": EMAIL, "b": TOKEN}
    put(project, MAIL)
    first = store(project, content)
    put(project, MAIL, KEYS)
    assert store(project, content) == first
    assert store(project, bytes(first.content)) == first


def test_placeholders_of_the_project_stay_and_others_say_so(project: Project) -> None:
    put(project, MAIL)
    store(project, {"a": EMAIL})
    document = store(project, {"a": "[EMAIL-1] [EMAIL-2]", "b": "y" + EMAIL})
    assert json.loads(document.content) == {
        "a": "[EMAIL-1] [EMAIL-2 as sent]",
        "b": "[EMAIL-2]",
    }


def test_a_file_name_and_a_refusal_pass_the_detectors(project: Project) -> None:
    put(project, MAIL)
    receipt = receive(project, b"[]", filename=f"{EMAIL}")
    assert receipt.filename == "[EMAIL-1]"


@pytest.mark.parametrize("values", [1, 300])
def test_numbers_cost_the_same_few_queries(
    project: Project, values: int, django_assert_num_queries: Any
) -> None:
    put(project, MAIL)
    store(project, {"first": EMAIL})
    with django_assert_num_queries(19):
        store(project, [f"n{number}{EMAIL}" for number in range(values)])


def test_a_dry_run_says_what_is_new_and_writes_nothing(project: Project) -> None:
    put(project, MAIL)
    store(project, {"a": EMAIL, "b": [TOKEN, TOKEN]})
    RawDocument.objects.create(
        project=project, sha256="1" * 64, content=b"\x89PNG\xff", size=5, received_at=AT
    )
    before = AuditEntry.objects.count(), Withheld.objects.count()
    findings = list(
        withholding.dry_run(
            project=project,
            rules=[MAIL, KEYS],
            documents=RawDocument.objects.order_by("pk").defer("content"),
        )
    )
    assert [finding.count for finding in findings] == [2, 0]
    assert findings[0].entries == (
        {"rule": "keys", "type": "TOKEN", "action": "encrypt", "field": "b/*", "count": 2},
    )
    assert findings[1].refused.startswith("This is no text.")
    assert (AuditEntry.objects.count(), Withheld.objects.count()) == before


def test_a_stored_document_is_copied_without_what_is_withheld_since(project: Project) -> None:
    document = store(project, {"a": EMAIL})
    policy = put(project, MAIL)
    copy = withholding.redacted_copy(document=document, row=policy, at=AT + timedelta(days=1))
    copy.refresh_from_db()
    assert json.loads(copy.content) == {"a": "[EMAIL-1]"}
    assert (copy.original_sha256, copy.original_size) == (document.sha256, document.size)
    assert Redaction.objects.get(document=copy).count == 1
    assert withholding.redacted_copy(document=copy, row=policy, at=AT) == copy
    assert store(project, {"a": EMAIL}) == copy


def test_versions_count_up_and_are_recorded(project: Project) -> None:
    put(project, MAIL)
    second = put(project)
    assert withholding.policy_in_force(project) == second
    entries = AuditEntry.objects.filter(action="redaction.policy_set").order_by("number")
    assert [entry.data["version"] for entry in entries] == [1, 2]
    assert entries[0].data["rules"] == [MAIL]


@pytest.mark.parametrize(
    ("value", "length"),
    [
        (True, 0),
        (False, 0),
        (7, 0),
        (-1.5, 0),
        (12345, 0),
        (123456, 6),
        ("yes", 3),
        ("long pass", 9),
    ],
)
def test_a_length_that_would_say_which_value_it_was_is_not_told(
    project: Project, value: object, length: int
) -> None:
    put(project, {"name": "f", "action": "redact", "fields": ["**/flag"]})
    document = store(project, {"flag": value})
    (entry,) = Redaction.objects.get(document=document).entries
    assert [each["length"] for each in entry["values"]] == [length]
    assert [row.length for row in Withheld.objects.filter(project=project)] == [length]

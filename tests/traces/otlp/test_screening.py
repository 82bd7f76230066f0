"""The project's policy at the OTLP door: a secret in a span reaches no table."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.factories import AT
from tests.traces.otlp.spans import JSON, TRACE, json_of, make_key, post, request_of, span
from tests.traces.otlp.test_assembling import QUIET
from tests.traces.redaction.searching import TOKEN
from traces import sealing, withholding
from traces.models import (
    AuditEntry,
    OpenTrace,
    Part,
    Project,
    ProjectKey,
    RawDocument,
    RawSpan,
    Receipt,
    SpanOrigin,
    Withheld,
)
from traces.otlp import assembling, plain_json, protobuf, storing

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.database,
    pytest.mark.usefixtures("_plain_reader"),
]
KEYS = {"name": "keys", "action": "redact", "detector": "api_keys"}


def put(project: Project, *rules: dict[str, Any]) -> None:
    withholding.set_policy(project=project, rules=list(rules), note="", by=None, at=AT)


def tables_with(secret: str) -> list[str]:
    """Tables of which any row has this text in any column, also as bytes."""
    spelled = (secret, secret.encode().hex())
    found = []
    for model in apps.get_models():
        table = model._meta.db_table
        with connection.cursor() as cursor:
            for text in spelled:
                cursor.execute(
                    f'SELECT count(*) FROM "{table}" AS each WHERE each::text LIKE %s',
                    [f"%{text}%"],
                )
                if cursor.fetchone() != (0,):
                    found.append(table)
    return found


def test_without_a_policy_a_secret_is_found_where_it_lies() -> None:
    """The search of the next tests can fail."""
    _, text = make_key()
    post(text, request_of(text=f"key {TOKEN}").SerializeToString())
    assert tables_with(TOKEN) == ["traces_rawspan"]


@pytest.mark.parametrize("form", ["protobuf", "json"])
def test_a_secret_in_a_span_reaches_no_table(form: str) -> None:
    project, text = make_key()
    put(project, KEYS)
    if form == "protobuf":
        request = request_of("root", "chat", text=f"my key is {TOKEN}")
        request.resource_spans[0].resource.attributes[0].value.string_value = f"of {TOKEN}"
        answer = post(text, gzip.compress(request.SerializeToString()))
    else:
        attribute = {"key": TOKEN, "value": {"stringValue": f"say {TOKEN}"}}
        answer = post(text, gzip.compress(json_of(span(attributes=[attribute]))), JSON)
    assert answer.status_code == 200
    assert tables_with(TOKEN) == []
    assembling.assemble(at=timezone.now() + QUIET)
    if form == "protobuf":
        assert Part.objects.filter(text__contains="my key is [TOKEN-1]").exists()
        assert b"of [TOKEN-1]" in bytes(SpanOrigin.objects.get().content)
    assert tables_with(TOKEN) == []


def test_what_was_withheld_is_told_on_the_receipt_and_in_the_chain() -> None:
    project, text = make_key()
    put(project, KEYS)
    post(text, request_of("root", "chat", text=f"my key is {TOKEN}").SerializeToString())
    receipt = Receipt.objects.get()
    assert receipt.notes == ["Withheld by version 1 of the policy: 2 values."]
    assert sum(entry["count"] for entry in receipt.withheld) == 2
    assert Withheld.objects.get().placeholder == "[TOKEN-1]"
    entry = AuditEntry.objects.get(action="spans.redacted")
    assert entry.subject == f"receipt:{receipt.pk}"
    assert entry.data == {"policy": 1, "count": 2}


def test_what_is_not_withheld_stays_byte_for_byte() -> None:
    project, text = make_key()
    request = request_of("root", "chat", text='"quoted" \u2028 text {"a": 1}').SerializeToString()
    post(text, request)
    put(project, KEYS)
    post(text, request)
    contents = [bytes(each.content) for each in RawSpan.objects.order_by("pk")]
    assert contents[:2] == contents[2:]
    assert SpanOrigin.objects.count() == 1
    assert Receipt.objects.latest("pk").notes == []


def test_a_policy_that_comes_while_spans_wait_holds_for_their_document() -> None:
    project, text = make_key()
    post(text, request_of(text=f"my key is {TOKEN}").SerializeToString())
    put(project, KEYS)
    assembling.assemble(at=timezone.now() + QUIET)
    assert tables_with(TOKEN) == []
    assert b"[TOKEN-1]" in bytes(RawDocument.objects.get().content)
    assert json.loads(bytes(RawDocument.objects.get().content))
    assert bytes(OpenTrace.objects.get().trace_id) == TRACE


def test_a_key_that_does_not_open_keeps_spans_out(settings: Any) -> None:
    project, text = make_key()
    put(project, KEYS)
    post(text, request_of(text=f"my key is {TOKEN}").SerializeToString())
    before = RawSpan.objects.count()
    settings.SECRET_KEY = "another key of the site, of some length"
    answer = post(text, request_of(text=f"and {TOKEN}").SerializeToString())
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert RawSpan.objects.count() == before
    assert sealing.LOST.encode()[:40] in answer.content
    assert ProjectKey.objects.count() == 1


def test_who_withholds_nothing_waits_for_no_writer(project: Project) -> None:
    """Somebody writes runs of the project for long: others go on storing spans."""
    put(project, KEYS)
    batch = protobuf.batch_of(request_of("root"), "span")
    with CaptureQueriesContext(connection) as statements:
        storing.store(project=project, batch=batch, at=AT)
    locks = [each for each in statements if "NO KEY UPDATE" in each["sql"]]
    assert (locks, RawSpan.objects.count()) == ([], 1)


def test_a_span_id_that_is_withheld_stands_in_no_column(project: Project) -> None:
    put(project, {"name": "cards", "action": "redact", "detector": "cards"})
    number = "4111111111111111"
    batch = plain_json.batch_of(json_of(span(spanId=number)), "span")
    storing.store(project=project, batch=batch, at=AT)
    assert RawSpan.objects.count() == 1
    assert tables_with(number) == []
    assert bytes(RawSpan.objects.get().span_id) == b""

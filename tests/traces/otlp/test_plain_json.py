"""OTLP JSON as exporters write it: each fault costs at most its own span."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tests.traces.otlp.spans import BEGUN, CHILD, TRACE, json_of, request_of, span
from traces.otlp import plain_json, protobuf
from traces.otlp.batches import LOG, SPAN, Batch
from traces.otlp.spelling import any_value

# Base64 of the ids in `tests.traces.otlp.spans`, by hand.
TRACE_64, CHILD_64 = "AAECAwQFBgcICQoLDA0ODw==", "CAkKCwwNDg8="


def read(body: bytes, signal: str = SPAN) -> Batch:
    return plain_json.batch_of(body, signal)


def only(body: bytes) -> dict[str, Any]:
    batch = read(body)
    assert not batch.refusals
    (item,) = batch.items
    found: dict[str, Any] = json.loads(item.content)
    return found


@pytest.mark.parametrize(
    "body", [b"", b"null", b"[]", b"1", b"{", b'{"a": }', b"[" * 5000, b'{"resourceLogs": []}']
)
def test_what_is_no_request_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w+"):
        read(body)


@pytest.mark.parametrize("wrong", [7, "text", None, [1]])
def test_a_span_that_is_no_object_costs_no_other(wrong: object) -> None:
    batch = read(json_of(wrong, span()))
    assert len(batch.items) == 1
    assert [each.reason for each in batch.refusals] == ["It is no JSON object."]


def test_a_span_nested_too_deep_costs_no_other() -> None:
    value: object = 1
    for _ in range(200):
        value = [value]
    batch = read(json_of(span(deep=value), span()))
    assert len(batch.items) == 1
    assert "150 levels" in batch.refusals[0].reason


@pytest.mark.parametrize("wrong", ["", "0" * 16, "abc", "zz" * 8, 5, None])
def test_a_wrong_span_id_refuses_its_span(wrong: object) -> None:
    batch = read(json_of(span(), span(spanId=wrong)))
    assert (len(batch.items), len(batch.refusals)) == (1, 1)
    assert batch.refusals[0].reason.startswith("The span id")


@pytest.mark.parametrize(
    ("trace_id", "span_id"),
    [
        (TRACE.hex(), CHILD.hex()),
        (TRACE.hex().upper(), CHILD.hex().upper()),
        (f"0x{TRACE.hex()}", f"0X{CHILD.hex()}"),
        (TRACE_64, CHILD_64),
        (f" {TRACE.hex()} ", CHILD_64),
    ],
)
def test_ids_are_known_by_their_length(trace_id: str, span_id: str) -> None:
    body = json_of(span(traceId=trace_id, spanId=span_id, parentSpanId=span_id))
    (item,) = read(body).items
    assert (item.trace_id, item.span_id) == (TRACE, CHILD)
    content = json.loads(item.content)
    assert content["traceId"] == TRACE.hex()
    assert content["spanId"] == content["parentSpanId"] == CHILD.hex()


def test_hex_is_tried_before_base64() -> None:
    """32 hex digits are base64 as well, of other bytes and another length."""
    (item,) = read(json_of(span(traceId="a" * 32, spanId="b" * 16))).items
    assert (item.trace_id, item.span_id) == (b"\xaa" * 16, b"\xbb" * 8)


@pytest.mark.parametrize("parent", ["", "0" * 16, "AAAAAAAAAAA=", None])
def test_an_empty_or_zero_parent_is_a_root(parent: str | None) -> None:
    (item,) = read(json_of(span(parentSpanId=parent))).items
    assert item.ended_root
    assert json.loads(item.content).get("parentSpanId", "") == ""


def test_a_wrong_parent_is_kept_as_it_came() -> None:
    (item,) = read(json_of(span(parentSpanId="of another system"))).items
    assert json.loads(item.content)["parentSpanId"] == "of another system"
    assert not item.ended_root


@pytest.mark.parametrize("end", [0, "0", "", None])
def test_a_root_without_an_end_is_not_ended(end: object) -> None:
    (item,) = read(json_of(span(endTimeUnixNano=end))).items
    assert not item.ended_root


@pytest.mark.parametrize("spelled", [str(BEGUN), BEGUN, f" {BEGUN}"])
def test_integers_of_64_bits_are_exact(spelled: object) -> None:
    """2^53 + 1 and more, which no float holds."""
    value = {"key": "n", "value": {"intValue": spelled}}
    content = only(json_of(span(startTimeUnixNano=spelled, attributes=[value])))
    assert content["startTimeUnixNano"] == str(BEGUN) == "1795971632499813001"
    assert content["attributes"][0]["value"] == {"intValue": str(BEGUN)}


def test_an_integer_with_a_fraction_point_is_exact_too() -> None:
    body = json_of(span()).replace(f'"{BEGUN}"'.encode(), f"{BEGUN}.0".encode())
    assert only(body)["startTimeUnixNano"] == str(BEGUN)


def test_snake_case_and_names_of_enumerations() -> None:
    given = {
        "trace_id": TRACE.hex(),
        "span_id": CHILD.hex(),
        "parent_span_id": "",
        "name": "chat",
        "kind": "SPAN_KIND_CLIENT",
        "start_time_unix_nano": BEGUN,
        "end_time_unix_nano": BEGUN,
        "attributes": [{"key": "a", "value": {"string_value": "b"}}],
        "events": [{"name": "e", "time_unix_nano": 5, "dropped_attributes_count": "2"}],
        "links": [{"trace_id": TRACE_64, "span_id": CHILD_64}],
        "dropped_events_count": 1,
        "status": {"code": "STATUS_CODE_ERROR", "message": "no"},
    }
    scope = {"scope": {"name": "s"}, "spans": [given]}
    body = {"resource_spans": [{"resource": {}, "scope_spans": [scope]}]}
    assert only(json.dumps(body).encode()) == {
        "traceId": TRACE.hex(),
        "spanId": CHILD.hex(),
        "parentSpanId": "",
        "name": "chat",
        "kind": 3,
        "startTimeUnixNano": str(BEGUN),
        "endTimeUnixNano": str(BEGUN),
        "attributes": [{"key": "a", "value": {"stringValue": "b"}}],
        "events": [{"name": "e", "timeUnixNano": "5", "droppedAttributesCount": 2}],
        "links": [{"traceId": TRACE.hex(), "spanId": CHILD.hex()}],
        "droppedEventsCount": 1,
        "status": {"code": 2, "message": "no"},
    }


def test_nulls_are_fields_that_are_not_there() -> None:
    content = only(json_of(span(attributes=None, events=None, status=None, links=None)))
    assert content.keys() == {
        "traceId", "spanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        (b'{"doubleValue": NaN}', {"doubleValue": "NaN"}),
        (b'{"doubleValue": -Infinity}', {"doubleValue": "-Infinity"}),
        (b'{"doubleValue": "NaN"}', {"doubleValue": "NaN"}),
        (b'{"doubleValue": null}', {"doubleValue": None}),
        (b'{"doubleValue": 1e400}', {"doubleValue": "Infinity"}),
        (b'{"doubleValue": 0.1}', {"doubleValue": 0.1}),
        (b'{"stringValue": "a\\ud83d"}', {"stringValue": "a\ud83d"}),
        (b'{"stringValue": "a\\u0000b"}', {"stringValue": "a\x00b"}),
        (b'{"stringValue": "raw\nline"}', {"stringValue": "raw\nline"}),
        (b'{"intValue": 99999999999999999999999}', {"intValue": "99999999999999999999999"}),
        (b"{}", {}),
        (b"null", {}),
        (b'"bare"', {"stringValue": "bare"}),
        (b"[1, true]", {"arrayValue": {"values": [{"intValue": "1"}, {"boolValue": True}]}}),
    ],
)
def test_odd_values_refuse_nothing(written: bytes, kept: dict[str, Any]) -> None:
    body = json_of(span(attributes=[{"key": "odd", "value": "HERE"}]))
    content = only(body.replace(b'"HERE"', written))
    assert content["attributes"] == [{"key": "odd", "value": kept}]


def test_a_mark_at_the_beginning_and_other_encodings_are_read() -> None:
    body = json_of(span(name="é"))
    for encoding in ("utf-8-sig", "utf-16"):
        assert only(body.decode().encode(encoding))["name"] == "é"


def test_bytes_of_no_encoding_are_marked_and_noted() -> None:
    batch = read(json_of(span(name="HERE")).replace(b"HERE", b"caf\xe9"))
    assert json.loads(batch.items[0].content)["name"] == "caf\ufffd"
    assert batch.notes == {plain_json.NOT_TEXT: 1}


def test_a_plain_map_of_attributes_becomes_pairs() -> None:
    content = only(json_of(span(attributes={"a": "b"})))
    assert content["attributes"] == [{"key": "a", "value": {"stringValue": "b"}}]


def test_both_forms_of_a_request_are_stored_alike() -> None:
    whole = protobuf.batch_of(request_of("root", "chat"), SPAN)
    spans = [json.loads(item.content) for item in whole.items]
    (origin,) = whole.origins
    resource = json.loads(origin)
    resource["scopeSpans"][0]["spans"] = spans
    again = read(json.dumps({"resourceSpans": [resource]}).encode())
    assert again.items == whole.items
    assert again.origins == whole.origins


def test_a_log_record_without_a_span_keeps_its_trace() -> None:
    record = {"traceId": TRACE_64, "spanId": "", "body": {"stringValue": "hello"}}
    body = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record, {"traceId": ""}]}]}]}
    batch = read(json.dumps(body).encode(), LOG)
    (item,) = batch.items
    assert (item.trace_id, item.span_id, item.ended_root) == (TRACE, b"", False)
    assert [each.reason for each in batch.refusals] == [
        "The log record has no trace id, so it belongs to no run."
    ]


JSON_VALUES = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(max_size=5),
    lambda inner: some.lists(inner, max_size=3)
    | some.dictionaries(
        some.sampled_from(
            ["resource_spans", "resourceSpans", "scopeSpans", "spans", "traceId", "spanId", "kind",
             "attributes", "value", "key", "intValue", "arrayValue", "values", "status", "events"]
        ),
        inner,
        max_size=4,
    ),
    max_leaves=20,
)  # fmt: skip


@given(JSON_VALUES)
def test_whatever_stands_in_a_span_it_is_kept_or_refused(value: Any) -> None:
    batch = read(json_of(span(attributes=value, events=value, status=value, more=value), value))
    assert len(batch.items) + len(batch.refusals) == 2
    assert [json.loads(item.content)["name"] for item in batch.items] == ["chat"]


@given(JSON_VALUES)
def test_whatever_a_body_is_it_is_read_or_refused(value: Any) -> None:
    try:
        read(json.dumps({"resourceSpans": value}).encode())
        read(json.dumps(value).encode())
    except ValueError:
        return


@given(JSON_VALUES)
def test_a_value_read_twice_stays_as_it_is(value: Any) -> None:
    once = any_value(value)
    assert any_value(once) == once or once != once  # noqa: PLR0124 - NaN is not itself


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ({"resourceSpans": {}}, "resourceSpans"),
        ({"resourceSpans": ["x"]}, "resourceSpans/0"),
        ({"resourceSpans": [{"scopeSpans": {"spans": []}}]}, "resourceSpans/0/scopeSpans"),
        ({"resourceSpans": [{"scopeSpans": [1]}]}, "resourceSpans/0/scopeSpans/0"),
        (
            {"resourceSpans": [{"scopeSpans": [{"spans": {"a": 1}}]}]},
            "resourceSpans/0/scopeSpans/0/spans",
        ),
        ({"resourceSpans": [{"spans": [{}]}]}, "resourceSpans/0/spans"),
        ({"resourceSpans": [{"scope_span": [{}]}]}, "resourceSpans/0/scope_span"),
        (
            {"resourceSpans": [{"scopeSpans": [{"span": [{}]}]}]},
            "resourceSpans/0/scopeSpans/0/span",
        ),
        ({"resourceSpans": [], "resourceLogs": [{}]}, "resourceLogs"),
    ],
)
def test_what_stands_where_no_span_is_looked_for_is_told(value: Any, where: str) -> None:
    batch = read(json.dumps(value).encode())
    assert [each.position for each in batch.refusals] == [where]
    assert batch.items == []


@pytest.mark.parametrize(
    ("digits", "kept"),
    [
        ("9" * 5_000, "9" * 5_000),
        ("1e400", "1E+400"),
        ("1e9999999999999999999", "1e9999999999999999999"),
    ],
)
def test_numbers_that_no_reader_takes_cost_nothing(digits: str, kept: str) -> None:
    body = json_of(span(odd=1)).replace(b'"odd": 1', f'"odd": {digits}'.encode())
    assert only(body)["odd"] == kept


@pytest.mark.parametrize("digits", ["1e1000001", "-1e9999999999999999999", "1e-1000001", "0e99999"])
def test_an_integer_of_any_exponent_costs_nothing(digits: str) -> None:
    body = json_of(span(startTimeUnixNano=7)).replace(
        b'"startTimeUnixNano": 7', f'"startTimeUnixNano": {digits}'.encode()
    )
    assert len(read(body).items) == 1

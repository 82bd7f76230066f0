"""OTLP JSON as exporters really write it, made into the one spelling that is stored.

Read by the standard library: no other reader takes bare NaN, halves of surrogate pairs and
integers of any size without loss. Protobuf's own JSON reader takes hex ids for base64.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from traces.formats.base import Refusal, Unreadable
from traces.formats.files.cleaning import check_depth
from traces.formats.files.documents import encoding_of
from traces.otlp import ids
from traces.otlp.batches import LOG, SPAN, Batch, Item, dumps, origin, place
from traces.otlp.spelling import Json, message, spelled

# Levels of one span, well below what a document may have in all.
DEPTH = 150
# Digits of an integer that is still read as one; a longer one stays a text.
MOST_DIGITS = 1_000
NO_LIST, NO_OBJECT = "It is no list.", "It is no JSON object."
UNKNOWN = "This field is not known here, and was not kept."
NOT_TEXT = "bytes that are not of the body's encoding, shown with marks"


def value_in(body: bytes) -> tuple[Any, bool]:
    """The JSON value of a body, and whether bytes in it had to be replaced. Raises ValueError."""
    encoding, content = encoding_of(body)
    replaced = False
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        text, replaced = content.decode(encoding, "replace"), True
    try:
        value = json.loads(
            text, strict=False, parse_float=real, parse_int=integer, parse_constant=str
        )
    except RecursionError as error:
        raise ValueError("The JSON is nested too deep.") from error
    return value, replaced


def integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= MOST_DIGITS else digits


def real(digits: str) -> Decimal | str:
    """A number as exact as it came. What no float comes near stays a text."""
    try:
        value = Decimal(digits)
    except ArithmeticError:
        return digits
    return value if abs(value.adjusted()) <= MOST_DIGITS else digits


def batch_of(body: bytes, signal: str) -> Batch:
    """All of a request. Raises ValueError if it is no JSON object, or not one of this signal."""
    value, replaced = value_in(body)
    if not isinstance(value, dict):
        raise ValueError("The JSON is not an object.")
    batch = Batch(signal)
    if replaced:
        batch.notes[NOT_TEXT] += 1
    kind, leaf = ("Spans", "spans") if signal == SPAN else ("Logs", "logRecords")
    request = spelled(value)
    if request and f"resource{kind}" not in request:
        raise ValueError(f"There is no resource{kind} in it.")
    refuse_others(request, (f"resource{kind}",), "", batch)
    for r, resource in listed(request.get(f"resource{kind}"), f"resource{kind}", batch):
        inner = f"resource{kind}/{r}"
        refuse_others(resource, ("resource", "schemaUrl", f"scope{kind}"), f"{inner}/", batch)
        scopes = f"{inner}/scope{kind}"
        for s, scope in listed(resource.get(f"scope{kind}"), scopes, batch):
            refuse_others(scope, ("scope", "schemaUrl", leaf), f"{scopes}/{s}/", batch)
            number = batch.origin(origin_of(resource, scope, signal))
            for i, item in enumerate(list_at(scope.get(leaf), f"{scopes}/{s}/{leaf}", batch)):
                add(batch, item, number, place(signal, r, s, i))
    return batch


def refuse_others(value: Json, known: Sequence[str], where: str, batch: Batch) -> None:
    """What stands beside the fields of a message may hold spans: it is not left out in silence."""
    for name, each in value.items():
        if name not in known and each not in (None, "", [], {}):
            batch.refusals.append(Refusal(f"{where}{name}"[:200], UNKNOWN))


def list_at(value: Any, where: str, batch: Batch) -> list[Any]:
    if value is not None and not isinstance(value, list):
        batch.refusals.append(Refusal(where, NO_LIST))
    return value if isinstance(value, list) else []


def listed(value: Any, where: str, batch: Batch) -> Iterator[tuple[int, Json]]:
    """Objects of a list with their places, their names spelled as they are stored."""
    for index, each in enumerate(list_at(value, where, batch)):
        if isinstance(each, dict):
            yield index, spelled(each)
        else:
            batch.refusals.append(Refusal(f"{where}/{index}", NO_OBJECT))


def origin_of(resource: Json, scope: Json, signal: str) -> Json:
    return origin(
        signal,
        resource=message(resource.get("resource")),
        resource_schema=resource.get("schemaUrl"),
        scope=message(scope.get("scope")),
        scope_schema=scope.get("schemaUrl"),
    )


def add(batch: Batch, item: Any, number: int, where: str) -> None:
    try:
        check_depth(item, DEPTH)
    except Unreadable as error:
        batch.refusals.append(Refusal.of(error, where))
        return
    if not isinstance(item, dict):
        batch.refusals.append(Refusal(where, NO_OBJECT))
        return
    given = spelled(item)
    trace_id, span_id = id_in(given, "traceId", ids.TRACE), id_in(given, "spanId", ids.SPAN)
    if not batch.admits(trace_id, span_id, where):
        return
    assert trace_id is not None  # noqa: S101 - admitted
    out = message(given)
    if batch.signal == LOG:
        span_id = span_id if span_id and any(span_id) else b""
    ended = out.get("endTimeUnixNano") not in (None, "", "0") and not out.get("parentSpanId")
    is_root = batch.signal == SPAN and ended
    batch.items.append(Item(number, trace_id, span_id or b"", dumps(out), is_root))


def id_in(item: Json, name: str, size: int) -> bytes | None:
    given = item.get(name)
    return b"" if given in (None, "") else ids.of_text(given, size)

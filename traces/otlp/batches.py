"""What one request held, in whichever encoding it came: items to keep, and places refused."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from math import isfinite
from typing import Any, NamedTuple

import orjson

from traces.formats.base import Refusal
from traces.otlp import ids

SPAN, LOG = "span", "log"
NO_TRACE = "The log record has no trace id, so it belongs to no run."
LOGS_IN_TRACES = " If this was a log record: logs are sent to /v1/logs."


class Item(NamedTuple):
    """One span or log record as OTLP JSON, and the place of its origin in its batch."""

    origin: int
    trace_id: bytes
    span_id: bytes
    content: bytes
    ended_root: bool


@dataclass(slots=True)
class Batch:
    """All items of a request. An origin is the OTLP JSON of a resource and a scope."""

    signal: str
    origins: dict[bytes, int] = field(default_factory=dict)
    items: list[Item] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    notes: Counter[str] = field(default_factory=Counter)

    def origin(self, value: dict[str, Any]) -> int:
        return self.origins.setdefault(dumps(value), len(self.origins))

    def admits(self, trace_id: bytes | None, span_id: bytes | None, place: str) -> bool:
        """Whether an item with these ids may be kept; else it is refused, and no other."""
        if self.signal == LOG:
            # Most of what a process logs belongs to no trace, and says so by an empty id.
            empty = trace_id is not None and not any(trace_id)
            why = NO_TRACE if empty else ids.wrong(trace_id, "trace id", ids.TRACE)
        else:
            why = ids.wrong(trace_id, "trace id", ids.TRACE)
            if why and not trace_id and not span_id:
                why += LOGS_IN_TRACES
            why = why or ids.wrong(span_id, "span id", ids.SPAN)
        if why:
            self.refusals.append(Refusal(place, why))
        return not why


def origin(
    signal: str, *, resource: Any, resource_schema: Any, scope: Any, scope_schema: Any
) -> dict[str, Any]:
    """An entry of `resourceSpans` or `resourceLogs` that has no items yet, at its very end."""
    kind, leaf = ("Spans", "spans") if signal == SPAN else ("Logs", "logRecords")
    outer = {"resource": resource, "schemaUrl": resource_schema}
    inner = {"scope": scope, "schemaUrl": scope_schema}
    scopes = [{**{key: each for key, each in inner.items() if each}, leaf: []}]
    return {**{key: each for key, each in outer.items() if each}, f"scope{kind}": scopes}


def place(signal: str, resource: int, scope: int, item: int) -> str:
    kind, leaf = ("Spans", "spans") if signal == SPAN else ("Logs", "logRecords")
    return f"resource{kind}/{resource}/scope{kind}/{scope}/{leaf}/{item}"


def dumps(value: Any) -> bytes:
    """JSON on one line. What the quick writer cannot hold is written by the patient one."""
    try:
        return orjson.dumps(value, default=number)
    except TypeError:  # half of a surrogate pair, or an integer of more than 64 bits
        return json.dumps(value, separators=(",", ":"), default=number).encode()


def number(value: object) -> float | str:
    if isinstance(value, Decimal):
        near = float(value)
        return near if isfinite(near) else str(value)
    raise TypeError(f"No JSON is made of {type(value).__name__}.")

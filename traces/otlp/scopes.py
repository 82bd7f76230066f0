"""The scopes of a protobuf request, also those of old senders, and what nobody knows beside them.

Protobuf keeps fields that its definition does not name, and says nothing of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from google.protobuf.message_factory import GetMessageClass
from google.protobuf.unknown_fields import UnknownFieldSet

from traces.formats.base import Refusal
from traces.otlp.batches import SPAN, Batch

# The field of a resource that held its scopes before 2022.
LIBRARIES = 1000


def of_request(request: Any, batch: Batch) -> Iterator[tuple[tuple[int, int], Any, Any]]:
    """Each scope with its resource and its place. Fields that nobody knows are refused."""
    is_span = batch.signal == SPAN
    kind = "Spans" if is_span else "Logs"
    refuse_unknown(unknown_in(request), "/", batch)
    for r, resource in enumerate(request.resource_spans if is_span else request.resource_logs):
        scopes = [*(resource.scope_spans if is_span else resource.scope_logs)]
        if unknown := unknown_in(resource):
            scopes += libraries(resource, unknown, batch.signal)
            rest = [each for each in unknown if each.field_number != LIBRARIES]
            refuse_unknown(rest, f"resource{kind}/{r}", batch)
        for s, scope in enumerate(scopes):
            refuse_unknown(unknown_in(scope), f"resource{kind}/{r}/scope{kind}/{s}", batch)
            yield (r, s), resource, scope


def libraries(resource: Any, unknown: Iterable[Any], signal: str) -> list[Any]:
    """Scopes as they were called before 2022: the same bytes under another number."""
    field = "scope_spans" if signal == SPAN else "scope_logs"
    scope = GetMessageClass(resource.DESCRIPTOR.fields_by_name[field].message_type)
    return [scope.FromString(each.data) for each in unknown if each.field_number == LIBRARIES]


def refuse_unknown(unknown: Iterable[Any], where: str, batch: Batch) -> None:
    numbers = sorted({each.field_number for each in unknown})
    if numbers:
        named = ", ".join(map(str, numbers[:5]))
        batch.refusals.append(Refusal(where, f"Fields that are not known here: {named}."))


def unknown_in(message: Any) -> list[Any]:
    fields: Any = UnknownFieldSet(message)
    return list(fields)

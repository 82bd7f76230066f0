"""Files of OTLP in protobuf, turned into OTLP JSON by the same decoder as requests.

So one reader tells both, and what is searched for values to withhold is text.
"""

from __future__ import annotations

from collections import defaultdict

from google.protobuf.message import DecodeError

from traces.formats.base import Refusal
from traces.otlp import protobuf, tolerant
from traces.otlp.batches import Batch
from traces.otlp.joining import Group, joined

# The tag of the first field of every request, and so the first byte of its file.
TAG = b"\n"
# As strict as the library, and then for messages of which it would refuse all for one string.
READERS = (protobuf.traces, tolerant.traces, protobuf.logs, tolerant.logs)


def as_json(content: bytes) -> tuple[bytes, str] | None:
    """The request as JSON, and what of it was not kept; None if this is no OTLP protobuf."""
    if not content.startswith(TAG) or is_text(content):
        return None
    for read in READERS:
        try:
            batch = read(content)
        except DecodeError:
            continue
        if batch.items:
            return joined(groups(batch)), left_out(batch.refusals)
    return None


def is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def groups(batch: Batch) -> list[Group]:
    items: defaultdict[int, list[bytes]] = defaultdict(list)
    for item in batch.items:
        items[item.origin].append(item.content)
    return [Group(batch.signal, origin, items[at]) for origin, at in batch.origins.items()]


def left_out(refusals: list[Refusal]) -> str:
    if not refusals:
        return ""
    return f"{len(refusals):,} records could not be read, the first: {refusals[0].reason}"

"""OTLP JSON put together from what is stored, without reading it: each piece is one line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from traces.otlp.batches import LOG, SPAN

# What closes the lists and objects of an origin, behind the items that go into it.
CLOSE = b"]}]}"
PLACE = re.compile(r"/resource(Spans|Logs)/(\d+)/scope(?:Spans|Logs)/0/(?:spans|logRecords)/(\d+)")
LISTS = {SPAN: b'"resourceSpans":[', LOG: b'"resourceLogs":['}


class Group(NamedTuple):
    """Items of one signal that have their origin in common."""

    signal: str
    origin: bytes
    items: Sequence[bytes]


def joined(groups: Iterable[Group]) -> bytes:
    """One document. Signals stand together; the order is otherwise as given."""
    given = list(groups)
    parts = []
    for signal in (SPAN, LOG):
        entries = [entry(each) for each in given if each.signal == signal]
        if entries:
            parts.append(LISTS[signal] + b"\n" + b",\n".join(entries) + b"\n]")
    return b"{" + b",".join(parts) + b"}"


def entry(group: Group) -> bytes:
    head = group.origin.removesuffix(CLOSE)
    return head + b"\n" + b",\n".join(group.items) + b"\n" + CLOSE


def piece_at(position: str, groups: Iterable[Group]) -> tuple[str, bytes, bytes] | None:
    """The item at a place of the joined document, with its signal and origin; None if none is."""
    place = PLACE.fullmatch(position)
    if place is None:
        return None
    signal = SPAN if place[1] == "Spans" else LOG
    entries = [each for each in groups if each.signal == signal]
    index, number = int(place[2]), int(place[3])
    if index >= len(entries) or number >= len(entries[index].items):
        return None
    return signal, entries[index].origin, entries[index].items[number]


def parted(document: bytes, groups: Iterable[Group]) -> list[Group]:
    """The groups of a joined document that was changed inside its lines. Raises ValueError."""
    lines = iter(document.split(b"\n")[1:-1])
    out = []
    for group in groups:
        head, *items = [next(lines).removesuffix(b",") for _ in range(len(group.items) + 1)]
        if next(lines).removesuffix(b",") != CLOSE:
            raise ValueError("The document has other lines than before.")
        out.append(Group(group.signal, head + CLOSE, items))
    return out


def taken_apart(document: bytes) -> list[Group]:
    """The groups of a joined document. Raises ValueError if it is none."""
    out: list[Group] = []
    signal, head = SPAN, b""
    items: list[bytes] = []
    for line in document.split(b"\n"):
        piece = line.removesuffix(b",")
        if starts := [each for each, begin in LISTS.items() if line.endswith(begin)]:
            signal = starts[0]
        elif piece == CLOSE:
            out.append(Group(signal, head + CLOSE, items))
            head, items = b"", []
        elif head:
            items.append(piece)
        elif line not in (b"]}", b""):
            head = piece
    if head or not out:
        raise ValueError("This is no document that was joined of spans.")
    return out

"""A raw record found again in its document, by the pointer that a step or a run has of it.

A pointer is a JSON pointer, behind the line of its value where there are several, behind the name
of its file where there are several: `agent/run.jsonl: line 7/message`. That of a step may begin at
its run's own place, as in a list of runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from traces.formats.base import Json, Limits, Record, Unreadable
from traces.formats.files import containers, documents

PLACE = re.compile(r"(line \d+)?((?:/.*)?)", re.DOTALL)
MISSING = "The pointer leads nowhere in the stored document."


class Found(NamedTuple):
    """A raw value and where in the document it is."""

    value: Json
    pointer: str


def found(content: bytes, pointer: str, *, run: str, limits: Limits) -> Found:
    """The value at a pointer of a step of the run at another one.

    Raises Unreadable, with a sentence, if nothing is there that could be shown.
    """
    members, _ = containers.opened(content, limits)
    for whole in candidates(pointer, run):
        member, rest = member_of(whole, members)
        if member is None:
            continue
        try:
            records = documents.decoded(member, limits).records
            return Found(value_at(records, rest), whole)
        except LookupError:
            continue
    raise Unreadable(MISSING)


def candidates(pointer: str, run: str) -> Iterator[str]:
    """What a pointer may mean: below its run's place, in its run's file, or as it stands."""
    if not pointer or pointer.startswith("/"):
        yield f"{run}{pointer}"
    file, colon, _ = run.rpartition(": ")
    if colon:
        yield f"{file}: {pointer}"
    yield pointer


def member_of(
    pointer: str, members: Sequence[containers.Member]
) -> tuple[containers.Member | None, str]:
    """The file that a pointer is into, and the rest of the pointer."""
    if len(members) == 1 and not members[0].name:
        return members[0], pointer
    for member in members:
        if pointer == member.name:
            return member, ""
        for ending in (": ", "/", " "):
            if pointer.startswith(f"{member.name}{ending}"):
                return member, pointer[len(member.name) :].removeprefix(":").lstrip()
    return None, ""


def value_at(records: Sequence[Record], place: str) -> Json:
    """The value at a place in one file. Raises LookupError if there is none."""
    parts = PLACE.fullmatch(place)
    if parts is None:
        raise LookupError(place)
    position, path = parts[1] or "", parts[2]
    values = [record.value for record in records if record.position == position]
    if not values and len(records) == 1 and position == "line 1":
        # A file of one line is one value, and has no lines to be told apart.
        values = [records[0].value]
    if not values:
        raise LookupError(place)
    value = values[0]
    for token in path.split("/")[1:]:
        value = below(value, token.replace("~1", "/").replace("~0", "~"))
    return value


def below(value: Json, token: str) -> Json:
    if isinstance(value, list):
        if not (token.isascii() and token.isdigit() and len(token) < 10):
            raise LookupError(token)
        return value[int(token)]
    if isinstance(value, dict):
        return value[token]
    raise LookupError(token)

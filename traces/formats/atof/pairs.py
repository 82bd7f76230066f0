"""The start and the end of an ATOF scope as one thing, and what is said in its data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from traces.formats.base import Json
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.records.times import moment
from traces.formats.steps.ordering import seconds

TEXTS = ("input", "query", "raw_query", "response", "output", "result", "raw_result", "content")


@dataclass(slots=True)
class Scope:
    """A scope's start and end, or a mark, which has only one event."""

    uuid: str
    start: Object | None = None
    end: Object | None = None
    pointers: list[str] = field(default_factory=list)

    def add(self, value: Object, pointer: str) -> bool:
        """Take an event in; False if it says again what is known."""
        ends = value.get("scope_category") == "end"
        if (self.end if ends else self.start) is not None:
            return False
        if ends:
            self.end = value
            self.pointers.append(pointer)
        else:
            self.start = value
            self.pointers.insert(0, pointer)
        return True

    @property
    def first(self) -> Object:
        return self.start if self.start is not None else self.end or loose.NOTHING

    @property
    def is_mark(self) -> bool:
        return self.first.get("kind") == "mark"

    @property
    def parent(self) -> str:
        return loose.name(self.first.get("parent_uuid"))

    @property
    def name(self) -> str:
        return loose.text(self.first.get("name"))

    @property
    def category(self) -> str:
        return loose.text(self.first.get("category")).lower()

    @property
    def at(self) -> datetime | None:
        return moment(self.start.get("timestamp")) if self.start else None

    @property
    def until(self) -> datetime | None:
        return moment(self.end.get("timestamp")) if self.end else None

    @property
    def order(self) -> tuple[Any, ...]:
        return (seconds(self.at or self.until), 0)

    def data(self, *, end: bool) -> Json:
        given = self.end if end else self.start
        return given.get("data") if given else None


def text_of(data: Json) -> str:
    """What is said in a scope's data: its one text, or all of it as JSON."""
    if isinstance(data, Mapping) and len(data) == 1:
        key, value = next(iter(data.items()))
        if key in TEXTS and isinstance(value, str):
            return value
    return loose.shown(data)

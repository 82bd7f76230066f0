"""A format of somebody else's whose mapper gets better: each version reads more of a diary.

Version 1 overlooks the title; version 2 makes a step of it, before all others; version 3 finds
that nothing failed and that whatever was shouted is one day with a quieter text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from traces.formats import registry
from traces.formats.base import Document, ParsedRun, Reading, Sample
from traces.transcript import (
    Actor,
    ActorKind,
    Failure,
    Outcome,
    Part,
    PartKind,
    Step,
    StepKind,
    Transcript,
)


def diary(*days: tuple[str, str, str], name: str = "d-1", **fields: Any) -> bytes:
    """Days as id, who and what they say."""
    told = [{"id": id_, "who": who, "says": says} for id_, who, says in days]
    whole = {"diary": name, "title": "On invoices.", "days": told, "failed": True} | fields
    return json.dumps(whole).encode()


class Diary:
    name = "diary"
    version = "1"

    def __init__(self) -> None:
        # What a mapper reads in place of what a day says.
        self.edits: dict[str, str] = {}

    def recognise(self, sample: Sample) -> str | None:
        return "key diary" if isinstance(sample.first, dict) and "diary" in sample.first else None

    def read(self, document: Document) -> Reading:
        return Reading(
            tuple(
                ParsedRun(self.transcript(value), pointer)
                for pointer, value, _ in document.values()
            )
        )

    def transcript(self, value: dict[str, Any]) -> Transcript:
        days = list(value["days"])
        if self.version >= "2":
            days.insert(0, {"id": "title", "who": "author", "says": value["title"]})
        steps = tuple(self.step(number, day) for number, day in enumerate(days))
        names = dict.fromkeys(step.actor for step in steps)
        failed = bool(value.get("failed")) and self.version < "3"
        last = len(steps) - 1
        return Transcript(
            external_id=value["diary"],
            source="diary",
            actors=tuple(Actor(name, name, ActorKind.AGENT) for name in names),
            steps=steps,
            outcome=Outcome.FAILED if failed else Outcome.UNKNOWN,
            failures=(Failure("f1", "It broke.", exposed_by=last),) if failed else (),
            task_id="T-1",
        )

    def step(self, number: int, day: dict[str, Any]) -> Step:
        says = self.edits.get(day["id"], day["says"])
        if self.version >= "3" and says.isupper():
            says = says.lower()
        part = Part(PartKind.MESSAGE, says)
        return Step(number, day["id"], day["who"], StepKind.MESSAGE, (part,))


@contextmanager
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Diary]:
    """The format as an installed package would add it; set its version to have another mapper."""
    format_ = Diary()

    class Entry:
        name = "diary"

        def load(self) -> Diary:
            return format_

    with monkeypatch.context() as patch:
        patch.setattr(
            registry,
            "entry_points",
            lambda group: [Entry()] if group == registry.GROUP else [],
        )
        registry.formats.cache_clear()
        yield format_
    registry.formats.cache_clear()

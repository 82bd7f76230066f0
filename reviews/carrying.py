"""A draft's marks, carried along when its run is read anew. Plain Python.

A mark follows its step by the id that the source gave it, a quote its words. What is not found
any more is taken out and told to the reviewer: nothing moves to another step or to other words.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reviews import fields
from traces.counterparts import Counterparts

CHAIN = {"decisive_step": "first upstream step", "exposing_step": "step that exposed it"}
ROWS = {"misses": ("missed check", "contract"), "alternatives": ("alternative", "rejected_because")}


class Carrier:
    """Carries one draft from one reading of its run to the next, and remembers what was lost."""

    def __init__(self, readings: Counterparts) -> None:
        self.readings = readings
        self.lost: list[dict[str, Any]] = []

    def carry(self, draft: Mapping[str, Any], *, candidates: frozenset[int]) -> dict[str, Any]:
        """The draft's fields with the numbers of the new reading; others stay as they are."""
        carried = {
            "carriers": self.carriers(draft.get("carriers")),
            "evidence": self.evidence(draft.get("evidence")),
            **{name: self.rows(name, draft.get(name)) for name in ROWS},
            **{name: self.mark(words, draft.get(name)) for name, words in CHAIN.items()},
            "actor": self.actor(draft),
            "candidate": self.candidate(draft.get("candidate"), candidates),
        }
        return {**draft, **{name: value for name, value in carried.items() if name in draft}}

    def lose(self, what: str, step: int | None, text: str = "") -> None:
        self.lost.append({"what": what, "step": step, "text": text})

    def mark(self, what: str, value: object, text: str = "") -> int | str:
        """The step's number now; "" and a loss if it is not there any more."""
        before = fields.number(value)
        now = self.readings.step(before)
        if before is not None and now is None:
            self.lose(what, before, text)
        return "" if now is None else now

    def carriers(self, value: object) -> list[int]:
        marks = (self.mark("step that carried it", step) for step in fields.carriers(value))
        return sorted(step for step in marks if isinstance(step, int))

    def rows(self, name: str, value: object) -> list[dict[str, Any]]:
        what, key = ROWS[name]
        kept = []
        for row in fields.rows(value):
            if fields.number(row.get("step")) is None:
                kept.append(dict(row))
                continue
            said = row.get(key)
            step = self.mark(what, row["step"], said if isinstance(said, str) else "")
            if isinstance(step, int):
                kept.append({**row, "step": step})
        return kept

    def evidence(self, value: object) -> list[dict[str, Any]]:
        kept = []
        for quote in fields.evidence(value):
            place = self.readings.place(quote.step, quote.part, quote.start, quote.end)
            if place is None:
                self.lose("quote", quote.step, quote.text)
                continue
            step, part, start, end = place
            kept.append(
                {
                    "purpose": quote.purpose,
                    "step": step,
                    "part": part,
                    "start": start,
                    "end": end,
                    "text": quote.text,
                }
            )
        return kept

    def actor(self, draft: Mapping[str, Any]) -> str:
        """Whom the claim blames: who acted at the decisive step is followed, whatever its key."""
        blamed = fields.text(draft.get("actor"))
        before = fields.number(draft.get("decisive_step"))
        now = self.readings.step(before)
        if before is not None and now is not None:
            steps = self.readings.before.steps[before], self.readings.after.steps[now]
            if blamed == steps[0].actor:
                return steps[1].actor
        if blamed and blamed not in self.readings.after.actor_by_key:
            self.lose("responsible actor", None, blamed)
            return ""
        return blamed

    def candidate(self, value: object, candidates: frozenset[int]) -> int | str:
        chosen = fields.key(value)
        if chosen is not None and chosen not in candidates:
            self.lose("candidate you started from", None)
            return ""
        return "" if chosen is None else chosen

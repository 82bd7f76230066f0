"""The checks of a run: each by its name, with its last verdict, which is what counts."""

from __future__ import annotations

from dataclasses import dataclass

from traces.transcript import ActorKind, Part, PartKind, Step, Transcript

DECIDED = ("passed", "failed", "skipped", "inconclusive")


@dataclass(frozen=True, slots=True)
class Check:
    """A check where it was last decided. Checks without a name are told apart by who checks."""

    name: str
    step: Step
    part: Part

    @property
    def verdict(self) -> str:
        return str(self.part.data["verdict"])

    def fact(self, name: str) -> str:
        return str(self.part.data.get(name) or "")


def last_verdicts(transcript: Transcript) -> list[Check]:
    """Each check once, as its last verdict left it, in the order of these verdicts.

    What an evaluator says with a verdict is a check too, whatever the kind of its part.
    """
    last: dict[tuple[str, str], Check] = {}
    for step, _, part in transcript.citable():
        if part.data.get("verdict") not in DECIDED:
            continue
        evaluator = transcript.actor_of(step).kind is ActorKind.EVALUATOR
        if part.kind is PartKind.VERIFICATION or evaluator:
            name = str(part.data.get("check") or "")
            key = (name, "" if name else step.actor)
            last.pop(key, None)
            last[key] = Check(name, step, part)
    return list(last.values())

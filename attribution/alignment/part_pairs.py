"""Which part of one step stands for which part of another."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator

from traces.transcript import Part, PartKind, Step


def counterparts(step: Step, against: Step | None) -> Iterator[Part | None]:
    """For each part of the step the other step's part of the same kind, of states the same one."""
    waiting: defaultdict[tuple[str, str], deque[Part]] = defaultdict(deque)
    for part in against.parts if against else ():
        waiting[_object(part)].append(part)
    for part in step.parts:
        alike = waiting[_object(part)]
        yield alike.popleft() if alike else None


def _object(part: Part) -> tuple[str, str]:
    artifact = part.data.get("artifact") if part.kind is PartKind.STATE else ""
    return part.kind.value, str(artifact or "")

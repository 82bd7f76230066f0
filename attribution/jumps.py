"""Where a key or a link with a name leads from a step: plain Python over the outline."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from traces.outline import VERDICTS, Outline


@dataclass(frozen=True)
class Landmarks:
    """What is known of a run beside its outline: steps that exposed a failure, gaps, proposals.

    `proposed` are the steps of candidates, best first; `decisive` is the reader's own mark.
    """

    exposing: tuple[int, ...] = ()
    gaps: Collection[int] = ()
    proposed: tuple[int, ...] = ()
    decisive: int | None = None


def jump(outline: Outline, landmarks: Landmarks, name: str, step: int) -> int | None:
    """The step that a jump leads to; None if there is none, or no such jump."""
    found = JUMPS.get(name)
    there = found(outline, landmarks, step) if found and len(outline) else None
    # Marks of an earlier reading may be of steps that are not there any more.
    return there if there is not None and there < len(outline) else None


def _start(outline: Outline, landmarks: Landmarks, step: int) -> int | None:
    return 0


def _end(outline: Outline, landmarks: Landmarks, step: int) -> int | None:
    return len(outline) - 1


def _failure(outline: Outline, landmarks: Landmarks, step: int) -> int | None:
    """What exposed the failure; of several, the next one after the step."""
    steps = sorted(landmarks.exposing)
    return next((each for each in steps if each > step), steps[0] if steps else None)


def _origin(outline: Outline, landmarks: Landmarks, step: int) -> int | None:
    """Where the failure is suspected to come from: the reader's mark, else the best candidate
    that can have led to what exposed it."""
    if landmarks.decisive is not None:
        return landmarks.decisive
    exposing = [step for step in landmarks.exposing if step < len(outline)]
    before = outline.ancestors(*exposing) if exposing else None
    leading = (n for n in landmarks.proposed if before is None or (n < len(outline) and before[n]))
    return next(leading, next(iter(landmarks.proposed), None))


def _up(outline: Outline, landmarks: Landmarks, step: int) -> int | None:
    """The nearest input: a recorded one before an inferred one."""
    links = outline.inputs(step)
    return _nearest(outline.source[links], outline.recorded[links], step)


def _down(outline: Outline, landmarks: Landmarks, step: int) -> int | None:
    links = outline.outputs(step)
    return _nearest(outline.target[links], outline.recorded[links], step)


def _nearest(steps: NDArray[np.int32], recorded: NDArray[np.bool_], step: int) -> int | None:
    if not len(steps):
        return None
    wanted = steps[recorded] if recorded.any() else steps
    return int(wanted[np.abs(wanted - step).argmin()])


def _lane(by: int) -> Callable[[Outline, Landmarks, int], int | None]:
    """The nearest step of the actor whose lane is above or below."""

    def nearest(outline: Outline, landmarks: Landmarks, step: int) -> int | None:
        lane = int(outline.actor[step]) + by
        own = np.flatnonzero(outline.actor == lane)
        return int(own[np.abs(own - step).argmin()]) if len(own) else None

    return nearest


def _in_lane(by: int) -> Callable[[Outline, Landmarks, int], int | None]:
    return lambda outline, landmarks, step: outline.neighbours_in_lane(step)[by]


def _among(
    steps: Callable[[Outline, Landmarks], Collection[int]], by: int
) -> Callable[[Outline, Landmarks, int], int | None]:
    """The next of some steps, or the one before; from the last on to the first."""

    def found(outline: Outline, landmarks: Landmarks, step: int) -> int | None:
        there = sorted({int(n) for n in steps(outline, landmarks)})
        ahead = [n for n in there if n > step] if by > 0 else [n for n in there[::-1] if n < step]
        return next(iter([*ahead, *there[:: by or 1]]), None)

    return found


def _errors(outline: Outline, landmarks: Landmarks) -> Collection[int]:
    bad = outline.failing | (outline.verdict == VERDICTS.index("failed"))
    return np.flatnonzero(bad).tolist()


def _gaps(outline: Outline, landmarks: Landmarks) -> Collection[int]:
    return landmarks.gaps


def _proposed(outline: Outline, landmarks: Landmarks) -> Collection[int]:
    return landmarks.proposed


JUMPS: dict[str, Callable[[Outline, Landmarks, int], int | None]] = {
    "start": _start,
    "end": _end,
    "failure": _failure,
    "origin": _origin,
    "up": _up,
    "down": _down,
    "lane-above": _lane(-1),
    "lane-below": _lane(1),
    "before-in-lane": _in_lane(0),
    "after-in-lane": _in_lane(1),
    "next-error": _among(_errors, 1),
    "previous-error": _among(_errors, -1),
    "next-gap": _among(_gaps, 1),
    "previous-gap": _among(_gaps, -1),
    "next-candidate": _among(_proposed, 1),
    "previous-candidate": _among(_proposed, -1),
}

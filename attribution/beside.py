"""What the right pane holds beside a run, as the address says it, and why that."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from attribution import neighbours
from attribution.place import Place, number
from traces.models import Run


class Holds(StrEnum):
    """A run row by row, two branches of this one likewise, a step, its source, or nothing."""

    RUN = "run"
    BRANCH = "branch"
    STEP = "step"
    RAW = "raw"
    NOTHING = "nothing"


@dataclass(frozen=True)
class Beside:
    """What is there, with a title and the reason why; nothing says why there is nothing.

    `steps` are the pinned step, or the first steps of two branches.
    """

    holds: Holds
    run: Run | None = None
    title: str = ""
    reason: str = ""
    absence: str = ""
    steps: tuple[int, ...] = ()


class Unknown(Exception):
    """The address asks for something that is no run, step or branch."""


def nothing(why: str = "Nothing is laid beside this run.") -> Beside:
    return Beside(Holds.NOTHING, absence=why)


def of_neighbour(neighbour: neighbours.Neighbour | None) -> Beside:
    if neighbour is None:
        return nothing("No successful run of this task or a similar one is here to compare with.")
    return Beside(Holds.RUN, neighbour.run, neighbour.title, neighbour.reason)


def of_run(run: Run) -> Beside:
    reason = f"{run.external_id}, {run.outcome}, chosen by you"
    return Beside(Holds.RUN, run, "Run", reason)


def within(place: Place, run: Run) -> Beside | UUID | None:
    """What the address wants of this run itself; the id of another run; None if it says nothing.

    Raises Unknown.
    """
    wanted = place.value("with")
    kind, _, rest = wanted.partition(":")
    if wanted in ("none", "raw"):
        return nothing() if wanted == "none" else Beside(Holds.RAW, title="Raw source")
    if kind in ("step", "branch"):
        steps = tuple(n for n in map(number, rest.split("-")) if n is not None)
        if len(steps) != (1 if kind == "step" else 2) or max(steps) >= run.step_count:
            raise Unknown
        named = " and ".join(f"#{step}" for step in steps)
        if kind == "step":
            return Beside(Holds.STEP, title=f"Step {named}", reason="of this run", steps=steps)
        return Beside(
            Holds.BRANCH, title=f"Branches from {named}", reason="of this run", steps=steps
        )
    try:
        return UUID(wanted) if wanted else None
    except ValueError as error:
        raise Unknown from error

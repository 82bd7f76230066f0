"""What the right pane holds beside a run, and why that."""

from __future__ import annotations

from dataclasses import dataclass

from attribution import neighbours
from traces.models import Run


@dataclass(frozen=True)
class Beside:
    """A run with a title and the reason it is here; without a run, why there is none."""

    run: Run | None = None
    title: str = ""
    reason: str = ""
    absence: str = ""


NOTHING = Beside(absence="Nothing is laid beside this run.")
NO_NEIGHBOUR = Beside(absence="No successful run of this task is here to compare with.")


def of_neighbour(neighbour: neighbours.Neighbour | None) -> Beside:
    if neighbour is None:
        return NO_NEIGHBOUR
    return Beside(neighbour.run, neighbour.title, neighbour.reason)

"""The right pane where it stands apart from the rows: a step, the raw source, a run by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from attribution.beside import Holds, nothing
from attribution.drawn_steps import StepView
from attribution.viewing import Viewing
from attribution.windows import window_of
from traces import content, excerpts
from traces.formats.base import Unreadable
from traces.models import Run

# Bytes of a document that is read anew for each step that is looked at.
READABLE = 8 * 2**20
LARGE = "The source is large: open the record by itself."


def context_of(viewing: Viewing) -> dict[str, Any] | None:
    """What the pane's template needs; None where the rows hold both sides."""
    if not viewing.apart:
        return None
    if viewing.unlocked and viewing.beside.run:
        return {"list": list_beside(viewing, viewing.beside.run)}
    if viewing.beside.holds is Holds.STEP:
        return {"step": step_beside(viewing, viewing.beside.steps[0])}
    return {"raw": raw_beside(viewing)}


def list_beside(viewing: Viewing, other: Run) -> dict[str, Any]:
    """A window of the other run's own list, which scrolls by itself."""
    place = replace(viewing.place, step=None, row=None, given=())
    shown = Viewing(other, place, nothing(), modes=viewing.modes)
    return {"run": other, "window": window_of(shown, {"viewing": shown, "list_side": "r"})}


def step_beside(viewing: Viewing, number: int) -> StepView:
    """Another step of the run, drawn with what differs from the selected one."""
    found = content.steps_of({viewing.run.pk: {number, viewing.selected}})
    side, _ = viewing.sides()
    against = found.get((viewing.run.pk, viewing.selected))
    against = None if number == viewing.selected else against
    return side.view(found[viewing.run.pk, number], against=against, kind="changed")


def raw_beside(viewing: Viewing) -> dict[str, Any]:
    """What the source says at the place that the selected step was read from."""
    run = viewing.run
    steps = content.steps_of({run.pk: {viewing.selected}})
    step = next(iter(steps.values()), None)
    if step is None or not step.pointer:
        return {"refusal": "The record does not say where this step stands in its source."}
    if run.document.size > READABLE:
        return {
            "pointer": step.pointer,
            "refusal": "The source is large: open the record by itself.",
        }
    try:
        return {"pointer": step.pointer, "excerpt": excerpts.excerpt(run, step.pointer)}
    except Unreadable as error:
        return {"pointer": step.pointer, "refusal": str(error)}

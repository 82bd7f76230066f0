"""What the objects of a native run say besides their fields: `capture` states, and `extra`.

A transcript has places for capture states on the run, its actors, steps and parts. Those of
smaller objects are kept there under the path of the field. What stands in an `extra` that has
no place at all is counted, and stays in the raw document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from traces.formats.native import v2
from traces.formats.native.v1 import CaptureState, Strict
from traces.transcript import Gap

# These are kept whole, with their own `capture` and `extra`, and are shown and counted so.
WHOLE = frozenset({"system", "initial_state", "recorder"})


def states_of_run(header: v2.Document) -> dict[str, CaptureState]:
    """The states of the run and of the objects that are taken apart; its own word comes first."""
    within = {
        f"{place}/{field}": state
        for place, each in objects_in(header.run)
        if place not in WHOLE
        for field, state in each.capture.items()
    }
    return header.capture | within | header.run.capture


def objects_in(run: v2.Run) -> Iterator[tuple[str, Strict]]:
    """The objects below a run, each with its path: failures by their ids, reports by number."""
    for name in run.__struct_fields__:
        held = getattr(run, name)
        if isinstance(held, Strict):
            yield name, held
        elif isinstance(held, list):
            for index, each in enumerate(held):
                known_by = each.id if isinstance(each, v2.Failure) else index
                yield f"{name}/{known_by}", each


def states_of_step(given: v2.Step) -> Mapping[str, CaptureState]:
    return with_states(given.capture, "retry", given.retry)


def states_of_part(given: v2.AnyPart) -> Mapping[str, CaptureState]:
    """A text that the recorder cut is damaged, unless the file itself says what it is."""
    own = {"text": "damaged", **given.capture} if given.cut else given.capture
    return with_states(own, "payload", given.payload)


def with_states(
    own: Mapping[str, CaptureState], name: str, held: Strict | None
) -> Mapping[str, CaptureState]:
    if held is None or not held.capture:
        return own
    return {f"{name}/{field}": state for field, state in held.capture.items()} | dict(own)


def only_in_raw(header: v2.Document, steps: Iterable[v2.Step]) -> Iterator[Gap]:
    """One gap that counts, for each sort of object, how many have an `extra` that is not kept."""
    counts: Counter[str] = Counter()
    counts["extra"] += bool(header.extra)
    counts["run/extra"] += bool(header.run.extra)
    for place, each in objects_in(header.run):
        name = place.partition("/")[0]
        counts[f"{name}/extra"] += bool(each.extra) and name not in WHOLE
    for actor in header.actors:
        counts["actors/extra"] += bool(actor.extra)
    for step in steps:
        if step.extra:
            counts["steps/extra"] += 1
        if step.retry and step.retry.extra:
            counts["steps/retry/extra"] += 1
    told = ", ".join(f"{path} ({count})" for path, count in counts.items() if count)
    if told:
        yield Gap("kept_in_raw_only", f"Not read, and how often it is there: {told}.")

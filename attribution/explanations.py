"""The explanations of a run that attributors propose, ready to be compared. Plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from attribution.explaining import Explaining, Explanation, Picked, Quoted
from attribution.explaining.overlays import overlay
from attribution.minimap import Scale
from attribution.place import Place
from traces.outline import Outline
from traces.remarks import Failure

if TYPE_CHECKING:
    from attribution.models import Candidate


def of_candidate(
    number: int, candidate: Candidate, *, exposing: int | None, measured: str = ""
) -> Explanation:
    """`number` is its place on the page; `measured` says how good its attributor is."""
    return Explanation(
        key=f"c{number}",
        name=f"Candidate {number}",
        step=candidate.step,
        part=candidate.get_part_display(),
        exposing=exposing,
        quotes=tuple(quoted(quote) for quote in candidate.quotes),
        says=candidate.rationale,
        by=" · ".join(filter(None, (f"proposed by {candidate.analysis.attributor}", measured))),
    )


def quoted(quote: dict[str, int | str]) -> Quoted:
    step, part, start, end = (int(quote[name]) for name in ("step", "part", "start", "end"))
    return Quoted(step, part, start, end, str(quote["text"]))


def explaining_of(
    place: Place, outline: Outline, ranked: Sequence[Candidate], failures: Sequence[Failure]
) -> Explaining:
    """Of a run without its case: candidates only, exposed where the first failure was."""
    exposing = [each.exposed_by for each in failures if each.exposed_by is not None]
    first = next(iter(exposing), None)
    found = [of_candidate(n, each, exposing=first) for n, each in enumerate(ranked, start=1)]
    return Explaining(Picked({each.key: each for each in found}, place), outline, exposing)


def context_of(found: Explaining, address: str) -> dict[str, Any]:
    """What the templates of a comparison need, on whatever page; `address` is of its piece."""
    scale = Scale(found.outline)
    drawn = [overlay(path, scale.middle, scale.y_of) for path in found.paths]
    return {
        "explaining": found,
        "explain_address": address,
        "explain_fields": found.picked.place.fields("explain"),
        "overlays": drawn,
        "place": found.picked.place,
    }

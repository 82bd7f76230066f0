"""The shape of a run in a few numbers, and how it differs from its project's other runs.

Nothing here says that a run failed. A run far outside what its project usually does is
*suspicious*: worth a look, and no more.

The rule is Tukey's: a value is outside when it lies more than one and a half times the quartile
range beyond a quartile (J. W. Tukey, "Exploratory Data Analysis", 1977, chapter 2). Durations and
counts are skewed to the right, so it is applied to log(1 + value). Quartiles are interpolated
linearly (type 7 of Hyndman and Fan, 1996). Where the quartiles agree they say nothing about the
spread, and the range is taken as a doubling.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from operator import attrgetter

from traces.transcript import LinkKind, PartKind, Suspicion, Transcript

KIND = "outlier"
TITLE = "Unusual for this project"
MEANING = (
    "Its shape lies outside the fences around the project's other runs. That is no failure: it"
    " says where a look may pay."
)
# Of fewer runs nobody can say what is usual.
FEWEST = 20
REACH = 1.5
DOUBLING = math.log(2)
# Above every count and every length of time; what a fence may not pass to stay comparable.
HIGHEST = 1e11

Fences = Mapping[str, "list[float] | None"]


@dataclass(frozen=True, slots=True)
class Shape:
    """How long, how large and how restless a run was. `duration` in seconds; None: not recorded."""

    duration: float | None
    steps: int
    tool_calls: int
    retries: int


MEASURES = tuple(Shape.__dataclass_fields__)


def tool_calls(transcript: Transcript) -> int:
    """How many tool requests the run made."""
    return sum(part.kind is PartKind.TOOL_REQUEST for _, _, part in transcript.citable())


def retries(transcript: Transcript) -> int:
    """How many steps tried something again."""
    linked = {link.target for link in transcript.links if link.kind is LinkKind.RETRY_OF}
    numbered = {step.number for step in transcript.steps if (step.attempt or 0) > 1}
    return len(linked | numbered)


def fences_of(shapes: Iterable[Shape]) -> dict[str, list[float] | None]:
    """The lower and the upper fence of each measure, as the lowest and highest usual value.

    None for a measure that fewer than twenty runs have.
    """
    known = list(shapes)
    return {name: _fences(name, list(map(attrgetter(name), known))) for name in MEASURES}


def _fences(name: str, values: list[float | None]) -> list[float] | None:
    logs = [math.log1p(value) for value in values if value is not None]
    if len(logs) < FEWEST:
        return None
    low, _, high = statistics.quantiles(logs, n=4, method="inclusive")
    # Equal values may differ in the last bits once they are interpolated; so may whole ones.
    reach = REACH * (high - low if high - low > 1e-9 else DOUBLING)
    lower = round(max(0.0, math.expm1(low - reach)), 6)
    upper = round(math.expm1(min(high + reach, math.log(HIGHEST))), 6)
    return [lower, upper] if name == "duration" else [math.ceil(lower), math.floor(upper)]


def outliers(shape: Shape, fences: Fences, *, run_count: int) -> tuple[Suspicion, ...]:
    """A sentence for each measure in which the run lies outside its project's fences."""
    found = []
    for name, value in asdict(shape).items():
        fence = fences.get(name)
        if value is not None and fence and not fence[0] <= value <= fence[1]:
            found.append(Suspicion(KIND, _sentence(name, value, fence, run_count)))
    return tuple(found)


def _sentence(name: str, value: float, fence: list[float], run_count: int) -> str:
    low, high = (_words(name, bound) for bound in fence)
    usual = f"{low} to {high}" if fence[0] > 0 else f"up to {high}"
    over = f"(fences over {run_count:,} runs)"
    if name == "duration":
        return f"It took {_words(name, value)}; runs of this project take {usual} {over}"
    noun = NOUNS[name][value != 1]
    return f"{value:,} {noun}; runs of this project have {usual} {over}"


NOUNS = {
    "steps": ("step", "steps"),
    "tool_calls": ("tool call", "tool calls"),
    "retries": ("retry", "retries"),
}


def _words(name: str, value: float) -> str:
    return spoken(value) if name == "duration" else f"{value:,.0f}"


def spoken(seconds: float) -> str:
    """A length of time in its two largest units: "2 h 03 min", "4 min 10 s", "3.25 s"."""
    if seconds < 60:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:,} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"

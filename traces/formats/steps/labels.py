"""Whether labels fit the run they are about: its steps, its actors and its words.

Gaps say that a label does not fit, not what it says: gaps are seen before labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from traces.formats.base import Label
from traces.formats.files.cleaning import Cleaner
from traces.formats.steps.fitting import OPINION_NAMES, Fitter, short
from traces.transcript import Gap, Opinion, Step

# What labellers call the passage that they point at. A text, or a list of texts.
QUOTES = ("quote", "evidence")
OUT_OF_RANGE = Gap("label_out_of_range", "The label names a step that is not in the run.")
MISMATCH = Gap("label_mismatch", "At the label's step speaks another actor than it names.")
QUOTE_MISSING = Gap("label_quote_missing", "What the label quotes is not in the run's text.")
# The same of labels that did not come with the run, so that they go when the labels go.
APART = {
    gap.kind: replace(gap, detail=f"{gap.detail[:-1]} (a label that came apart from the run).")
    for gap in (OUT_OF_RANGE, MISMATCH, QUOTE_MISSING)
}


def label_gaps(
    opinions: Iterable[Opinion],
    steps: Sequence[Step],
    *,
    roles: Mapping[str, str] | None = None,
    more_text: Iterable[str] = (),
) -> Iterator[Gap]:
    """At most one gap of the run for each way in which labels do not fit.

    An actor may be named by its key or by its role, of which `roles` has one for a key. A label
    without a step or an actor claims none. `more_text` is of the run, but not in its steps.
    """
    said = _Said(steps, more_text)
    found = (gap for opinion in opinions for gap in _misfits(opinion, steps, roles or {}, said))
    yield from dict.fromkeys(found)


class _Said:
    """All that a run says, searched for quotes: exactly, or but for its white space."""

    def __init__(self, steps: Sequence[Step], more_text: Iterable[str]) -> None:
        self.texts = [*(part.text for step in steps for part in step.parts), *more_text]

    def holds(self, quote: str) -> bool:
        if any(quote in text for text in self.texts):
            return True
        squeezed = _squeezed(quote)
        return any(squeezed in text for text in self._squeezed_texts)

    @cached_property
    def _squeezed_texts(self) -> list[str]:
        return [_squeezed(text) for text in self.texts]


def _misfits(
    opinion: Opinion, steps: Sequence[Step], roles: Mapping[str, str], said: _Said
) -> Iterator[Gap]:
    if opinion.step is None:
        if opinion.native_step:
            yield OUT_OF_RANGE
    elif opinion.actor:
        key = steps[opinion.step].actor
        # Labellers write names in capitals or not, as they like.
        if opinion.actor.casefold() not in (key.casefold(), roles.get(key, key).casefold()):
            yield MISMATCH
    if not all(map(said.holds, quotes_of(opinion))):
        yield QUOTE_MISSING


def quotes_of(opinion: Opinion) -> list[str]:
    """The passages that a label claims to quote."""
    given = [opinion.data.get(name) for name in QUOTES]
    flat = [each for one in given for each in (one if isinstance(one, list) else [one])]
    return [text for text in flat if isinstance(text, str) and text.strip()]


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def step_of(opinion: Opinion, by_source_id: Mapping[str, int], step_count: int) -> int | None:
    """The step that a label means: by its index from the label's base, or by the source's id."""
    native = opinion.native_step
    if native.isascii() and native.isdigit() and len(native) <= 9:
        number = int(native) - opinion.base
        if 0 <= number < step_count:
            return number
    return by_source_id.get(native)


def fitted(label: Label, pointer: str) -> Label:
    """The label at this place, within the limits of the tables. Names as a run's are shortened."""
    return replace(
        label,
        pointer=short(Cleaner().text(pointer)),
        names=tuple(dict.fromkeys(short(name) for name in label.names if name)),
        opinion=Fitter().fit(label.opinion, OPINION_NAMES),
    )

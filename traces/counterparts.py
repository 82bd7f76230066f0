"""Two readings of one run laid beside each other: which step and which words are the same.

Steps are the same by the id that the source gave them, never by their number: a later reading may
have found steps before them. Plain Python.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from traces.fingerprint import digest
from traces.transcript import Part, Step, Transcript

Name = tuple[str, int]


def named(steps: Sequence[Step]) -> dict[Name, Step]:
    """Steps by their source's id; of several with one id the second is another than the first."""
    return dict(zip(names(steps), steps, strict=True))


def names(steps: Sequence[Step]) -> Iterator[Name]:
    seen: Counter[str] = Counter()
    for step in steps:
        yield step.source_id, seen[step.source_id]
        seen[step.source_id] += 1


@dataclass(frozen=True)
class Counterparts:
    """A run as it was read before and as it is read now."""

    before: Transcript
    after: Transcript

    @cached_property
    def numbers(self) -> dict[int, int]:
        """The number now of each step that was there before, as far as it is still there."""
        now = named(self.after.steps)
        return {
            step.number: now[name].number
            for name, step in named(self.before.steps).items()
            if name in now
        }

    @cached_property
    def alike(self) -> bool:
        """Whether both say the same to whoever gets neither labels nor what people added."""
        return digest(bare(self.before)) == digest(bare(self.after))

    @cached_property
    def moved(self) -> bool:
        """Whether a place of before, a step's number or a range of its text, is another now."""
        for step in self.before.steps:
            if self.numbers.get(step.number) != step.number:
                return True
            now = [part.text for part in self.after.steps[step.number].parts]
            texts = [part.text for part in step.parts]
            if now[: len(texts)] != texts:
                return True
        return False

    def step(self, number: int | None) -> int | None:
        return None if number is None else self.numbers.get(number)

    def place(self, step: int, part: int, start: int, end: int) -> tuple[int, int, int, int] | None:
        """Where these characters are now; None if they are not in that step any more.

        In the part with the same text, else in the one that took its place if the words stand
        there where they stood, else where the step says these words and says them once.
        """
        number = self.step(step)
        parts = self.before.steps[step].parts if number is not None else ()
        if number is None or part >= len(parts):
            return None
        old, now = parts[part], self.after.steps[number].parts
        words = old.text[start:end]
        same = [index for index, each in enumerate(now) if each.text == old.text]
        if same:
            return number, nearest(same, part), start, end
        if part < len(now) and now[part].kind is old.kind and now[part].text[start:end] == words:
            return number, part, start, end
        found = list(occurrences(now, old, words))
        if len(found) != 1:
            return None
        ((index, at),) = found
        return number, index, at, at + len(words)


def bare(run: Transcript) -> Transcript:
    recorded = tuple(failure for failure in run.failures if not failure.origin)
    return replace(run, failures=recorded, opinions=(), withheld={})


def nearest(indexes: Sequence[int], index: int) -> int:
    return min(indexes, key=lambda each: abs(each - index))


def occurrences(parts: Sequence[Part], old: Part, words: str) -> Iterator[tuple[int, int]]:
    """Each place of the words in parts of the old one's kind."""
    for index, part in enumerate(parts):
        at = part.text.find(words) if words and part.kind is old.kind else -1
        while at >= 0:
            yield index, at
            at = part.text.find(words, at + 1)

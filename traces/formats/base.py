"""The contract between a document and the record: what a format sees and what it hands back.

A format is one file: it says whether a document is its own, by content and never by file name,
and turns it into transcripts. It knows no Django and never guesses silently: what it cannot
place becomes a gap, what it cannot read becomes a refusal with its position.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from traces.transcript import Gap, Opinion, Transcript

# A decoded JSON value. Only a format knows which shape to expect.
Json = Any

SAMPLE_SIZE = 200


class Unreadable(ValueError):
    """No run can be made of the document. The message is the sentence people read.

    Whatever it would quote of the document is apart, in `excerpt`: it may hold a label.
    """

    def __init__(self, sentence: str, excerpt: str = "") -> None:
        super().__init__(sentence)
        self.excerpt = excerpt


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may hold once inflated, in bytes and counts."""

    size: int = 256 * 2**20
    steps: int = 100_000
    members: int = 10_000
    ratio: int = 200
    depth: int = 200
    # Errors that mean that the reader is at its end, not that the document is at fault.
    interruptions: tuple[type[Exception], ...] = (MemoryError,)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A part of a document that could not be read: where, and why in one sentence.

    `excerpt` quotes the document, and so is not for everybody.
    """

    position: str
    reason: str
    excerpt: str = ""

    @classmethod
    def of(cls, error: Unreadable, position: str) -> Refusal:
        return cls(position, str(error), error.excerpt)


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON value of a document: the whole of it, or one line. `position` is empty or a line.

    `replaced` counts what Postgres cannot hold and cleaning therefore replaced.
    """

    value: Json
    position: str = ""
    replaced: Mapping[str, int] = field(default_factory=Counter)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """What detection may look at: the first value, and the first objects in the document."""

    first: Json
    objects: tuple[Mapping[str, Json], ...]
    head: bytes


@dataclass(frozen=True, slots=True)
class Document:
    """Decoded bytes. `name` is the member's path when they came in a bundle."""

    content: bytes
    records: tuple[Record, ...]
    lines: bool = False
    name: str = ""
    gaps: tuple[Gap, ...] = ()
    refusals: tuple[Refusal, ...] = ()

    def sample(self) -> Sample:
        first = self.records[0].value if self.records else None
        values = [record.value for record in self.records[:SAMPLE_SIZE]]
        if isinstance(first, list) and not self.lines:
            values = first[:SAMPLE_SIZE]
        objects = tuple(value for value in values if isinstance(value, Mapping))
        return Sample(first=first, objects=objects, head=self.content[:4096])

    def values(self) -> Iterator[tuple[str, Json, tuple[Gap, ...]]]:
        """Each value that may be a run: its pointer, and the gaps of how it came to be read."""
        for record in self.records:
            gaps = self.gaps + replacement_gaps(record)
            if isinstance(record.value, list):
                for index, value in enumerate(record.value):
                    yield f"{record.position}/{index}", value, gaps
            else:
                yield record.position, record.value, gaps


def replacement_gaps(*records: Record) -> tuple[Gap, ...]:
    """What cleaning replaced in these records, at most one gap of each kind."""
    counts: Counter[str] = Counter()
    for record in records:
        counts.update(record.replaced)
    gaps = []
    if counts:
        listed = ", ".join(f"{count} of {what}" for what, count in sorted(counts.items()))
        gaps.append(Gap("replaced_characters", f"Replaced while reading: {listed}."))
    notes = [note for record in records for note in record.notes]
    if notes:
        more = f" and {len(notes) - 20} more" if len(notes) > 20 else ""
        gaps.append(Gap("replaced_values", f"Not kept as sent: {'; '.join(notes[:20])}{more}."))
    return tuple(gaps)


@dataclass(frozen=True, slots=True)
class ParsedRun:
    """A run and its place in the document: a JSON pointer, behind a line number if it has one."""

    transcript: Transcript
    pointer: str = ""


@dataclass(frozen=True, slots=True)
class Label:
    """A judgement of a run that is not in this document.

    `names` are the ids that the run may be known by, the most telling first; `opinion` has no
    step yet: it is found when the run is.
    """

    pointer: str
    names: tuple[str, ...]
    opinion: Opinion


@dataclass(frozen=True, slots=True)
class Reading:
    """What a document held. `notes` tell what was left out on purpose, and why."""

    runs: tuple[ParsedRun, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()


class Format(Protocol):
    """What a format offers, built in or by the entry point group `inquest.formats`."""

    name: str
    version: str

    def recognise(self, sample: Sample) -> str | None:
        """The rule that fits, as people read it ("keys a and b"), or None: not mine."""

    def read(self, document: Document) -> Reading:
        """All runs and refusals. Raises Unreadable when nothing of the document can be used."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """A document of a bundle, with the format it is in and the rule that says so."""

    document: Document
    format: str
    rule: str


class Joiner(Protocol):
    """Reads documents of one bundle as one: a trial with its verdicts, an agent with its subagents.

    A bundle is a zip, or a folder and what is below it. What no joiner claims is read by itself.
    """

    name: str
    version: str

    def claims(self, documents: Sequence[Recognised]) -> Iterator[tuple[int, ...]]:
        """Groups that belong together, as indexes; the first of a group is its main document.

        Of files in a folder only the first records are there to choose by.
        """

    def read(self, documents: Sequence[Recognised]) -> Reading:
        """The runs of one group. Pointers begin with the name of the document they are in."""

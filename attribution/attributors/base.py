"""What an attributor is given and what it must give back."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar

from traces.facts import main_text
from traces.transcript import PartKind, Transcript

# Characters. A quote shows where to look; the step itself holds the rest.
LONGEST_EXCERPT = 240
LONGEST_CATEGORY = 120

# Where the deed of a step is most likely said.
DEEDS_FIRST = (
    PartKind.DECISION,
    PartKind.MESSAGE,
    PartKind.TOOL_REQUEST,
    PartKind.STATE,
    PartKind.VERIFICATION,
    PartKind.ERROR,
    PartKind.TOOL_RESPONSE,
    PartKind.INPUT,
    PartKind.INTERPRETATION,
)
# Where a step shows that something went wrong.
SYMPTOMS_FIRST = (
    PartKind.ERROR,
    PartKind.VERIFICATION,
    PartKind.TOOL_RESPONSE,
    PartKind.STATE,
    PartKind.INPUT,
)


class BadProposal(ValueError):
    """A proposal that cannot become a candidate; the message says which and why."""


class Role(StrEnum):
    """The part a step played in the failure."""

    PRODUCED = "produced"
    MISSED = "missed"
    APPARATUS = "apparatus"


@dataclass(frozen=True, slots=True)
class Obligation:
    """A contract in force during the run: what a component owed."""

    key: str
    component: str
    text: str


@dataclass(frozen=True)
class Reading:
    """All an attributor sees of a case: no labels, no ground truth, nobody's claim."""

    transcript: Transcript
    reference: Transcript | None = None
    contracts: tuple[Obligation, ...] = ()

    @classmethod
    def of(
        cls,
        transcript: Transcript,
        reference: Transcript | None = None,
        contracts: tuple[Obligation, ...] = (),
    ) -> Reading:
        """A reading of these runs without opinions and without what was withheld."""
        return cls(_unlabelled(transcript), reference and _unlabelled(reference), contracts)


def _unlabelled(transcript: Transcript) -> Transcript:
    return replace(transcript, opinions=(), withheld={})


@dataclass(frozen=True, slots=True)
class Quote:
    """The characters `start` to `end` of one part of one step. Made by `quote` or `excerpt`."""

    step: int
    part: int
    start: int
    end: int
    text: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """One suspected step. `score` is 0 to 1 and ranks; the rationale is one sentence."""

    step: int
    actor: str
    part: Role
    score: float
    rationale: str
    quotes: tuple[Quote, ...]
    category: str = ""


class Attributor(ABC):
    """One way to find suspects. Another version of it is another attributor."""

    name: ClassVar[str]
    version: ClassVar[int]
    needs_reference: ClassVar[bool] = False

    @property
    def label(self) -> str:
        return f"{self.name}@{self.version}"

    @abstractmethod
    def propose(self, reading: Reading) -> Sequence[Proposal]:
        """Suspects, in any order; none is a good answer. May raise: the analysis then failed.

        With `needs_reference` it is only asked when there is a reference.
        """


def quote(transcript: Transcript, *, step: int, part: int, start: int, end: int) -> Quote:
    """The quote of this range. Raises BadProposal if the record has no such characters."""
    parts = transcript.steps[step].parts if 0 <= step < len(transcript.steps) else ()
    if not 0 <= part < len(parts):
        raise BadProposal(f"There is no part {part} in step #{step} to quote.")
    text = parts[part].text
    if not 0 <= start < end <= len(text):
        raise BadProposal(f"Part {part} of step #{step} has no characters {start} to {end}.")
    return _quote(step, part, start, text[start:end])


def _quote(step: int, part: int, start: int, text: str) -> Quote:
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    return Quote(step, part, start, start + len(text), text, sha256)


def excerpt(
    transcript: Transcript, step: int, prefer: Sequence[PartKind] = DEEDS_FIRST
) -> Quote | None:
    """The beginning of the step's most telling part; None if the step holds no text."""
    parts = list(enumerate(transcript.steps[step].parts))
    parts.sort(key=lambda numbered: _place(numbered[1].kind, prefer))
    for index, part in parts:
        text = main_text(part)
        start = len(text) - len(text.lstrip())
        shown = text[start : start + LONGEST_EXCERPT].splitlines()
        if shown:
            return _quote(step, index, start, shown[0].rstrip())
    return None


def _place(kind: PartKind, prefer: Sequence[PartKind]) -> int:
    return prefer.index(kind) if kind in prefer else len(prefer)


def checked(proposals: Iterable[Proposal], transcript: Transcript) -> list[Proposal]:
    """The proposals, best first. Raises BadProposal for the first one the record does not bear."""
    given = list(proposals)
    for proposal in given:
        reason = _fault(proposal, transcript) or _quote_fault(proposal, transcript)
        if reason:
            raise BadProposal(f"Proposal for step #{proposal.step}: {reason}")
    return sorted(given, key=lambda proposal: -proposal.score)


def _fault(proposal: Proposal, transcript: Transcript) -> str:
    faults = {
        "there is no such step.": not 0 <= proposal.step < len(transcript.steps),
        f"there is no actor {proposal.actor!r}.": proposal.actor not in transcript.actor_by_key,
        f"{proposal.part!r} is no part in a failure.": proposal.part not in list(Role),
        f"the score {proposal.score} is not between 0 and 1.": not 0 <= proposal.score <= 1,
        "it has no rationale.": not proposal.rationale.strip(),
        "no database stores its words: NUL, or half of a surrogate pair.": not _storable(
            proposal.rationale + proposal.category
        ),
        f"its category has more than {LONGEST_CATEGORY} characters.": (
            len(proposal.category) > LONGEST_CATEGORY
        ),
    }
    return next((sentence for sentence, is_so in faults.items() if is_so), "")


def _storable(text: str) -> bool:
    return "\0" not in text and text == text.encode(errors="ignore").decode()


def _quote_fault(proposal: Proposal, transcript: Transcript) -> str:
    if not proposal.quotes:
        return "it quotes nothing from the record."
    for given in proposal.quotes:
        try:
            found = quote(
                transcript, step=given.step, part=given.part, start=given.start, end=given.end
            )
        except BadProposal as error:
            return str(error)
        if found != given:
            return f"“{given.text[:60]}” is not what stands at its place in step #{given.step}."
    return ""

"""When a run looks as if the apparatus failed and not the system under review. Plain Python.

What is found here is proposed to a lead and decides nothing, so it is narrow: the run did not
succeed, the trouble stands in observations, there is much of it, and no work came after it. One
time-out or one refused connection that the agents had to live with is a matter for reviewers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from traces.transcript import (
    ActorKind,
    Outcome,
    PartKind,
    Step,
    StepKind,
    StepStatus,
    Transcript,
)

# How often a trouble must show before it counts as more than a mishap.
MANY = 5
SEVERAL = 3
# So many steps of work in a row without the trouble, and it was over.
LAST = 3
# Of an observation, what is searched: a message about trouble begins with it.
SEARCHED = 2_000
# Steps that a sentence lists.
LISTED = 10

WORKERS = (ActorKind.AGENT, ActorKind.TOOL)
SPOKEN_OF = (PartKind.ERROR, PartKind.TOOL_RESPONSE)
TROUBLED = (StepStatus.ERROR, StepStatus.TIMEOUT)
RATE_LIMITED = re.compile(
    r"\b(?:rate[ _-]?limit(?:ed|s|ing)?\b|RateLimitError|too many requests"
    r"|(?:HTTP|status|code|error|status_code)\W{0,3}429\b|429 client error|quota exceeded"
    r"|insufficient_quota|throttl(?:ed|ingException)\b|TooManyRequestsException"
    r"|overloaded_error)",
    re.IGNORECASE,
)
# The system's own limiter under test, and a server of its own that does not answer.
UNDER_TEST = re.compile(
    r"\bassert(?:ion(?:error)?)?\b|\bpytest\b|\b[0-9]+ (?:passed|failed)\b|\bdef test_",
    re.IGNORECASE,
)
OWN_SERVER = re.compile(
    r"(?:\bcurl\b|\bwget\b|https?://)[^\n]{0,200}?"
    r"(?:\blocalhost\b|\b127\.0\.0\.1\b|\b0\.0\.0\.0\b|\[::1\])",
    re.IGNORECASE,
)
BROKEN = re.compile(
    r"connection (?:refused|reset by peer)|ECONNREFUSED|ECONNRESET|name resolution"
    r"|ENOTFOUND|no space left on device|out of memory|OOMKilled|cannot connect to the docker"
    r"|502 bad gateway|503 service unavailable|504 gateway time-?out"
    r"|container (?:exited|was killed|is not running)|browser has been closed",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Proposal:
    """Why a run might be set aside: a reason of the quarantine, a sentence, and the steps."""

    reason: str
    sentence: str
    steps: tuple[int, ...]

    @property
    def note(self) -> str:
        """The sentence with the steps it rests on, of very many the first."""
        if not self.steps:
            return self.sentence
        shown = ", ".join(f"#{number}" for number in self.steps[:LISTED])
        more = f" and {len(self.steps) - LISTED} more" if len(self.steps) > LISTED else ""
        return f"{self.sentence} Steps {shown}{more}."


def proposals(transcript: Transcript) -> tuple[Proposal, ...]:
    """What speaks for setting the run aside, the strongest first; nothing for most runs."""
    if transcript.outcome is Outcome.SUCCEEDED:
        return ()
    return tuple(found for finder in FINDERS for found in finder(transcript))


def rate_limit_storm(transcript: Transcript) -> Iterator[Proposal]:
    steps = [step for step in troubled(transcript) if says(step, RATE_LIMITED)]
    if last := last_word(transcript, steps, MANY):
        sentence = f"A rate limit was met {last.times} times, and {last.ending} it."
        yield Proposal("rate_limit", sentence, last.steps)


def broken_infrastructure(transcript: Transcript) -> Iterator[Proposal]:
    steps = [step for step in troubled(transcript) if says(step, BROKEN)]
    if last := last_word(transcript, steps, SEVERAL):
        failed = f"Connections, machines or services failed {last.times} times"
        yield Proposal("infrastructure", f"{failed}, and {last.ending} that.", last.steps)


def time_outs(transcript: Transcript) -> Iterator[Proposal]:
    steps = [step for step in transcript.steps if step.status is StepStatus.TIMEOUT]
    if last := last_word(transcript, steps, SEVERAL):
        sentence = f"{last.times} steps ran into a time-out, and {last.ending} the last."
        yield Proposal("time_out", sentence, last.steps)


def malformed_output(transcript: Transcript) -> Iterator[Proposal]:
    """Of requests that are no JSON, and of steps that could not be read at all."""
    asking = [step.number for step in transcript.steps if asks(step)]
    faulty = {gap.step for gap in transcript.gaps if gap.kind == "malformed_arguments"}
    malformed = [number for number in asking if number in faulty]
    if len(malformed) >= MANY and 2 * len(malformed) >= len(asking):
        sentence = f"{len(malformed)} of {len(asking)} tool requests are no valid JSON."
        yield Proposal("malformed_output", sentence, tuple(malformed))
    lost = sum(gap.kind == "undecodable_step" for gap in transcript.gaps)
    if lost >= SEVERAL and lost >= len(transcript.steps):
        sentence = f"{lost} steps could not be read, and only {len(transcript.steps)} could."
        yield Proposal("malformed_output", sentence, ())


FINDERS = (rate_limit_storm, broken_infrastructure, time_outs, malformed_output)


def asks(step: Step) -> bool:
    return any(part.kind is PartKind.TOOL_REQUEST for part in step.parts)


def troubled(transcript: Transcript) -> Iterator[Step]:
    """Steps that are recorded as failed, or hold an error."""
    for step in transcript.steps:
        if step.status in TROUBLED or any(part.kind is PartKind.ERROR for part in step.parts):
            yield step


def says(step: Step, words: re.Pattern[str]) -> bool:
    """Whether an observation of the step says so; what an agent says about it does not count.

    Nor what tests say of the system's own limits, or who asked a server on the same machine.
    """
    seen = [part.text[:SEARCHED] for part in step.parts if part.kind in SPOKEN_OF]
    if not any(words.search(text) for text in seen):
        return False
    shown = [part.text[:SEARCHED] for part in step.parts]
    return not any(UNDER_TEST.search(text) or OWN_SERVER.search(text) for text in shown)


class LastWord(NamedTuple):
    """Trouble in which the work ended: its steps, and how many steps of work came after."""

    steps: tuple[int, ...]
    after: int

    @property
    def times(self) -> int:
        return len(self.steps)

    @property
    def ending(self) -> str:
        work = f"only {self.after} step{'s' * (self.after > 1)} of" if self.after else "no"
        return f"{work} work came after"


def last_word(transcript: Transcript, trouble: Iterable[Step], least: int) -> LastWord | None:
    """The trouble since work last went well, if there is enough of it.

    Verification and reports are no work.
    """
    bad = {step.number for step in trouble}
    found: list[int] = []
    after = well = 0
    for step in reversed(transcript.steps):
        if step.number in bad:
            found.append(step.number)
            well = 0
        elif is_work(transcript, step):
            well += 1
            after += not found
            if well >= LAST:
                break
    return LastWord(tuple(reversed(found)), after) if len(found) >= least else None


def is_work(transcript: Transcript, step: Step) -> bool:
    working = transcript.actor_of(step).kind in WORKERS
    return working and step.kind is not StepKind.VERIFICATION

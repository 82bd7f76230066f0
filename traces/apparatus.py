"""When a run looks as if the apparatus failed and not the system under review. Plain Python.

What is found here is proposed to a lead and decides nothing, so it is narrow: the run did not
succeed, the trouble stands in observations, there is much of it, and no work came after it. One
time-out or one refused connection that the agents had to live with is a matter for reviewers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

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
# Of the last steps of work, how many may hold the trouble that ended the run.
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
    r"|(?:HTTP|status|code|error)\W{0,3}429\b|quota exceeded|overloaded_error)",
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
    if len(steps) >= MANY and had_the_last_word(transcript, steps):
        sentence = f"A rate limit was met {len(steps)} times, and no work came after it."
        yield Proposal("rate_limit", sentence, numbers(steps))


def broken_infrastructure(transcript: Transcript) -> Iterator[Proposal]:
    steps = [step for step in troubled(transcript) if says(step, BROKEN)]
    if len(steps) >= SEVERAL and had_the_last_word(transcript, steps):
        sentence = (
            f"Connections, machines or services failed {len(steps)} times, and no work came after."
        )
        yield Proposal("infrastructure", sentence, numbers(steps))


def time_outs(transcript: Transcript) -> Iterator[Proposal]:
    steps = [step for step in transcript.steps if step.status is StepStatus.TIMEOUT]
    if len(steps) >= SEVERAL and had_the_last_word(transcript, steps):
        sentence = f"{len(steps)} steps ran into a time-out, and no work came after the last."
        yield Proposal("time_out", sentence, numbers(steps))


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
    """Whether an observation of the step says so; what an agent says about it does not count."""
    seen = (part.text[:SEARCHED] for part in step.parts if part.kind in SPOKEN_OF)
    return any(words.search(text) for text in seen)


def had_the_last_word(transcript: Transcript, trouble: Iterable[Step]) -> bool:
    """Whether the work ended in the trouble. Verification and reports after it are no work."""
    work = [step for step in transcript.steps if is_work(transcript, step)][-LAST:]
    last = work[0].number if work else 0
    return any(step.number >= last for step in trouble)


def is_work(transcript: Transcript, step: Step) -> bool:
    working = transcript.actor_of(step).kind in WORKERS
    return working and step.kind is not StepKind.VERIFICATION


def numbers(steps: Sequence[Step]) -> tuple[int, ...]:
    return tuple(step.number for step in steps)

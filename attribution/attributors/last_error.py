"""last-error: from the last things that went wrong back to who acted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attribution.alignment.attempts import healed_attempts
from attribution.attributors.base import (
    SYMPTOMS_FIRST,
    Attributor,
    Proposal,
    Reading,
    Role,
    excerpt,
)
from traces.causality import StepGraph
from traces.transcript import ActorKind, PartKind, Step, StepStatus, Transcript

# For the last symptom, the one before it, and the one before that. The last error is seldom the
# origin of a failure: the scores say so.
SCORES = (0.4, 0.3, 0.2)

_DEEDS = frozenset({PartKind.DECISION, PartKind.MESSAGE, PartKind.TOOL_REQUEST, PartKind.STATE})


class LastError(Attributor):
    """The last errors, time-outs and failed checks, each walked back to the agent that acted."""

    name = "last-error"
    version = 1

    def propose(self, reading: Reading) -> Sequence[Proposal]:
        run = reading.transcript
        found: dict[int, Proposal] = {}
        for symptom in symptoms(run):
            cause, how = cause_of(run, symptom)
            if cause in found:
                continue
            proposal = _proposal(run, symptom, cause, how, SCORES[len(found)])
            if proposal:
                found[cause] = proposal
            if len(found) == len(SCORES):
                break
        return list(found.values())


def symptoms(run: Transcript) -> Iterator[Step]:
    """Steps at which something went wrong and was not got over, the last first."""
    bad = {step.number for step in run.steps if went_wrong(step)}
    healed = healed_attempts(run.links, bad)
    return (step for step in reversed(run.steps) if step.number in bad - healed)


def went_wrong(step: Step) -> bool:
    if step.status in (StepStatus.ERROR, StepStatus.TIMEOUT):
        return True
    return any(
        part.kind is PartKind.ERROR
        or (part.kind is PartKind.VERIFICATION and part.data.get("verdict") == "failed")
        for part in step.parts
    )


def cause_of(run: Transcript, symptom: Step) -> tuple[int, str]:
    """The step whose actor brought the symptom about, and a half-sentence on how it was found."""
    if _acts(run, symptom):
        return symptom.number, "made that call itself"
    upstream = _upstream(StepGraph(run.links).recorded_only(), symptom.number)
    for number in upstream:
        if _acts(run, run.steps[number]):
            return number, f"acted at #{number}, the nearest action recorded before it"
    earlier = (step for step in reversed(run.steps[: symptom.number]) if _acts(run, step))
    nearest = next(earlier, None)
    if nearest is None:
        return symptom.number, "is all there is: no agent acted before"
    how = f"acted at #{nearest.number}, the nearest action before it; no link is recorded"
    return nearest.number, how


def _upstream(graph: StepGraph, step: int) -> Iterator[int]:
    """What a step came from: its inputs, latest first, then theirs."""
    seen, level = {step}, [step]
    while level:
        sources = {link.source for number in level for link in graph.inputs.get(number, ())}
        level = sorted(sources - seen, reverse=True)
        seen |= sources
        yield from level


def _acts(run: Transcript, step: Step) -> bool:
    """Whether an agent did something here: more than think, or see a check fail."""
    if run.actor_of(step).kind is not ActorKind.AGENT:
        return False
    kinds = {part.kind for part in step.parts}
    sees_a_failed_check = PartKind.VERIFICATION in kinds and went_wrong(step)
    return bool(kinds & _DEEDS) and not sees_a_failed_check


def _proposal(
    run: Transcript, symptom: Step, cause: int, how: str, score: float
) -> Proposal | None:
    quotes = [excerpt(run, cause), excerpt(run, symptom.number, SYMPTOMS_FIRST)]
    actor = run.actor_of(run.steps[cause])
    anchored = tuple(dict.fromkeys(quote for quote in quotes if quote))
    if not anchored:
        return None
    return Proposal(
        step=cause,
        actor=actor.key,
        part=Role.PRODUCED if actor.kind is ActorKind.AGENT else Role.APPARATUS,
        score=score,
        rationale=f"#{symptom.number} {_ending(symptom)}; {actor.role} {how}.",
        quotes=anchored,
    )


def _ending(symptom: Step) -> str:
    failed = (part.data for part in symptom.parts if part.data.get("verdict") == "failed")
    check = next((str(data.get("check") or "") for data in failed), None)
    if check is not None:
        return f"saw the check “{check}” fail" if check else "saw a check fail"
    return "timed out" if symptom.status is StepStatus.TIMEOUT else "ended in an error"

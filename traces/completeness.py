"""Finds the gaps a transcript shows by itself. Each finder looks for one kind; none repairs.

A fact about the whole run is one gap of the run, not one of each step.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

from traces.facts import main_text
from traces.transcript import (
    ActorKind,
    Gap,
    LinkKind,
    Outcome,
    Part,
    PartKind,
    Step,
    Transcript,
)

Finder = Callable[[Transcript], Iterable[Gap]]
SPOKEN = frozenset(
    {PartKind.INPUT, PartKind.DECISION, PartKind.INTERPRETATION, PartKind.MESSAGE, PartKind.ERROR}
)


def no_recorded_links(transcript: Transcript) -> Iterator[Gap]:
    if len(transcript.steps) > 1 and not any(link.recorded for link in transcript.links):
        yield Gap("no_recorded_links", "No step says which steps it used.")


def no_times(transcript: Transcript) -> Iterator[Gap]:
    if transcript.steps and not any(step.started_at for step in transcript.steps):
        yield Gap("no_times", "No step has a time.")


def actor_without_instance(transcript: Transcript) -> Iterator[Gap]:
    names = [
        actor.role
        for actor in transcript.actors
        if actor.kind is ActorKind.AGENT and not actor.instance
    ]
    if names:
        yield Gap("actor_without_instance", f"Agents without an instance: {listed(names)}.")


def initial_state(transcript: Transcript) -> Iterator[Gap]:
    state = transcript.initial_state
    if state.get("mutable"):
        where = state.get("reference") or "not named"
        yield Gap("mutable_initial_state", f"The initial state may have changed: {where}.")
    elif not (state.get("reference") or state.get("digest")):
        yield Gap("unknown_initial_state", "The record does not say what the run started from.")


def missing_verification(transcript: Transcript) -> Iterator[Gap]:
    if transcript.outcome is not Outcome.FAILED:
        return
    checked = any(part.kind is PartKind.VERIFICATION for _, _, part in transcript.citable())
    if not checked and not any(r.by in ("harness", "verifier") for r in transcript.reports):
        yield Gap("missing_verification", "The run failed, but no check is recorded.")


def unpaired_calls(transcript: Transcript) -> Iterator[Gap]:
    """Requests without a response and the reverse; ids match the nearest earlier request."""
    open_calls: defaultdict[str, deque[Step]] = defaultdict(deque)
    orphans: list[Step] = []
    requests = 0
    for step in transcript.steps:
        for part in step.parts:
            if part.kind is PartKind.TOOL_REQUEST:
                requests += 1
                open_calls[call_of(step, part)].append(step)
            elif part.kind is PartKind.TOOL_RESPONSE:
                waiting = open_calls[call_of(step, part)]
                if waiting:
                    waiting.pop()
                else:
                    orphans.append(step)
    yield from unanswered(open_calls.values())
    yield from unasked(orphans, requests)


def call_of(step: Step, part: Part) -> str:
    """The call's id; a call without one can only be answered within its own step."""
    return str(part.data.get("call") or f"in step {step.number}")


def unanswered(open_calls: Iterable[deque[Step]]) -> Iterator[Gap]:
    steps = {step.number: step for waiting in open_calls for step in waiting}
    for _, step in sorted(steps.items()):
        what = f"The request to {step.tool}" if step.tool else "A tool request"
        yield Gap("request_without_response", f"{what} has no response.", step.number)


def unasked(orphans: list[Step], requests: int) -> Iterator[Gap]:
    if orphans and not requests:
        count = len(orphans)
        detail = f"The record has no tool requests at all; {count} tool responses stand alone."
        yield Gap("response_without_request", detail)
        return
    for step in orphans:
        yield Gap("response_without_request", "A tool response has no request.", step.number)


def retry_without_reason(transcript: Transcript) -> Iterator[Gap]:
    retries = {link.target for link in transcript.links if link.kind is LinkKind.RETRY_OF}
    for step in transcript.steps:
        tried_again = step.number in retries or (step.attempt or 0) > 1
        if tried_again and not step.attempt_reason:
            yield Gap("retry_without_reason", "Tried again for a reason not given.", step.number)


def join_without_parents(transcript: Transcript) -> Iterator[Gap]:
    """A join needs two recorded predecessors; one of them may be the joining actor's own."""
    predecessors: defaultdict[int, set[int]] = defaultdict(set)
    for link in transcript.links:
        if link.recorded:
            predecessors[link.target].add(link.source)
    for target in dict.fromkeys(k.target for k in transcript.links if k.kind is LinkKind.JOIN):
        if len(predecessors[target]) < 2:
            yield Gap("join_without_parents", "Joins branches, of which one is recorded.", target)


def negative_duration(transcript: Transcript) -> Iterator[Gap]:
    for step in transcript.steps:
        if step.started_at and step.ended_at and step.ended_at < step.started_at:
            early = step.started_at - step.ended_at
            yield Gap("negative_duration", f"Ends {early} before it starts.", step.number)


def clock_skew(transcript: Transcript) -> Iterator[Gap]:
    for link in transcript.links:
        before = transcript.steps[link.source].started_at
        after = transcript.steps[link.target].started_at
        if link.recorded and before and after and after < before:
            detail = f"Starts {before - after} before step {link.source}, which it follows."
            yield Gap("clock_skew", detail, link.target)


def empty_content(transcript: Transcript) -> Iterator[Gap]:
    for step in transcript.steps:
        silent = any(part.kind in SPOKEN and not main_text(part) for part in step.parts)
        if silent or not step.parts:
            yield Gap("empty_content", "The step has no content.", step.number)


def holes(sequence: Iterable[int]) -> Iterator[Gap]:
    """One gap for all numbers missing in what the source gave the steps, in the steps' order.

    Steps have numbers of their own here: the gap says between which of them each hole is.
    """
    given = list(enumerate(sequence))
    last = {each: number for number, each in given}
    first = {each: number for number, each in reversed(given)}
    missing = [
        f"{run_of(a + 1, b - 1)} ({between(last[a], first[b])})"
        for a, b in pairwise(sorted(first))
        if b - a > 1
    ]
    if missing:
        detail = f"Missing in the source's own sequence numbers: {listed(missing)}."
        yield Gap("sequence_hole", detail)


def run_of(first: int, last: int) -> str:
    return str(first) if first == last else f"{first} to {last}"


def between(one: int, other: int) -> str:
    """Two steps, whichever comes first: links may order them against their sequence."""
    return f"between steps #{min(one, other)} and #{max(one, other)} here"


def listed(names: list[str]) -> str:
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return ", ".join(names[:10]) + more


FINDERS: tuple[Finder, ...] = (
    no_recorded_links,
    no_times,
    actor_without_instance,
    initial_state,
    missing_verification,
    unpaired_calls,
    retry_without_reason,
    join_without_parents,
    negative_duration,
    clock_skew,
    empty_content,
)

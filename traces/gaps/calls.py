"""Gaps in what tools were asked and answered, and in what was tried again."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator

from traces.completeness import explained, listed
from traces.gaps.kind import Finder, Kind
from traces.transcript import Gap, LinkKind, Part, PartKind, Step, Transcript

# Where a step may say why the reason of its attempt is not there.
REASON = ("attempt_reason", "retry/reason", "retry")

KINDS = {
    "request_without_response": Kind(
        "Tool request without response",
        "What the tool answered is not in the record: the next step's evidence is missing.",
        "Record the response with the call's id, also for errors and time-outs.",
    ),
    "response_without_request": Kind(
        "Tool response without request",
        "A tool's output is recorded, but not what was asked of it.",
        "Record each request with its arguments and a call id.",
    ),
    "malformed_arguments": Kind(
        "Malformed tool arguments",
        "The arguments of a tool request are not JSON; they are shown as they were written.",
        "Nothing to instrument: often the model wrote them so.",
    ),
    "reused_call_id": Kind(
        "Call id used again",
        "Several requests have the same call id; each was matched to the next response.",
        "Use call ids that are unique within a run.",
    ),
    "retry_without_reason": Kind(
        "Retry without reason",
        "A step, or the whole run, was tried again and the record does not say why.",
        "Record why the earlier attempt was not accepted.",
    ),
}


def unpaired_calls(transcript: Transcript) -> Iterator[Gap]:
    """Requests without a response and the reverse; ids match the nearest earlier request.

    An error in the step of a request is its response: tools that raise answer so.
    """
    open_calls: defaultdict[str, deque[Step]] = defaultdict(deque)
    orphans: list[Step] = []
    requests = 0
    for step in transcript.steps:
        own = ""
        for part in step.parts:
            if part.kind is PartKind.TOOL_REQUEST:
                requests += 1
                own = call_of(step, part)
                open_calls[own].append(step)
            elif part.kind is PartKind.TOOL_RESPONSE:
                waiting = open_calls[call_of(step, part)]
                if waiting:
                    waiting.pop()
                else:
                    orphans.append(step)
        failed = own and any(part.kind is PartKind.ERROR for part in step.parts)
        if failed and open_calls[own] and open_calls[own][-1] is step:
            open_calls[own].pop()
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


def reused_call_id(transcript: Transcript) -> Iterator[Gap]:
    calls = (part.data.get("call") for _, part in transcript.parts_of(PartKind.TOOL_REQUEST))
    counts = Counter(str(call) for call in calls if call)
    reused = [call for call, count in counts.items() if count > 1]
    if reused:
        yield Gap("reused_call_id", f"Several calls have the id: {listed(reused)}.")


def retry_without_reason(transcript: Transcript) -> Iterator[Gap]:
    explained_by_run = explained(transcript.capture, "attempt_reason", "attempt/reason", "attempt")
    if (transcript.attempt or 0) > 1 and not (transcript.attempt_reason or explained_by_run):
        detail = f"The run is attempt {transcript.attempt}, for a reason not given."
        yield Gap("retry_without_reason", detail)
    retries = {link.target for link in transcript.links if link.kind is LinkKind.RETRY_OF}
    for step in transcript.steps:
        tried_again = step.number in retries or (step.attempt or 0) > 1
        if tried_again and not (step.attempt_reason or explained(step.capture, *REASON)):
            yield Gap("retry_without_reason", "Tried again for a reason not given.", step.number)


FINDERS: tuple[Finder, ...] = (
    unpaired_calls,
    reused_call_id,
    retry_without_reason,
)

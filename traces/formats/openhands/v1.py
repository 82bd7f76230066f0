"""Events of the OpenHands SDK: each of a kind, with ids; several actions may come of one reply."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from traces.formats.chat.message import Call
from traces.formats.openhands.acts import (
    AGENT,
    HARNESS,
    HUMAN,
    Acts,
    exit_code,
    facts,
    spoken,
    zoned,
)
from traces.formats.records.event_log import Entry
from traces.formats.records.loose import Object, items, mapping, objects, shown, text
from traces.formats.steps.conversation import Place
from traces.transcript import Fate, Part, PartKind, Report, StepKind

NOTES = frozenset(
    {"CondensationRequest", "TokenEvent", "LLMCompletionLogEvent", "HookExecutionEvent"}
    | {"StreamingDeltaEvent", "ACPToolCallEvent"}
)
ENDS = frozenset({"finished", "error", "stuck", "deleting"})


@dataclass(slots=True)
class Events:
    """A run while its events are read."""

    acts: Acts
    by_call: dict[str, str]

    def read(self, entry: Entry) -> None:
        value, kind = entry.value, text(entry.value.get("kind"))
        name = text(value.get("id")) or entry.pointer
        place = Place(name, (entry.number, 0), entry.pointer, zoned(value.get("timestamp")))
        reader = KINDS.get(kind)
        if reader is not None:
            reader(self, value, place)
        else:
            fate = Fate.CONTEXT if kind in NOTES else Fate.UNMAPPED
            self.acts.builder.record(place.pointer, fate, kind)


def action(events: Events, value: Object, place: Place) -> None:
    said, reasoning = spoken(value.get("thought")), text(value.get("reasoning_content"))
    parts = [
        Part(kind, words)
        for kind, words in ((PartKind.INTERPRETATION, reasoning), (PartKind.MESSAGE, said))
        if words
    ]
    if not reasoning:
        parts = [*thinking(value), *parts]
    reply = text(value.get("llm_response_id"))
    decided = events.acts.decide(reply or f"{place.id}.reply", place, parts)
    call, given = mapping(value.get("tool_call")), mapping(value.get("action"))
    asked = call.get("arguments")
    if asked is None:
        asked = {key: each for key, each in given.items() if key != "kind"}
    name = text(value.get("tool_name")) or text(call.get("name")) or text(given.get("kind"))
    call_id = text(value.get("tool_call_id")) or text(call.get("id"))
    data = facts(summary=text(value.get("summary")), risk=risk(value))
    events.acts.ask(decided, place, Call(call_id, name or "unknown tool", asked, data))
    if call_id:
        events.by_call[call_id] = place.id
    if given.get("kind") == "FinishAction":
        report = Report("finish", "agent", at=place.at, detail=text(given.get("message")))
        events.acts.builder.report(report, events.acts.calls.get(place.id))


def risk(value: Object) -> str:
    given = text(value.get("security_risk"))
    return "" if given == "UNKNOWN" else given


def thinking(value: Object) -> list[Part]:
    """Reasoning in blocks; one that holds a signature alone was withheld."""
    found = []
    for block in objects(value.get("thinking_blocks")):
        if words := text(block.get("thinking")):
            found.append(Part(PartKind.INTERPRETATION, words))
        elif block.get("signature") or block.get("data"):
            capture = {"text": "withheld"}
            found.append(Part(PartKind.INTERPRETATION, "", {"sealed": True}, capture))
    return found


def observation(events: Events, value: Object, place: Place) -> None:
    given = mapping(value.get("observation"))
    code = exit_code(given, mapping(given.get("metadata")))
    failed = given.get("is_error")
    if not isinstance(failed, bool):
        failed = None if code is None else code != 0
    elif not failed and code:
        failed = True
    content = spoken(given.get("content")) or spoken(given.get("output"))
    call = text(value.get("tool_call_id"))
    data = facts(exit_code=code, call=call, timed_out=given.get("timeout") is True or None)
    part = Part(PartKind.TOOL_RESPONSE, content, data)
    tool = text(value.get("tool_name"))
    cause = text(value.get("action_id"))
    events.acts.observe(cause, place, part, failed=failed, tool=tool)


def agent_error(events: Events, value: Object, place: Place) -> None:
    """The program could not do what the agent asked for."""
    said = text(value.get("error"))
    cause = events.by_call.get(text(value.get("tool_call_id")), "")
    if not cause:
        events.acts.error(place, said)
        return
    part = Part(PartKind.TOOL_RESPONSE, said, {"call": text(value.get("tool_call_id"))})
    events.acts.observe(cause, place, part, failed=True)


def rejected(events: Events, value: Object, place: Place) -> None:
    events.acts.reject(text(value.get("action_id")), place, text(value.get("rejection_reason")))


def message(events: Events, value: Object, place: Place) -> None:
    inner, source = mapping(value.get("llm_message")), text(value.get("source"))
    said = spoken(inner.get("content"))
    if source == AGENT:
        parts = [Part(PartKind.MESSAGE, said)]
        if reasoning := text(inner.get("reasoning_content")):
            parts.insert(0, Part(PartKind.INTERPRETATION, reasoning))
        events.acts.tell(events.acts.actor(), place, StepKind.MESSAGE, *parts)
        return
    actor = events.acts.other(HUMAN if source == HUMAN else HARNESS)
    pieces = [each for each in objects(inner.get("content")) if each.get("type") != "text"]
    part = Part(PartKind.INPUT, said, facts(pieces=pieces or None))
    added = spoken(value.get("extended_content"))
    parts = [part, *([Part(PartKind.INPUT, added, {"added": True})] if added else [])]
    events.acts.tell(actor, place, StepKind.INPUT, *parts)


def instructions(events: Events, value: Object, place: Place) -> None:
    prompt = value.get("system_prompt")
    said = text(mapping(prompt).get("text")) or text(prompt)
    part = Part(PartKind.INPUT, said, {"tools": len(items(value.get("tools")))})
    events.acts.tell(events.acts.other(HARNESS), place, StepKind.INPUT, part)


def condensation(events: Events, value: Object, place: Place) -> None:
    summary = text(value.get("summary"))
    capture = {} if summary else {"text": "absent"}
    data = facts(forgotten=value.get("forgotten_event_ids"))
    part = Part(PartKind.INTERPRETATION, summary, data, capture)
    events.acts.tell(events.acts.other(HARNESS), place, StepKind.MESSAGE, part)


def state(events: Events, value: Object, place: Place) -> None:
    """What the program keeps of the conversation; some states are an ending."""
    key, now = text(value.get("key")), value.get("value")
    label = f"state {key}" + (f" {now}" if key == "execution_status" else "")
    events.acts.builder.record(place.pointer, Fate.CONTEXT, label)
    if key == "execution_status" and isinstance(now, str) and now in ENDS:
        last = next(reversed(events.acts.ends.values()), None)
        events.acts.builder.report(Report(now, "framework", at=place.at), last)


def paused(events: Events, value: Object, place: Place) -> None:
    kind = text(value.get("kind"))
    part = Part(PartKind.DECISION, text(value.get("detail")) or kind)
    events.acts.tell(events.acts.other(HUMAN), place, StepKind.DECISION, part)


def failed(events: Events, value: Object, place: Place) -> None:
    code, detail = text(value.get("code")), text(value.get("detail"))
    said = ": ".join(filter(None, (code, detail))) or shown(dict(value))
    draft = events.acts.error(place, said)
    report = Report("error", "framework", at=place.at, detail=said)
    events.acts.builder.report(report, draft)


KINDS: dict[str, Callable[[Events, Object, Place], None]] = {
    "ActionEvent": action,
    "ObservationEvent": observation,
    "AgentErrorEvent": agent_error,
    "UserRejectObservation": rejected,
    "MessageEvent": message,
    "SystemPromptEvent": instructions,
    "Condensation": condensation,
    "CondensationSummaryEvent": condensation,
    "ConversationStateUpdateEvent": state,
    "ConversationErrorEvent": failed,
    "PauseEvent": paused,
    "InterruptEvent": paused,
}

"""What each event of a managed session tells, as steps of the thread that it is of."""

from __future__ import annotations

from traces.formats.chat.message import Answer, Call
from traces.formats.managed_agents.threads import HUMAN, Readers, Threads
from traces.formats.records.loose import Object, mapping, objects, shown, text
from traces.formats.steps.building import Draft
from traces.formats.steps.conversation import Place, drafted
from traces.transcript import (
    ActorKind,
    Fate,
    LinkKind,
    Part,
    PartKind,
    Report,
    StepKind,
    StepStatus,
)

ENDS = frozenset({"end_turn", "retries_exhausted", "max_tokens", "refusal", "error"})


def spoken(value: Object) -> str:
    content = value.get("content")
    if isinstance(content, str):
        return content
    pieces = [text(each.get("text")) or shown(dict(each)) for each in objects(content)]
    return "\n".join(pieces)


def heard(threads: Threads, value: Object, place: Place) -> Draft:
    turns = threads.thread(value)
    return turns.tell(Part(PartKind.INPUT, spoken(value)), StepKind.INPUT, turns.person(), place)


def interrupted(threads: Threads, value: Object, place: Place) -> Draft:
    turns = threads.thread(value)
    part = Part(PartKind.DECISION, text(value.get("type")))
    return turns.tell(part, StepKind.DECISION, turns.person(), place)


def confirmed(threads: Threads, value: Object, place: Place) -> Draft:
    """A person allowed or denied a call: who denied it is why it did not run."""
    known = threads.calls.get(text(value.get("tool_use_id")))
    turns = known[0] if known else threads.thread(value)
    result, reason = text(value.get("result")), text(value.get("deny_message"))
    part = Part(PartKind.DECISION, reason or result, {"result": result})
    person = turns.builder.actor(HUMAN, ActorKind.HUMAN)
    draft = turns.builder.add(drafted(place, person, StepKind.DECISION, [part]))
    if known:
        turns.builder.link(known[1].id, draft.id, LinkKind.CONSUMES)
        turns.ends[draft.id] = draft
    if known and result == "deny":
        known[1].status = StepStatus.CANCELLED
    return draft


def said(threads: Threads, value: Object, place: Place) -> Draft:
    turns = threads.thread(value)
    draft = turns.reply(place)
    turns.say(Part(PartKind.MESSAGE, spoken(value)), place)
    return draft


def thought(threads: Threads, value: Object, place: Place) -> Draft:
    turns = threads.thread(value)
    draft = turns.reply(place)
    words = spoken(value) or text(value.get("thinking"))
    capture = {} if words else {"text": "withheld"}
    turns.say(Part(PartKind.INTERPRETATION, words, {}, capture), place)
    return draft


def asked(threads: Threads, value: Object, place: Place) -> Draft:
    turns = threads.thread(value)
    data = {
        key: value[key]
        for key in ("mcp_server_name", "evaluated_permission")
        if isinstance(value.get(key), str)
    }
    tool = text(value.get("name")) or "unknown tool"
    draft = turns.ask(Call(place.id, tool, value.get("input"), data), place)
    threads.calls[place.id] = (turns, draft)
    return draft


def answered(threads: Threads, value: Object, place: Place) -> Draft:
    names = (value.get(key) for key in ("tool_use_id", "mcp_tool_use_id", "custom_tool_use_id"))
    call = next(filter(None, map(text, names)), "")
    known = threads.calls.get(call)
    turns = known[0] if known else threads.thread(value)
    failed = value.get("is_error")
    denied = known is not None and known[1].status is StepStatus.CANCELLED
    answer = Answer(call, "", spoken(value), failed if isinstance(failed, bool) else None)
    draft = turns.answer(answer, place)
    if denied:
        draft.status = StepStatus.CANCELLED
    return draft


def begun(threads: Threads, value: Object, place: Place) -> Draft | None:
    """A call of the model begins: what comes now is its own."""
    turns = threads.thread(value)
    turns.call = None
    threads.spans[place.id] = turns
    turns.opened = place
    threads.builder.record(place.pointer, Fate.CONTAINER, text(value.get("type")))
    return None


def ended(threads: Threads, value: Object, place: Place) -> Draft | None:
    turns = threads.spans.get(text(value.get("model_request_start_id"))) or threads.thread(value)
    draft = turns.call or next(reversed(turns.replies), None)
    threads.builder.record(place.pointer, Fate.CONTAINER, text(value.get("type")), draft)
    if draft is not None:
        draft.ended_at = place.at or draft.ended_at
        if value.get("is_error") is True:
            draft.status = StepStatus.ERROR
    turns.call = None
    return None


def idle(threads: Threads, value: Object, place: Place) -> Draft | None:
    """The session waits, or is at its end: only the reason tells which."""
    kind, reason = text(value.get("type")), text(mapping(value.get("stop_reason")).get("type"))
    turns = threads.thread(value)
    turns.call = None
    last = next(reversed(turns.ends.values()), None)
    threads.builder.record(place.pointer, Fate.CONTEXT, f"{kind} {reason}".strip(), last)
    if reason in ENDS or kind == "session.status_terminated":
        report = Report(reason or "terminated", "framework", at=place.at)
        threads.builder.report(report, last)
    return None


def failed(threads: Threads, value: Object, place: Place) -> Draft:
    """An error of the session; it says itself whether the call is tried again."""
    turns = threads.thread(value)
    error = mapping(value.get("error"))
    words = text(error.get("message")) or shown(dict(error) or dict(value))
    status = text(mapping(error.get("retry_status")).get("type"))
    data = {"type": text(error.get("type")), "retry_status": status}
    part = Part(PartKind.ERROR, words, {k: v for k, v in data.items() if v})
    draft = turns.tell(part, StepKind.ERROR, turns.harness(), place)
    draft.status = StepStatus.ERROR
    if status == "retrying":
        turns.failing = draft
    elif status:
        threads.builder.report(Report(status, "framework", at=place.at, detail=words), draft)
    return draft


EVENTS: Readers = {
    "user.message": heard,
    "user.interrupt": interrupted,
    "user.tool_confirmation": confirmed,
    "user.custom_tool_result": answered,
    "agent.message": said,
    "agent.thinking": thought,
    "agent.tool_use": asked,
    "agent.mcp_tool_use": asked,
    "agent.custom_tool_use": asked,
    "agent.tool_result": answered,
    "agent.mcp_tool_result": answered,
    "span.model_request_start": begun,
    "span.model_request_end": ended,
    "session.status_idle": idle,
    "session.status_terminated": idle,
    "session.error": failed,
}

"""What models are sent and say, and what tools answer, in a sample of Inspect.

A model's call is a step and so is each tool call; what models are sent is told where it is new.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from traces.formats.base import Json
from traces.formats.chat.message import Answer, Call, Message
from traces.formats.chat.single import message
from traces.formats.inspect.run import Run
from traces.formats.inspect.spans import Agent
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.steps.building import Draft
from traces.formats.steps.conversation import Conversation, Place, key_of, nth
from traces.transcript import (
    ActorKind,
    Part,
    PartKind,
    StepKind,
    StepStatus,
)

AGAIN = "messages sent to a model again"
# An event without a message shows that a model was called, and not that it said nothing.
NO_REPLY = Message("assistant", parts=(Part(PartKind.MESSAGE, "", {}, {"text": "not_captured"}),))


def model(run: Run, event: Object, place: Place, agent: Agent) -> None:
    for index, sent in enumerate(news(run, event)):
        order = (place.order[0], 0, index)
        there = Place(f"{place.id}.sent.{index + 1}", order, place.pointer, place.at)
        hear(run, sent, there, agent)
    output = loose.mapping(run.attachments.whole(event.get("output")))
    choice = next(iter(loose.objects(output.get("choices"))), {})
    said = loose.mapping(choice.get("message"))
    if said:
        run.heard.add(mark(said))
    whole = spoken({**said, "role": "assistant"}) if said else NO_REPLY
    rest = rest_of(event, output, choice)
    draft = agent.talk.decide(replace(whole, name="", rest=rest), place)
    run.builder.actor(draft.actor, model=loose.text(event.get("model")) or None)
    went(run, draft, event)
    run.begun(agent, draft)


def went(run: Run, draft: Draft, event: Object) -> None:
    """How a model's call went: its error, and how often it was repeated until it did."""
    error, retries = event.get("error"), loose.number(event.get("retries")) or 0
    draft.status = StepStatus.ERROR if error else StepStatus.OK
    if error:
        draft.parts.append(Part(PartKind.ERROR, loose.shown(run.attachments.whole(error))))
    if retries:
        draft.attempt = retries + 1
        draft.attempt_reason = "the call to the model was repeated"
    for key in ("call", "tools", "config"):
        if event.get(key):
            run.builder.unread[f"model/{key}"] += 1


def news(run: Run, event: Object) -> Iterator[Object]:
    """The messages that a model is sent and that nobody was sent before."""
    yield from run.pool.new(event.get("input_refs"))
    yield from loose.objects(event.get("input"))


def hear(run: Run, sent: Object, place: Place, agent: Agent) -> None:
    if mark(sent) in run.heard:
        run.builder.folded[AGAIN] += 1
        return
    run.heard.add(mark(sent))
    whole = spoken(loose.mapping(run.attachments.whole(sent)))
    if whole.role in ("system", "user"):
        draft = agent.talk.listen(replace(whole, name=""), place)
        run.begun(agent, draft)
    elif whole.role == "tool" and (run.tools.keys() & {each.id for each in whole.answers}):
        run.builder.folded[AGAIN] += 1
    else:
        told(run, whole, place, agent)


def told(run: Run, whole: Message, place: Place, agent: Agent) -> None:
    """What an agent is sent that no event of this sample said: it stands in the prompt."""
    for index, each in enumerate(whole.answers):
        if draft := agent.talk.answer(each, nth(place, index)):
            run.begun(agent, draft)
    if whole.role != "assistant" or whole.says_nothing:
        return
    said = [*whole.parts, *(call.part() for call in whole.calls)]
    parts = [Part(PartKind.INPUT, each.text, {**each.data, "role": "assistant"}) for each in said]
    run.begun(agent, agent.talk.hear(parts, place, run.builder.actor("prompt", ActorKind.HARNESS)))


def tool(run: Run, event: Object, place: Place, agent: Agent) -> None:
    name = loose.text(event.get("function")) or "unknown tool"
    call = loose.name(event.get("id"))
    draft = asked(agent.talk, Call(call, name, event.get("arguments")), place)
    run.tools[call] = draft
    draft.started_at = place.at
    error = loose.mapping(event.get("error"))
    text, data = result(run, event.get("result"), error)
    agent.talk.answer(
        Answer(call, name, text, failed=bool(error), data=data),
        replace(place, id=f"{place.id}.result"),
    )
    if error.get("type") == "timeout":
        draft.status = StepStatus.TIMEOUT
    if to := loose.text(event.get("agent")):
        draft.kind = StepKind.HANDOFF
        draft.parts[0] = replace(draft.parts[0], data={**draft.parts[0].data, "to": to})
    run.begun(agent, draft)


def asked(talk: Conversation, call: Call, place: Place) -> Draft:
    """The step of a call: the model asked for it, or else nobody is known to have."""
    waiting = [
        draft for draft in talk.open.get(key_of(call.id, ""), ()) if draft.id not in talk.closed
    ]
    if waiting:
        waiting[-1].read_from(place.pointer)
        return waiting[-1]
    draft = talk.ask(call, place, None)
    talk.ends = [draft]
    return draft


def result(run: Run, value: Json, error: Object) -> tuple[str, dict[str, Any]]:
    whole = run.attachments.whole(value)
    answer = message(
        {"role": "tool", "content": whole if isinstance(whole, list) else loose.shown(whole)}
    )
    text = answer.answers[0].text if answer.answers else loose.shown(whole)
    said = loose.text(run.attachments.whole(error.get("message")))
    data = {"error": loose.text(error.get("type"))} if error else {}
    return "\n".join(filter(None, (text, said))), data


def spoken(said: Object) -> Message:
    """A message of Inspect: its calls name their functions, and say if they could not be read."""
    calls = []
    for call in loose.objects(said.get("tool_calls")):
        problem = call.get("parse_error")
        data = {"parse_ok": False, "parse_error": loose.shown(problem)} if problem else {}
        name = loose.text(call.get("function")) or "unknown tool"
        calls.append(Call(loose.name(call.get("id")), name, call.get("arguments"), data))
    rest = {key: value for key, value in said.items() if key not in ("tool_calls", "source")}
    return replace(message(rest), calls=tuple(calls))


def mark(sent: Object) -> str:
    """A message by its id; those of old logs have none and are told by what they say."""
    ident = loose.name(sent.get("id"))
    return ident or loose.digest([sent.get("role"), sent.get("content"), sent.get("tool_calls")])


def rest_of(event: Object, output: Object, choice: Object) -> dict[str, Json]:
    found = {
        "usage": output.get("usage"),
        "stop_reason": choice.get("stop_reason"),
        "error": output.get("error"),
        "role": event.get("role"),
        "cache": event.get("cache"),
    }
    return {key: value for key, value in found.items() if value}

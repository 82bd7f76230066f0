"""Steps of spans: a model call, each tool call it asked for, and what was said to it before.

Spans are not steps: a wrapper is none, and one model call may be several. What prompts repeat
is folded, and what a tool answered is taken from its own span, else from the next prompt.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from traces.completeness import listed
from traces.facts import fact_lines, with_facts
from traces.formats.chat.message import Call, Message, unknown_kinds
from traces.formats.native.parts import arguments_text
from traces.formats.records.times import EPOCH
from traces.formats.spans.calls import Asked, Calls, same_text
from traces.formats.spans.span import Facts, Role
from traces.formats.spans.tree import Node
from traces.formats.steps.building import Builder, Draft
from traces.formats.steps.conversation import with_data
from traces.transcript import ActorKind, LinkKind, Part, PartKind, StepKind, StepStatus

# The year 2262, where nanoseconds leave 64 bits.
LATEST = 2**63


def moment(ns: int | None) -> datetime | None:
    """The time, or None where there is none or no calendar has it. Zero means not known."""
    return EPOCH + timedelta(microseconds=ns // 1000) if ns and 0 < ns < LATEST else None


class Steps:
    """The steps of a run's spans, before anything is read of prompts."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.calls = Calls()
        # Model calls by what they said, the latest last.
        self.said: defaultdict[str, list[Draft]] = defaultdict(list)
        # Calls without a tool's span, by the model call that asked for them.
        self.spanless: defaultdict[str, list[Draft]] = defaultdict(list)

    def read(self, nodes: Sequence[Node]) -> None:
        """All steps that spans are by themselves; tools after the calls that asked for them."""
        for role, make in (
            (Role.MODEL, self.model_call),
            (Role.CHECK, self.check),
            (Role.TOOL, self.tool_call),
            (Role.HANDOFF, self.tool_call),
        ):
            for node in nodes:
                if node.facts.role is role and node.folded_into is None:
                    make(node)
        for asked in list(self.calls.without_step()):
            self.without_span(asked)

    def draft(self, node: Node, kind: StepKind, parts: list[Part]) -> Draft:
        span = node.span
        draft = Draft(
            id=node.id,
            actor=node.actor,
            kind=kind,
            parts=parts,
            order=(node.place[0], 1, 0),
            pointer=span.pointer,
            also_from=list(span.also_from),
            status=StepStatus.OK if span.status == "ok" else StepStatus.NOT_CAPTURED,
            started_at=moment(span.start_ns),
            ended_at=moment(span.end_ns),
            attempt=node.facts.attempt,
            attempt_reason=node.facts.retry_reason or None,
        )
        node.draft = draft
        self.builder.drafts[draft.id] = draft
        return draft

    def model_call(self, node: Node) -> None:
        facts = node.facts
        replies = [] if facts.reply is None else said_in(facts)
        parts = [part for reply in replies for part in spoken(reply.parts)]
        calls = [call for reply in replies for call in reply.calls]
        if not parts:
            parts = [silent(facts, calls)]
        draft = self.draft(node, StepKind.DECISION if calls else StepKind.MESSAGE, parts)
        told = about(facts, replies)
        if told:
            first = parts[0]
            parts[0] = Part(first.kind, first.text, {**first.data, **told}, first.capture)
        note_unknown(self.builder, draft)
        for number, call in enumerate(calls, start=1):
            self.calls.ask(Asked(call, draft, node.place, number))
        for part in parts:
            if part.kind is PartKind.MESSAGE and part.text:
                self.said[part.text.strip()].append(draft)

    def check(self, node: Node) -> None:
        """A guardrail that ran: what it was given, and what it decided."""
        facts = node.facts
        evaluator = self.builder.actor(
            facts.tool or node.span.name or "guardrail", ActorKind.EVALUATOR
        )
        data: dict[str, Any] = {"check": facts.tool or node.span.name}
        if facts.verdict:
            data["verdict"] = facts.verdict
        text = with_facts(facts.result or "", fact_lines(data))
        draft = self.draft(node, StepKind.VERIFICATION, [Part(PartKind.VERIFICATION, text, data)])
        draft.actor = node.actor = evaluator

    def tool_call(self, node: Node) -> None:
        asked, rule = self.calls.of(node)
        facts = node.facts
        draft = self.draft(node, StepKind.TOOL, [requested(facts, asked)])
        draft.tool = facts.tool or (asked.call.name if asked else "") or node.span.name or "tool"
        if facts.role is Role.HANDOFF:
            hand_over(node, draft, asked)
        if asked is not None:
            asked.draft = draft
            draft.read_from(asked.pointer)
            draft.actor = node.actor = asked.actor if node.agent is None else node.actor
            self.builder.link(asked.by.id, draft.id, LinkKind.CONSUMES, rule)
        call = facts.call or (asked.call.id if asked else "")
        if call:
            self.calls.answer(call, draft)
        if draft.parts[0].data.get("parse_ok") is False:
            self.builder.gap("malformed_arguments", "The arguments are not JSON.", draft)
        answered(draft, facts, call)

    def without_span(self, asked: Asked) -> None:
        """A call that no tool's span is known of: its answer may stand in a later prompt."""
        draft = Draft(
            id=self.builder.unused(asked.id) if asked.id in self.builder.drafts else asked.id,
            actor=asked.actor,
            kind=StepKind.TOOL,
            parts=[asked.call.part()],
            order=(max(asked.place[:2]) if asked.by.ended_at else asked.place[0], 2, 0),
            pointer=asked.pointer,
            tool=asked.call.name,
        )
        self.builder.drafts[draft.id] = draft
        asked.draft = draft
        self.spanless[asked.by.id].append(draft)
        self.builder.link(asked.by.id, draft.id, LinkKind.CONSUMES)
        if asked.call.id:
            self.calls.answer(asked.call.id, draft)
        if not asked.call.well_formed:
            self.builder.gap("malformed_arguments", "The arguments are not JSON.", draft)


def said_in(facts: Facts) -> Sequence[Message]:
    """What a model sent back. Of a whole conversation, as an agent may return, its last words."""
    replies = facts.read(facts.reply, "assistant")
    if len(replies) > 1 and any(reply.role != "assistant" for reply in replies):
        own = [reply for reply in replies if reply.role == "assistant"]
        return own[-1:] or replies
    return replies


def spoken(parts: Sequence[Part]) -> list[Part]:
    """What a model says is a message, however its reader was told to take plain text."""
    return [
        Part(PartKind.MESSAGE, part.text, part.data, part.capture)
        if part.kind is PartKind.INPUT
        else part
        for part in parts
    ]


def recall(draft: Draft, message: Message, pointer: str) -> None:
    """Keep what a model thought if only a later prompt has it: some spans leave it out."""
    kind = PartKind.INTERPRETATION
    told = [part for part in message.parts if part.kind is kind and part.text]
    if told and all(part.kind is not kind for part in draft.parts):
        draft.parts = [*told, *draft.parts]
        draft.read_from(pointer)


def silent(facts: Facts, calls: Sequence[Call]) -> Part:
    """What stands for a model's words where there are none, and why."""
    if facts.silence:
        return Part(PartKind.MESSAGE, "", {}, {"text": facts.silence})
    # A model that only calls tools says nothing, which the source shows.
    known = "absent" if calls or facts.reply is not None else "not_captured"
    return Part(PartKind.MESSAGE, "", {}, {"text": known})


def about(facts: Facts, replies: Sequence[Message]) -> dict[str, Any]:
    """What is said of a model call besides its words."""
    finish = facts.finish or next((reply.finish for reply in replies if reply.finish), "")
    told = {"model": facts.model, "finish": finish, "parameters": dict(facts.parameters)}
    return {name: value for name, value in told.items() if value}


def requested(facts: Facts, asked: Asked | None) -> Part:
    """The request as the model wrote it, else as the tool's span has it."""
    if asked is None:
        if facts.arguments is not None:
            return Call(facts.call, facts.tool or "tool", facts.arguments).part()
        data = {"tool": facts.tool, **({"call": facts.call} if facts.call else {})}
        return Part(PartKind.TOOL_REQUEST, "", data, {"text": "not_captured"})
    part = asked.call.part()
    if facts.call and not asked.call.id:
        part = with_data(part, call=facts.call)
    if not part.text and facts.arguments is not None:
        return Part(part.kind, arguments_text(facts.arguments), part.data)
    if facts.arguments is not None:
        executed = arguments_text(facts.arguments)
        if executed != part.text and not same_text(executed, part.text):
            part = with_data(part, executed=executed)
    return part


def hand_over(node: Node, draft: Draft, asked: Asked | None) -> None:
    """Make a step of a handoff of it: to whom, and the request for it if there was one."""
    draft.kind, draft.tool = StepKind.HANDOFF, None
    data = {"to": node.facts.to}
    if asked is None and not node.facts.call:
        text = with_facts(node.span.name, fact_lines(data))
        draft.parts[0] = Part(PartKind.MESSAGE, text, data)
    else:
        draft.parts[0] = with_data(draft.parts[0], **data)


def answered(draft: Draft, facts: Facts, call: str) -> None:
    """What the tool's own span says of its answer."""
    if facts.failed is not None:
        draft.status = StepStatus.ERROR if facts.failed else StepStatus.OK
    if facts.retried:
        draft.parts[0] = with_data(draft.parts[0], retry=dict(facts.retried))
    capture = {"text": facts.result_state} if facts.result_state else {}
    if facts.result is not None or capture:
        data = {"call": call} if call else {}
        draft.parts.append(Part(PartKind.TOOL_RESPONSE, facts.result or "", data, capture))


def note_unknown(builder: Builder, draft: Draft) -> None:
    kinds = [kind for part in draft.parts for kind in unknown_kinds(part)]
    if kinds:
        builder.gap("unknown_part", f"Shown as JSON: {listed(kinds)}.", draft)

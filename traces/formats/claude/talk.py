"""Turns what Claude Code writes of a model's replies and of tools' results into steps.

A reply is split over several lines with one message id; each tool request in it is a step of
its own, to which the result comes later, from wherever it is written.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from traces.formats.chat import single
from traces.formats.chat.message import Answer, Call
from traces.formats.records.loose import Object, items, mapping, text
from traces.formats.steps.building import SENT_AGAIN, Builder, Draft
from traces.formats.steps.conversation import RESULT_AGAIN, Place, drafted, nth
from traces.transcript import ActorKind, LinkKind, Part, PartKind, StepKind, StepStatus

SPLIT = "replies split over several records"
STRUCTURED = "tool results said again in structured form"
SPAWNING = frozenset({"Task", "Agent"})
HUMAN, HARNESS = "user", "claude-code"
# What the program writes when a person says no, or stops the agent: a decision, and no fault.
REJECTED = ("The user doesn't want to ", "User rejected ", "Error: The user doesn't want to ")
INTERRUPTED = "[Request interrupted by user"
AGENT_ID = re.compile(r"^agentId: (\w[\w-]{0,99})", re.MULTILINE)
CANCELLED_BY_HUMAN = {"by": HUMAN, "decision": "rejected"}


@dataclass(frozen=True, slots=True)
class Reply:
    """What a record gave: the reply, the calls that stand in it, and whether it is its first."""

    draft: Draft
    asked: list[Draft]
    begins: bool


@dataclass(slots=True)
class Talk:
    """Replies and calls of all agents of a run. Results find their calls by id."""

    builder: Builder
    whole: bool = True
    replies: dict[tuple[str, str], Draft] = field(default_factory=dict)
    calls: dict[str, Draft] = field(default_factory=dict)
    # Calls that wait for their result, by agent and id: some models number theirs anew each time.
    open: defaultdict[tuple[str, str], list[Draft]] = field(
        default_factory=lambda: defaultdict(list)
    )
    answered: dict[tuple[str, str], Draft] = field(default_factory=dict)
    said: set[tuple[str, str, str]] = field(default_factory=set)
    facts: dict[str, dict[str, str]] = field(default_factory=dict)
    # What subagents are for, by the call that starts them.
    roles: dict[str, str] = field(default_factory=dict)

    def reply(self, message: Object, place: Place, actor: str) -> Reply:
        """One record of a reply: of all of it, or of a piece."""
        spoken = single.message({**message, "role": "assistant"}, "assistant")
        key = (actor, spoken.id or place.id)
        draft = self.replies.get(key)
        begins = draft is None
        if draft is None:
            named = replace(place, id=spoken.id or place.id, ended_at=place.at)
            draft = self.builder.add(drafted(named, actor, StepKind.MESSAGE, []))
            self.replies[key] = draft
        else:
            self.builder.fold(SPLIT, place.pointer, draft)
            draft.ended_at = place.at or draft.ended_at
        for part in spoken.parts:
            self.say(draft, part, place)
        self.note_facts(draft, text(message.get("model")), spoken.finish)
        asked = [self.ask(call, nth(place, at), draft) for at, call in enumerate(spoken.calls)]
        return Reply(draft, asked, begins)

    def say(self, draft: Draft, part: Part, place: Place) -> None:
        key = (draft.id, part.kind.value, part.text)
        if key in self.said and part.text:
            self.builder.fold(SENT_AGAIN, place.pointer, draft)
            return
        self.said.add(key)
        draft.parts.append(part)
        if part.data.get("raw"):
            kind = part.data.get("type")
            self.builder.gap("unknown_part", f"Shown as JSON: {kind}.", draft)

    def note_facts(self, draft: Draft, model: str, finish: str) -> None:
        """Facts of the call, which its first part will hold; that part may be still to come."""
        known = self.builder.actors[draft.actor].model
        facts = self.facts.setdefault(draft.id, {})
        if model and known is None:
            self.builder.actor(draft.actor, model=model)
        elif model and model != known:
            facts["model"] = model
        if finish:
            facts["finish"] = finish

    def ask(self, call: Call, place: Place, decided: Draft) -> Draft:
        """A step for a tool call; one with a known id and the same arguments is no new one."""
        decided.kind = StepKind.DECISION
        part = call.part()
        known = self.calls.get(call.id)
        if known is not None and known.parts[0] == part and known.actor == decided.actor:
            self.builder.fold(SENT_AGAIN, place.pointer, known)
            return known
        draft = drafted(
            replace(place, id=call.id or place.id), decided.actor, StepKind.TOOL, [part]
        )
        draft.tool = call.name
        draft = self.builder.add(draft)
        self.builder.link(decided.id, draft.id, LinkKind.CONSUMES)
        if call.id:
            self.calls[call.id] = draft
            self.open[decided.actor, call.id].append(draft)
        if call.id and call.name in SPAWNING:
            self.roles[call.id] = text(mapping(call.arguments).get("subagent_type"))
        if not call.well_formed:
            self.builder.gap("malformed_arguments", "The arguments are not JSON.", draft)
        return draft

    def answer(self, answer: Answer, place: Place, beside: Object, actor: str) -> Draft:
        """Put a result to its call; `beside` is its structured form, if there is one."""
        part = answer.part()
        if agent := text(beside.get("agentId")):
            part = Part(part.kind, part.text, {**part.data, "agent": agent}, part.capture)
        draft = self.waiting(answer.id, actor)
        known = self.answered.get((answer.id, answer.text))
        if draft is None and known is not None and answer.id:
            self.builder.fold(RESULT_AGAIN, place.pointer, known)
            return known
        draft = draft or self.calls.get(answer.id)
        if draft is None:
            draft = self.unasked(part, place)
        else:
            draft.parts.append(part)
            draft.read_from(place.pointer)
        self.answered[answer.id, answer.text] = draft
        draft.ended_at = place.at or draft.ended_at
        if answer.failed is not None:
            draft.status = StepStatus.ERROR if answer.failed else StepStatus.OK
        if beside.get("interrupted") is True:
            draft.status = StepStatus.CANCELLED
        return draft

    def waiting(self, call: str, actor: str) -> Draft | None:
        """The nearest call with this id that has no result yet, if there is one."""
        calls = self.open.get((actor, call))
        return calls.pop() if calls else None

    def unasked(self, part: Part, place: Place) -> Draft:
        tool = self.builder.actor("tool", ActorKind.TOOL)
        draft = drafted(place, tool, StepKind.TOOL, [part])
        draft.tool = "tool"
        return self.builder.add(draft)

    def rejected(self, answer: Answer, place: Place, actor: str) -> Draft:
        """A person said no: the tool never ran, and what stands in its result is that decision."""
        call = self.waiting(answer.id, actor) or self.calls.get(answer.id)
        if call is not None:
            data: dict[str, Any] = {**CANCELLED_BY_HUMAN, "call": answer.id}
            call.parts.append(Part(PartKind.TOOL_RESPONSE, "", data, {"text": "absent"}))
            call.status = StepStatus.CANCELLED
            call.ended_at = place.at
            call.read_from(place.pointer)
        decision = self.human_decision(answer.text, place)
        if call is not None:
            self.builder.link(call.id, decision.id, LinkKind.CONSUMES)
        return decision

    def human_decision(self, said: str, place: Place) -> Draft:
        actor = self.builder.actor(HUMAN, ActorKind.HUMAN)
        draft = drafted(place, actor, StepKind.DECISION, [Part(PartKind.DECISION, said)])
        return self.builder.add(draft)

    def finish(self) -> None:
        """Replies of which nothing but tool requests is there said nothing, if all is there."""
        silent = {"text": "absent" if self.whole else "not_captured"}
        for draft in self.replies.values():
            if not draft.parts:
                draft.parts.append(Part(PartKind.MESSAGE, "", {}, silent))
            if facts := self.facts.get(draft.id):
                first = draft.parts[0]
                draft.parts[0] = replace(first, data={**first.data, **facts})


def is_rejection(answer: Answer) -> bool:
    return answer.failed is not False and answer.text.startswith(REJECTED)


def is_interruption(said: str) -> bool:
    return said.startswith(INTERRUPTED)


def spawned_agent(beside: Object, results: Sequence[Any]) -> str:
    """The id of the subagent that a tool's result is of, from its structured form or its text."""
    if agent := text(beside.get("agentId")):
        return agent
    for result in results:
        content = mapping(result).get("content")
        for piece in [content, *(mapping(each).get("text") for each in items(content))]:
            if found := AGENT_ID.search(text(piece)[-2000:]):
                return found.group(1)
    return ""

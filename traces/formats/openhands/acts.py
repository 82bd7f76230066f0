"""What both generations of OpenHands events have in common: replies, calls, and what came of them.

An observation names the event that caused it, which is proof. That one event follows another is
known by order alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from traces.formats.base import Json
from traces.formats.chat.message import Call
from traces.formats.records.loose import Object, items, mapping, text
from traces.formats.records.times import moment
from traces.formats.steps.building import Builder, Draft
from traces.formats.steps.conversation import Place, drafted
from traces.formats.steps.ordering import SAME_ACTOR
from traces.transcript import ActorKind, LinkKind, Part, PartKind, StepKind, StepStatus

HUMAN, HARNESS, AGENT = "user", "environment", "agent"
ORDERED = {HUMAN: ActorKind.HUMAN, HARNESS: ActorKind.HARNESS}


@dataclass(slots=True)
class Acts:
    """A run while its events are read in turn. `agents` are those at work, the newest last."""

    builder: Builder
    agent: str = AGENT
    whole: bool = True
    ends: dict[str, Draft] = field(default_factory=dict)
    calls: dict[str, Draft] = field(default_factory=dict)
    replies: dict[str, Draft] = field(default_factory=dict)
    subagents: list[tuple[str, Draft]] = field(default_factory=list)
    begun: set[str] = field(default_factory=set)
    returned: Draft | None = None

    def actor(self, model: str = "") -> str:
        if self.subagents:
            return self.subagents[-1][0]
        capture = {"instance": "not_captured"}
        return self.builder.actor(self.agent, model=model or None, capture=capture)

    def other(self, name: str) -> str:
        return self.builder.actor(name, ORDERED[name])

    def decide(self, name: str, place: Place, parts: list[Part], model: str = "") -> Draft:
        """The call of the model that an action came of; several actions may come of one."""
        known = self.replies.get(name)
        if known is not None:
            known.read_from(place.pointer)
            known.parts += [part for part in parts if part not in known.parts[:20]]
            return known
        draft = drafted(replace(place, id=name), self.actor(model), StepKind.MESSAGE, parts)
        draft = self.add(draft)
        self.replies[name] = draft
        return draft

    def ask(self, decided: Draft, place: Place, call: Call) -> Draft:
        """A step for an action; what comes of it finds it by its event id."""
        decided.kind = StepKind.DECISION
        draft = drafted(place, decided.actor, StepKind.TOOL, [call.part()])
        draft.tool = call.name
        draft = self.builder.add(draft)
        self.builder.link(decided.id, draft.id, LinkKind.CONSUMES)
        self.ends.pop(decided.id, None)
        self.ends[draft.id] = draft
        self.calls[place.id] = draft
        if not call.well_formed:
            self.builder.gap("malformed_arguments", "The arguments are not JSON.", draft)
        return draft

    def observe(
        self, cause: str, place: Place, part: Part, *, failed: bool | None, tool: str = ""
    ) -> Draft:
        """Put what came of an action to it; without its action it is a step by the tool."""
        draft = self.calls.get(cause)
        if draft is None:
            actor = self.builder.actor(tool or "tool", ActorKind.TOOL)
            draft = self.add(drafted(place, actor, StepKind.TOOL, []))
            draft.tool = tool or "tool"
            if cause:
                self.builder.link(cause, draft.id, LinkKind.CONSUMES)
        draft.parts.append(part)
        draft.read_from(place.pointer)
        draft.ended_at = place.at or draft.ended_at
        if failed is not None:
            draft.status = StepStatus.ERROR if failed else StepStatus.OK
        return draft

    def reject(self, cause: str, place: Place, said: str) -> Draft:
        """A person said no: the action never ran."""
        call = self.calls.get(cause)
        if call is not None:
            data = {"by": HUMAN, "decision": "rejected"}
            if call.parts[0].data.get("call"):
                data["call"] = str(call.parts[0].data["call"])
            call.parts.append(Part(PartKind.TOOL_RESPONSE, "", data, {"text": "absent"}))
            call.status = StepStatus.CANCELLED
            call.read_from(place.pointer)
        decision = Part(PartKind.DECISION, said)
        return self.add(drafted(place, self.other(HUMAN), StepKind.DECISION, [decision]))

    def tell(self, actor: str, place: Place, kind: StepKind, *parts: Part) -> Draft:
        return self.add(drafted(place, actor, kind, list(parts)))

    def error(self, place: Place, said: str) -> Draft:
        part = Part(PartKind.ERROR, said)
        draft = self.tell(self.other(HARNESS), place, StepKind.ERROR, part)
        draft.status = StepStatus.ERROR
        return draft

    def add(self, draft: Draft) -> Draft:
        """A step that comes after those at the end."""
        draft = self.builder.add(draft)
        for end in self.ends.values():
            if end.kind is StepKind.TOOL:
                # What the model is sent next holds what came of its actions.
                self.builder.link(end.id, draft.id, LinkKind.CONSUMES)
            else:
                self.builder.link(end.id, draft.id, LinkKind.FOLLOWS, SAME_ACTOR)
        if (
            self.subagents
            and draft.actor == self.subagents[-1][0]
            and draft.actor not in self.begun
        ):
            self.begun.add(draft.actor)
            self.builder.link(self.subagents[-1][1].id, draft.id, LinkKind.SPAWN)
        elif self.returned is not None and not self.subagents:
            self.builder.link(self.returned.id, draft.id, LinkKind.JOIN)
            self.returned = None
        self.ends = {draft.id: draft}
        return draft

    def delegate(self, role: str, call: Draft) -> None:
        """From here on another agent acts, until what it was asked for is observed."""
        parent = call.actor
        key = self.builder.actor(f"{role} {call.id}", role=role, instance=call.id, parent=parent)
        self.subagents.append((key, call))

    def come_back(self, call: Draft) -> None:
        if self.subagents and self.subagents[-1][1] is call:
            key, _ = self.subagents.pop()
            last = next(reversed(self.ends.values()), None)
            if last is not None and last.actor == key:
                self.returned = last
            self.ends = {
                call.id: call,
                **({self.returned.id: self.returned} if self.returned else {}),
            }

    def finish(self) -> None:
        silent = {"text": "absent" if self.whole else "not_captured"}
        for draft in self.replies.values():
            if not draft.parts:
                draft.parts.append(Part(PartKind.MESSAGE, "", {}, silent))


def zoned(value: Json) -> datetime | None:
    """A time that can be placed: one with a zone, which most events lack."""
    at = moment(value)
    return at if at is not None and at.tzinfo is not None else None


def spoken(value: Json) -> str:
    """Text that is plain, or stands in pieces."""
    if isinstance(value, list):
        return "\n".join(filter(None, (text(mapping(each).get("text")) for each in items(value))))
    return text(value)


def exit_code(*places: Object) -> int | None:
    for place in places:
        code = place.get("exit_code")
        if isinstance(code, int) and not isinstance(code, bool):
            return code
    return None


def facts(**given: Any) -> dict[str, Any]:
    return {key: value for key, value in given.items() if value not in (None, "")}

"""Turns the requests and responses of pydantic-ai into steps, with the retries that it tells of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from traces.formats.base import Json
from traces.formats.chat.message import Message
from traces.formats.chat.pieces import Pieces, answer_of
from traces.formats.chat.words import as_list, is_answer, kind_of, text_of, without
from traces.formats.records.loose import spaced
from traces.formats.records.times import moment
from traces.formats.steps.building import Builder, Draft
from traces.formats.steps.conversation import Conversation, Place, drafted, nth
from traces.transcript import ActorKind, Fate, LinkKind, Part, PartKind, StepKind, StepStatus

Object = Mapping[str, Json]
HEARD = {"user": ActorKind.HUMAN, "system": ActorKind.HARNESS, "harness": ActorKind.HARNESS}
# How a tool's answer came about. Denied by a person, interrupted by one or by an error elsewhere.
OUTCOMES = {
    "success": StepStatus.OK,
    "failed": StepStatus.ERROR,
    "retried": StepStatus.ERROR,
    "denied": StepStatus.CANCELLED,
    "interrupted": StepStatus.CANCELLED,
}
ASKED_AGAIN = "next call of the tool that asked to be tried again"
PLACED = (
    *("kind", "parts", "timestamp", "model_name", "finish_reason", "failed_attempts"),
    *("run_id", "conversation_id", "instructions"),
)


@dataclass(slots=True)
class Run:
    """A conversation while it is read. `agents` are executions by their id."""

    builder: Builder
    talk: Conversation = field(init=False)
    agents: dict[str, str] = field(default_factory=dict)
    instructions: str = ""
    sent: Place = field(default_factory=lambda: Place("", ()))
    again: dict[str, tuple[Draft, Object]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.talk = Conversation(self.builder, "agent")

    def take(self, value: Object, place: Place) -> None:
        if value["kind"] == "response":
            self.respond(value, place)
        else:
            self.request(value, place)

    def request(self, value: Object, place: Place) -> None:
        """What the model is sent anew: instructions, prompts, and what tools answered."""
        self.sent = place
        given = text_of(value.get("instructions"))
        if given and given != self.instructions:
            at = replace(nth(place, -1), at=place.at)
            self.hear([Part(PartKind.INPUT, given, {"instructions": True})], at, "system")
        self.instructions = given or self.instructions
        for number, part in enumerate(value["parts"]):
            within = f"{place.pointer}/parts/{number}"
            at = Place(f"{place.id}.{number + 1}", (*place.order, number + 1), within, place.at)
            self.sent_part(part if isinstance(part, Mapping) else {"content": part}, at)
        if not value["parts"]:
            self.builder.record(place.pointer, Fate.CONTEXT, "request with nothing new")

    def sent_part(self, part: Object, place: Place) -> None:
        kind = kind_of(part)
        place = replace(place, at=moment(part.get("timestamp")) or place.at)
        if is_answer(kind) or (kind == "retry-prompt" and part.get("tool_name")):
            self.answer(part, place)
            return
        pieces = Pieces(PartKind.INPUT)
        if kind in ("user-prompt", "system-prompt"):
            pieces.content(part.get("content"))
        elif kind == "retry-prompt":
            pieces.said(spaced(part.get("content")), {"retry": True})
        else:
            pieces.content([part])
        actor = {"user-prompt": "user", "system-prompt": "system"}.get(kind, "harness")
        self.hear(pieces.parts, place, actor)

    def hear(self, parts: list[Part], place: Place, actor: str) -> None:
        self.builder.actor(actor, HEARD[actor], capture={"instance": "not_in_schema"})
        self.talk.hear(parts, place, actor)

    def answer(self, part: Object, place: Place) -> None:
        """What a tool answered. Older dumps have a kind of their own for "try again"."""
        old = kind_of(part) == "retry-prompt"
        outcome = "retried" if old else text_of(part.get("outcome"))
        content = spaced(part.get("content")) if old else part.get("content")
        found = answer_of(part, content)
        rest = without(part, "content", "tool_name", "tool_call_id", "part_kind", "timestamp")
        draft = self.talk.answer(replace(found, data={**found.data, **rest}), place)
        if draft is None:
            return
        draft.status = OUTCOMES.get(outcome, draft.status)
        if outcome == "retried":
            retry = part.get("retry")
            self.again[found.name] = (draft, retry if isinstance(retry, Mapping) else {})

    def respond(self, value: Object, place: Place) -> None:
        """One model call: from when it was sent to when it had answered."""
        pieces = Pieces(PartKind.MESSAGE)
        pieces.content(value["parts"])
        agent = self.agent_of(value)
        said = Message(
            "assistant",
            parts=tuple(pieces.parts),
            calls=tuple(pieces.calls),
            answers=tuple(pieces.answers),
            finish=text_of(value.get("finish_reason")),
            rest=without(value, *PLACED),
        )
        tried = self.failed_attempts(value, place, agent)
        at = replace(place, at=self.sent.at, ended_at=place.at)
        draft = self.talk.decide(said, at, agent)
        self.talk.take_answers(said, at, first=len(said.calls))
        if tried:
            self.builder.link(tried.id, draft.id, LinkKind.RETRY_OF)
        for call in self.talk.ends if said.calls else ():
            self.mark_retry(call)

    def agent_of(self, value: Object) -> str:
        """An actor for each execution, which the source tells apart by its id."""
        run = text_of(value.get("run_id"))
        key = f"agent {len(self.agents) + 1}" if self.agents else "agent"
        key = self.agents.setdefault(run, key)
        capture = {} if run else {"instance": "not_captured"}
        model = text_of(value.get("model_name")) or None
        instance = run or None
        return self.builder.actor(
            key, role="agent", instance=instance, model=model, capture=capture
        )

    def mark_retry(self, call: Draft) -> None:
        """Say of a call that it is the further try that its tool asked for."""
        before, retry = self.again.pop(call.tool or "", (None, {}))
        if before is None:
            return
        number = retry.get("attempt")
        call.attempt = number + 1 if isinstance(number, int) and 0 < number < 10**6 else None
        call.attempt_reason = text_of(retry.get("cause")) or None
        self.builder.link(before.id, call.id, LinkKind.RETRY_OF, ASKED_AGAIN)

    def failed_attempts(self, value: Object, place: Place, agent: str) -> Draft | None:
        """Steps for the models that were asked before and gave nothing; the last of them."""
        last = None
        for number, attempt in enumerate(as_list(value.get("failed_attempts"))):
            at = Place(f"{place.id}.failed{number}", (*place.order, -1, number), place.pointer)
            draft = drafted(at, agent, StepKind.ERROR, [Part(PartKind.ERROR, spaced(attempt))])
            draft.status = StepStatus.ERROR
            draft = self.builder.add(draft)
            self.talk.follow(draft)
            if last:
                self.builder.link(last.id, draft.id, LinkKind.RETRY_OF)
            last = draft
        return last

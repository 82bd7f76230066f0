"""The items of Codex's conversation with the model, as steps.

Items that follow each other without an answer between them are one call of the model.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field, replace
from datetime import datetime

from traces.formats import chat_message
from traces.formats.building import Builder, Draft
from traces.formats.chat import Answer, Call
from traces.formats.codex_outputs import exited, marked, opened_output
from traces.formats.conversation import RESULT_AGAIN, Place, drafted, nth
from traces.formats.event_log import Entry
from traces.formats.loose import Object, items, mapping, shown, text
from traces.formats.ordering import SAME_ACTOR
from traces.transcript import ActorKind, Fate, LinkKind, Part, PartKind, StepKind, StepStatus

NAME = "codex-rollout"
HUMAN, HARNESS, CALLER = "user", "codex", "caller"
# What the program sends in the place of the person.
BY_HARNESS = (
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<user_shell_command>",
    "<skill>",
    "# AGENTS.md instructions",
    "<collaboration_mode>",
    "<INSTRUCTIONS>",
)
BESIDE = frozenset({"ghost_snapshot", "compaction", "compaction_summary"})
ABORTED = ("aborted by user", "aborted", "rejected by user", "exec command rejected by user")


@dataclass(slots=True)
class Items:
    """The run while its items are read. `call` is the model's call that is still open."""

    builder: Builder
    role: str
    thread: str
    parent: str = ""
    whole: bool = True
    call: Draft | None = None
    ends: dict[str, Draft] = field(default_factory=dict)
    calls: dict[str, Draft] = field(default_factory=dict)
    answered: dict[tuple[str, str], Draft] = field(default_factory=dict)
    replies: list[Draft] = field(default_factory=list)
    # Texts of persons that events tell again: what is not among them comes from the program.
    heard: Counter[str] = field(default_factory=Counter)
    said: dict[tuple[str, str], deque[Draft]] = field(default_factory=dict)
    context: Object = field(default_factory=dict)
    failing: Draft | None = None

    @property
    def agent(self) -> str:
        return self.role

    @property
    def speaker(self) -> str:
        return CALLER if self.parent else HUMAN

    def actor(self) -> str:
        model = text(self.context.get("model")) or None
        return self.builder.actor(self.role, instance=self.thread or None, model=model)

    def harness(self) -> str:
        return self.builder.actor(HARNESS, ActorKind.HARNESS)

    def person(self) -> str:
        """Who gives the task: a person, or the agent that started this one."""
        if self.parent:
            return self.builder.actor(CALLER, instance=self.parent)
        return self.builder.actor(HUMAN, ActorKind.HUMAN)

    def turn(self, payload: Object) -> None:
        self.call = None
        self.context = payload

    def item(self, payload: Object, entry: Entry, at: datetime | None) -> None:
        name = text(payload.get("id")) or entry.pointer
        place = Place(name, (entry.number, 0), entry.pointer, at)
        kind = text(payload.get("type"))
        if kind in BESIDE:
            self.note(kind, payload, place)
            return
        message = chat_message.message(opened_output(payload), "assistant")
        if message.answers:
            for index, answer in enumerate(message.answers):
                self.answer(exited(answer, payload), nth(place, index))
        elif message.role != "assistant":
            self.hear(message.parts, message.role, place)
        elif message.parts or message.calls:
            self.reply(place)
            for part in message.parts:
                self.say(part, place)
            for index, call in enumerate(message.calls):
                self.ask(call, nth(place, index))
        else:
            self.builder.record(place.pointer, Fate.UNMAPPED, kind or "response_item")

    def note(self, kind: str, payload: Object, place: Place) -> None:
        """Items by which the program keeps its state."""
        if kind == "ghost_snapshot":
            commit = mapping(payload.get("ghost_commit"))
            part = Part(PartKind.STATE, text(commit.get("id")) or shown(commit), dict(commit))
            self.tell(part, StepKind.STATE, self.harness(), place)
        else:
            part = Part(PartKind.INTERPRETATION, "", {"sealed": True}, {"text": "withheld"})
            self.tell(part, StepKind.MESSAGE, self.harness(), place)

    def reply(self, place: Place) -> Draft:
        """The open call of the model, or a new one."""
        if self.call is None:
            draft = drafted(place, self.actor(), StepKind.MESSAGE, [])
            draft.id = f"{place.id}.reply"
            self.call = self.builder.add(draft)
            self.replies.append(self.call)
            self.follow(self.call)
            self.ends = {self.call.id: self.call}
            self.try_again(self.call)
        else:
            self.call.read_from(place.pointer)
        self.call.ended_at = place.at or self.call.ended_at
        return self.call

    def say(self, part: Part, place: Place) -> None:
        draft = self.reply(place)
        draft.parts.append(marked(part))
        kind = "thought" if part.kind is PartKind.INTERPRETATION else "reply"
        for each in {part.text, *part.text.split("\n")} if kind == "thought" else {part.text}:
            self.said.setdefault((kind, each), deque()).append(draft)

    def ask(self, call: Call, place: Place) -> Draft:
        decided = self.reply(place)
        decided.kind = StepKind.DECISION
        part = call.part()
        named = replace(place, id=call.id or place.id)
        draft = drafted(named, decided.actor, StepKind.TOOL, [part])
        draft.tool = call.name
        draft = self.builder.add(draft)
        self.builder.link(decided.id, draft.id, LinkKind.CONSUMES)
        self.ends.pop(decided.id, None)
        self.ends[draft.id] = draft
        if call.id:
            self.calls[call.id] = draft
        if not call.well_formed:
            self.builder.gap("malformed_arguments", "The arguments are not JSON.", draft)
        return draft

    def answer(self, answer: Answer, place: Place) -> Draft:
        """Put an output to its call; what nobody asked for is a step of its own."""
        self.call = None
        known = self.answered.get((answer.id, answer.text))
        if known is not None and answer.id:
            self.builder.fold(RESULT_AGAIN, place.pointer, known)
            return known
        part = marked(answer.part())
        draft = self.calls.get(answer.id)
        if draft is None:
            tool = self.builder.actor(answer.name or "tool", ActorKind.TOOL)
            draft = drafted(place, tool, StepKind.TOOL, [])
            draft.tool = answer.name or "tool"
            draft = self.builder.add(draft)
            self.ends[draft.id] = draft
        draft.parts.append(part)
        draft.read_from(place.pointer)
        draft.ended_at = place.at or draft.ended_at
        if answer.text.startswith(ABORTED):
            draft.status = StepStatus.CANCELLED
        elif answer.failed is not None:
            draft.status = StepStatus.ERROR if answer.failed else StepStatus.OK
        self.answered[answer.id, answer.text] = draft
        return draft

    def hear(self, parts: tuple[Part, ...], role: str, place: Place) -> Draft:
        """What a person says is told again by an event; the rest the program adds."""
        texts = [part.text for part in parts if not part.data.get("raw")]
        said = "\n".join(texts)
        own = role != "user" or said.startswith(BY_HARNESS)
        if self.heard and not any(self.heard[each] for each in (said, *texts)):
            own = True
        actor = self.harness() if own else self.person()
        kept = [marked(part) for part in parts] or [Part(PartKind.INPUT, "")]
        draft = self.add(drafted(place, actor, StepKind.INPUT, kept))
        self.said.setdefault(("heard", said), deque()).append(draft)
        return draft

    def tell(self, part: Part, kind: StepKind, actor: str, place: Place) -> Draft:
        return self.add(drafted(place, actor, kind, [part]))

    def add(self, draft: Draft) -> Draft:
        """A step that is no call of the model: the next one comes after it."""
        self.call = None
        draft = self.builder.add(draft)
        self.follow(draft)
        self.ends = {draft.id: draft}
        return draft

    def follow(self, draft: Draft) -> None:
        for end in self.ends.values():
            if end.kind is StepKind.TOOL:
                # The next thing the model is sent holds the outputs of what it asked for.
                self.builder.link(end.id, draft.id, LinkKind.CONSUMES)
            else:
                self.builder.link(end.id, draft.id, LinkKind.FOLLOWS, SAME_ACTOR)

    def try_again(self, reply: Draft) -> None:
        """The call that comes after failed ones is the next attempt."""
        if self.failing is None:
            return
        self.builder.link(self.failing.id, reply.id, LinkKind.RETRY_OF)
        reply.attempt = self.failing.attempt + 1 if self.failing.attempt is not None else None
        reply.attempt_reason = self.failing.parts[0].text
        reply.attempt_by = self.harness()
        self.failing = None

    def compacted(self, payload: Object, entry: Entry, at: datetime | None) -> None:
        """What a model made of the conversation so far, from which it goes on."""
        place = Place(entry.pointer, (entry.number, 0), entry.pointer, at)
        part = Part(PartKind.INTERPRETATION, text(payload.get("message")))
        if not part.text:
            part = replace(part, capture={"text": "not_captured"})
        draft = self.tell(part, StepKind.MESSAGE, self.harness(), place)
        for _ in items(payload.get("replacement_history")):
            self.builder.fold("history told again after compaction", "", draft)

    def finish(self) -> None:
        silent = {"text": "absent" if self.whole else "not_captured"}
        for draft in self.replies:
            if not draft.parts:
                draft.parts.append(Part(PartKind.MESSAGE, "", {}, silent))

"""Turns of one agent whose log tells what the model wrote piece by piece.

Pieces that follow each other without an answer between them are one call of the model. An answer
finds its request by id; that one turn follows another is known by order.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field, replace

from traces.formats.chat.message import Answer, Call
from traces.formats.steps.building import Builder, Draft
from traces.formats.steps.conversation import RESULT_AGAIN, Place, drafted
from traces.formats.steps.ordering import SAME_ACTOR
from traces.formats.steps.outputs import marked
from traces.transcript import ActorKind, LinkKind, Part, PartKind, StepKind, StepStatus

HUMAN, CALLER = "user", "caller"
ROLLED_BACK = "The conversation was set back to before this prompt."
ABORTED = ("aborted by user", "aborted", "rejected by user", "exec command rejected by user")


@dataclass(slots=True)
class Turns:
    """One agent's thread while it is read. `call` is the model's call that is still open."""

    builder: Builder
    role: str
    thread: str
    parent: str = ""
    program: str = "harness"
    key: str = ""
    caller: str = ""
    model: str = ""
    whole: bool = True
    call: Draft | None = None
    ends: dict[str, Draft] = field(default_factory=dict)
    calls: dict[str, Draft] = field(default_factory=dict)
    # Calls that wait for their answer: some models number theirs anew each time.
    waiting: defaultdict[str, list[Draft]] = field(default_factory=lambda: defaultdict(list))
    answered: dict[tuple[str, str], Draft] = field(default_factory=dict)
    replies: list[Draft] = field(default_factory=list)
    # Steps by the texts they hold, for what is told twice.
    said: dict[tuple[str, str], deque[Draft]] = field(default_factory=dict)
    # What people said, with the steps that came last before each.
    prompts: list[tuple[Draft, dict[str, Draft]]] = field(default_factory=list)
    failing: Draft | None = None
    # Where the log says that a call of the model begins.
    opened: Place | None = None

    @property
    def agent(self) -> str:
        return self.role

    @property
    def speaker(self) -> str:
        return CALLER if self.parent else HUMAN

    def actor(self) -> str:
        """The agent. A thread that is not the first has its id in its key."""
        return self.builder.actor(
            self.key or self.role,
            role=self.role,
            instance=self.thread or None,
            model=self.model or None,
            parent=self.caller or None,
        )

    def harness(self) -> str:
        return self.builder.actor(self.program, ActorKind.HARNESS)

    def person(self) -> str:
        """Who gives the task: a person, or the agent that started this one."""
        if self.parent:
            return self.builder.actor(CALLER, instance=self.parent)
        return self.builder.actor(HUMAN, ActorKind.HUMAN)

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
            self.open(self.call)
        else:
            self.call.read_from(place.pointer)
        self.call.ended_at = place.at or self.call.ended_at
        return self.call

    def open(self, reply: Draft) -> None:
        if self.opened is not None:
            reply.read_from(self.opened.pointer)
            reply.started_at = self.opened.at or reply.started_at
            self.opened = None

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
            self.waiting[call.id].append(draft)
        if not call.well_formed:
            self.builder.gap("malformed_arguments", "The arguments are not JSON.", draft)
        return draft

    def answer(self, answer: Answer, place: Place) -> Draft:
        """Put an output to its call; what nobody asked for is a step of its own."""
        self.call = None
        waiting = self.waiting[answer.id].pop() if self.waiting[answer.id] else None
        known = self.answered.get((answer.id, answer.text))
        if waiting is None and known is not None and answer.id:
            self.builder.fold(RESULT_AGAIN, place.pointer, known)
            return known
        part = marked(answer.part())
        draft = waiting or self.calls.get(answer.id)
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

    def tell(self, part: Part, kind: StepKind, actor: str, place: Place) -> Draft:
        return self.add(drafted(place, actor, kind, [part]))

    def add(self, draft: Draft) -> Draft:
        """A step that is no call of the model: the next one comes after it."""
        self.call = None
        draft = self.builder.add(draft)
        self.follow(draft)
        if self.builder.actors[draft.actor].kind is ActorKind.HUMAN:
            self.prompts.append((draft, self.ends))
        self.ends = {draft.id: draft}
        return draft

    def roll_back(self, count: int) -> None:
        """Forget the last prompts and what came of them: the next step is after what was before."""
        left = self.prompts[max(len(self.prompts) - count, 0) :]
        if not left or count < 1:
            return
        self.call, self.ends = None, left[0][1]
        del self.prompts[-len(left) :]
        for prompt, _ in left:
            self.builder.gap("rewound", ROLLED_BACK, prompt)

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

    def finish(self) -> None:
        silent = {"text": "absent" if self.whole else "not_captured"}
        for draft in self.replies:
            if not draft.parts:
                draft.parts.append(Part(PartKind.MESSAGE, "", {}, silent))

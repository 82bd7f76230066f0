"""What one model call was sent: who said it first, and which steps the call used."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from traces.compact import compact
from traces.formats.base import Json
from traces.formats.chat.message import Answer, Message
from traces.formats.chat.reading import opened, speaks
from traces.formats.spans.actors import people
from traces.formats.spans.calls import Asked, same_text, tells
from traces.formats.spans.memory import Memory
from traces.formats.spans.prompts import Prompt
from traces.formats.spans.span import Role
from traces.formats.spans.steps import note_unknown, recall
from traces.formats.spans.tree import Node
from traces.formats.steps.building import Draft
from traces.transcript import ActorKind, LinkKind, Part, PartKind, StepKind, StepStatus

HISTORY = "message repeated in a later prompt"
REPLY = "reply repeated in a later prompt"
RESULT = "tool result repeated in a prompt"
RETOLD = "tool result retold in a prompt"
SAME_TEXT = "its output stands in the prompt"
# Steps of an agent that an answer without an id is compared with, the latest first.
LATEST = 8


class Listening:
    """One model call, and what it was sent."""

    def __init__(self, memory: Memory, node: Node, draft: Draft) -> None:
        self.all, self.node, self.draft = memory, node, draft
        self.builder = memory.builder
        agent = node.agent
        self.called = memory.is_called(agent.actor) if agent else False
        self.thread = memory.threads[node.actor]
        self.number = 0

    def read(self) -> None:
        facts, thread = self.node.facts, self.thread
        if facts.system is not None and facts.system == thread.system:
            self.builder.folded[HISTORY] += 1
        elif facts.system is not None:
            thread.system = facts.system
            for each in facts.read(facts.system, "system"):
                self.hear(replace(each, role="system"), 1)
        if facts.prompt is None:
            return
        prompt, known = thread.next(facts.prompt if facts.role is Role.MODEL else self.input())
        if known:
            self.builder.folded[HISTORY] += known
        for value in prompt.values[known:]:
            self.news(value, prompt)

    def input(self) -> Json:
        """What an agent was given: messages, or an object that is shown as it is."""
        given = self.node.facts.prompt
        value = opened(given)
        if isinstance(value, dict | list) and not speaks(value):
            return [
                {"role": "user", "content": given if isinstance(given, str) else compact(given)}
            ]
        return given

    def news(self, value: Json, prompt: Prompt) -> None:
        if prompt.damaged:
            part = Part(PartKind.INPUT, str(value), {}, {"text": "damaged"})
            self.take(Message("user", parts=(part,)), prompt)
            self.builder.gap("cut_text", "The prompt is JSON that was cut.", self.draft)
            return
        for message in self.node.facts.read(value, "user"):
            self.take(message, prompt)

    def take(self, message: Message, prompt: Prompt) -> None:
        for answer in message.answers:
            self.answer(answer, prompt)
        if message.role == "assistant":
            self.reply(message, prompt)
        elif message.role != "tool" and message.parts:
            key = (message.role, message.text)
            prompt.counts[key] += 1
            self.hear(message, prompt.counts[key])

    def hear(self, message: Message, time: int) -> None:
        """What somebody said to the agent: a step where it is said first, in the whole run."""
        key = (message.role, message.text, time)
        known = self.all.heard.get(key)
        if known is not None:
            self.builder.folded[HISTORY] += 1
            self.uses(known)
            return
        said = self.said_before(message.text) if message.role != "system" else None
        if said is not None and said.actor != self.draft.actor:
            self.builder.folded[REPLY] += 1
            self.uses(said, SAME_TEXT)
            return
        actor = message.name or people(self.builder, message.role, called=self.called)
        if message.name:
            kind = ActorKind.HARNESS if message.role == "system" else ActorKind.HUMAN
            actor = self.builder.actor(message.name, kind)
        draft = self.add(f"input:{digest(*key[:2])}:{time}", actor, StepKind.INPUT, message.parts)
        self.all.heard[key] = draft
        if message.role == "user" and not self.all.first_words:
            self.all.first_words = message.text

    def reply(self, message: Message, prompt: Prompt) -> None:
        """What a model said before. Where its call is not in the record, it is a step after all."""
        calls = self.all.steps.calls
        known = [each for each in message.calls if calls.knows(each, self.node)]
        said = self.said_before(message.text)
        if known or said is not None or message.says_nothing:
            self.builder.folded[REPLY] += 1
            if (source := said or calls.asking(known)) is not None:
                recall(source, message, self.draft.pointer)
            if said is not None and said.kind is StepKind.MESSAGE:
                self.uses(said)
            return
        key = (f"{message.role} of {self.node.actor}", message.text + repr(message.calls))
        prompt.counts[key] += 1
        if (told := self.all.told.get((*key, prompt.counts[key]))) is not None:
            self.builder.folded[HISTORY] += 1
            self.uses(told)
            return
        kind = StepKind.DECISION if message.calls else StepKind.MESSAGE
        actor = self.builder.actor(message.name) if message.name else self.node.actor
        parts = message.parts or (Part(PartKind.MESSAGE, "", {}, {"text": "absent"}),)
        draft = self.add(f"said:{digest(*key)}:{prompt.counts[key]}", actor, kind, parts)
        self.all.told[*key, prompt.counts[key]] = draft
        for number, call in enumerate(message.calls, start=1):
            asked = calls.ask(Asked(call, draft, (*draft.order[:1], 0.0, draft.id), number))
            self.all.steps.without_span(asked)
            if asked.draft is not None:
                asked.draft.order = (draft.order[0], draft.order[1], self.count())
                self.all.tools[actor].append(asked.draft)

    def said_before(self, text: str) -> Draft | None:
        """The last model call before this one that said it, of this agent if there is one."""
        said = self.all.steps.said.get(text.strip()) if text else None
        if not said:
            return None
        before = [each for each in said[-LATEST:] if each.order[0] <= self.draft.order[0]]
        before = [each for each in before if each is not self.draft]
        own = [each for each in before if each.actor == self.draft.actor] or before
        return own[-1] if own else None

    def answer(self, answer: Answer, prompt: Prompt) -> None:
        """What a tool answered: of its own step, if the run has one."""
        calls, actor = self.all.steps.calls, self.node.actor
        if answer.id:
            draft = calls.answered_by(answer.id, actor, self.node.place)
        else:
            draft = self.nameless(answer)
        if draft is None:
            key = ("tool", answer.id + answer.text)
            prompt.counts[key] += 1
            known = self.all.heard.get((*key, prompt.counts[key]))
            self.uses(known) if known else self.orphan(answer, (*key, prompt.counts[key]))
            return
        self.complete(draft, answer)
        self.uses(draft)
        self.all.used_by.setdefault(draft.id, self.draft)

    def nameless(self, answer: Answer) -> Draft | None:
        """The step of an answer without an id: one that waits, else one whose result it repeats."""
        latest = self.all.tools[self.node.actor][-LATEST:]
        if answer.name:
            latest = [each for each in latest if each.tool == answer.name] or latest
        for draft in latest:
            if not texts_of(draft):
                return draft
        for draft in reversed(latest):
            if any(tells(text, answer.text) for text in texts_of(draft)):
                return draft
        return None

    def orphan(self, answer: Answer, key: tuple[str, str, int]) -> None:
        tool = self.builder.actor(answer.name or "tool", ActorKind.TOOL)
        name = f"answer:{digest(*key[:2])}:{key[2]}"
        draft = self.add(name, tool, StepKind.TOOL, [answer.part()])
        draft.tool = answer.name or "tool"
        self.all.heard[key] = draft

    def complete(self, draft: Draft, answer: Answer) -> None:
        """Add the answer to the step of its call, unless the step has it."""
        had = texts_of(draft)
        if any(same_text(text, answer.text) for text in had):
            self.builder.folded[RESULT] += 1
        elif not answer.id and had:
            self.builder.folded[RETOLD] += 1
        elif any(part.kind is PartKind.TOOL_RESPONSE and part.text for part in draft.parts):
            # What the model was told is not what the tool said: both are shown, each at its place.
            told = Part(PartKind.INPUT, answer.text, {"call": answer.id, "instead_of": draft.id})
            self.draft.parts.insert(0, told)
        else:
            self.add_response(draft, answer)
        if answer.failed is not None and draft.status is StepStatus.NOT_CAPTURED:
            draft.status = StepStatus.ERROR if answer.failed else StepStatus.OK

    def add_response(self, draft: Draft, answer: Answer) -> None:
        kept = [each for each in draft.parts if each.kind is not PartKind.TOOL_RESPONSE]
        errors = sum(each.kind is PartKind.ERROR for each in kept)
        kept.insert(len(kept) - errors, answer.part())
        draft.parts = kept
        draft.read_from(self.draft.pointer)

    def add(self, name: str, actor: str, kind: StepKind, parts: Sequence[Part]) -> Draft:
        draft = Draft(
            id=name,
            actor=actor,
            kind=kind,
            parts=list(parts),
            order=(self.node.place[0], 0, self.count()),
            pointer=self.draft.pointer,
            capture={"started_at": "not_captured"},
        )
        self.builder.drafts[draft.id] = draft
        note_unknown(self.builder, draft)
        self.uses(draft)
        return draft

    def count(self) -> int:
        self.number += 1
        return self.number

    def uses(self, draft: Draft, rule: str = "") -> None:
        """Link what stands in the prompt to the call; what the agent had before came with that."""
        if draft.id not in self.thread.used:
            self.thread.used.add(draft.id)
            self.builder.link(draft.id, self.draft.id, LinkKind.CONSUMES, rule)


def texts_of(draft: Draft) -> list[str]:
    """What a tool's step has of its answer."""
    kinds = (PartKind.TOOL_RESPONSE, PartKind.ERROR)
    return [part.text for part in draft.parts if part.kind in kinds and part.text]


def digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode(errors="replace")).hexdigest()[:12]

"""Who acts in a sample of Inspect: spans within spans, some of which are agents or scorers.

A second hand-over to the same agent opens a second span: another instance of the role. Old logs
have steps that begin and end instead of spans.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.steps.building import Builder, Draft
from traces.formats.steps.conversation import Conversation

# The role of whoever acts outside any agent's span.
NOBODY = "assistant"
SCORING = frozenset({"scorer", "scorers"})


@dataclass(slots=True)
class Span:
    """A span with what its nearest agent is, and whether it is part of scoring."""

    id: str
    type: str
    name: str
    parent: Span | None
    agent: Agent
    scoring: str


@dataclass(slots=True)
class Agent:
    """One execution of an agent, with its thread of messages."""

    key: str
    talk: Conversation
    above: Agent | None = None
    # The step that handed over to it, or was the last of the agent above when it began.
    begun_by: Draft | None = None
    started: bool = False
    joining: list[Draft] = field(default_factory=list)


@dataclass(slots=True)
class Spans:
    """All spans that have begun."""

    builder: Builder
    model: str = ""
    by_id: dict[str, Span] = field(default_factory=dict)
    stack: list[Span] = field(default_factory=list)
    instances: Counter[str] = field(default_factory=Counter)
    root: Agent | None = None

    def begin(self, event: Object) -> Span:
        parent = self.by_id.get(loose.name(event.get("parent_id")))
        return self.open(event, loose.name(event.get("id")), parent)

    def step(self, event: Object) -> None:
        """A step of an old log: it has no id, and ends where the next end says."""
        if event.get("action") == "begin":
            above = self.stack[-1] if self.stack else None
            self.stack.append(self.open(event, "", above))
        elif self.stack:
            joined(self.stack.pop())

    def open(self, event: Object, ident: str, parent: Span | None) -> Span:
        kind, name = loose.text(event.get("type")), loose.name(event.get("name"))
        above = parent.agent if parent else self.nobody()
        agent = self.agent(name or "agent", ident, above) if kind == "agent" else above
        scoring = name if kind in SCORING else ""
        span = Span(ident, kind, name, parent, agent, scoring or (parent.scoring if parent else ""))
        if ident:
            self.by_id[ident] = span
        return span

    def agent(self, name: str, ident: str, above: Agent) -> Agent:
        self.instances[name] += 1
        count = self.instances[name]
        key = name if count == 1 else f"{name}#{count}"
        ends = above.talk.ends
        self.builder.actor(
            key,
            role=name,
            instance=ident or None,
            parent=above.key if above.started else None,
        )
        return Agent(key, Conversation(self.builder, key), above, ends[-1] if ends else None)

    def nobody(self) -> Agent:
        """Whoever acts outside all agents. They are declared only if they do act."""
        if self.root is None:
            self.root = Agent(NOBODY, Conversation(self.builder, NOBODY))
        return self.root

    def end(self, event: Object) -> None:
        if span := self.by_id.get(loose.name(event.get("id"))):
            joined(span)

    def of(self, event: Object) -> Span | None:
        span = self.by_id.get(loose.name(event.get("span_id")))
        return span or (self.stack[-1] if self.stack else None)


def joined(span: Span) -> None:
    """The end of a span: if it is an agent's, what it did last joins the agent above."""
    if span.type == "agent" and span.agent.above and span.agent.started:
        span.agent.above.joining.extend(span.agent.talk.ends)

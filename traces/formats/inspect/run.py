"""What is known of one sample of Inspect while its events are read."""

from __future__ import annotations

from dataclasses import dataclass, field

from traces.formats.inspect.refs import Attachments, Pool
from traces.formats.inspect.spans import Agent, Spans
from traces.formats.steps.building import Builder, Draft
from traces.transcript import LinkKind, StepKind


@dataclass(slots=True)
class Run:
    """`heard` are the messages that were told already, `tools` the steps of calls by their ids."""

    builder: Builder
    attachments: Attachments
    pool: Pool
    spans: Spans
    heard: set[str] = field(default_factory=set)
    tools: dict[str, Draft] = field(default_factory=dict)

    def begun(self, agent: Agent, draft: Draft) -> None:
        """Link an agent's first step to what started it, and a step to what came back before it."""
        if not agent.started:
            agent.started = True
            if agent.begun_by and agent.begun_by.id != draft.id:
                handed = agent.begun_by.kind is StepKind.HANDOFF
                kind = LinkKind.HANDOFF if handed else LinkKind.SPAWN
                self.builder.link(agent.begun_by.id, draft.id, kind)
        kind = LinkKind.JOIN if len(agent.joining) > 1 else LinkKind.CONSUMES
        for each in agent.joining:
            self.builder.link(each.id, draft.id, kind)
        agent.joining = []

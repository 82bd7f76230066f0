"""What stands in the prompts of a run, in order of its model calls."""

from __future__ import annotations

from collections.abc import Sequence

from traces.formats.spans.listening import Listening
from traces.formats.spans.memory import Memory
from traces.formats.spans.span import Role
from traces.formats.spans.tree import Node
from traces.formats.steps.building import Draft
from traces.transcript import StepKind


class History(Memory):
    """Reads the prompts of a run."""

    def read(self, nodes: Sequence[Node]) -> None:
        self.acting = {node.actor for node in nodes if node.draft is not None}
        agents = self.spoken_for(nodes)
        for node in nodes:
            draft = node.draft or agents.get(node.id)
            if draft is None:
                continue
            if node.facts.role is Role.MODEL or node.facts.role is Role.AGENT:
                Listening(self, node, draft).read()
                self.tools[draft.actor] += self.steps.spanless.get(draft.id, ())
            elif draft.kind in (StepKind.TOOL, StepKind.HANDOFF):
                self.tools[draft.actor].append(draft)

    def spoken_for(self, nodes: Sequence[Node]) -> dict[str, Draft]:
        """Agents whose model calls have no prompts: their input is heard at their first step."""
        if any(n.facts.role is Role.MODEL and n.facts.prompt is not None for n in nodes):
            return {}
        first: dict[str, Draft] = {}
        for node in nodes:
            if node.draft is not None:
                first.setdefault(node.actor, node.draft)
        return {
            node.id: first[node.actor]
            for node in nodes
            if node.facts.role is Role.AGENT and node.draft is None and node.actor in first
            if node.facts.prompt is not None and node.folded_into is None
        }

"""How the agents of a run hang together: who called whom, who handed over, what was tried again.

A nested agent was called by the tool around it. Agents beside each other under one wrapper came
one after the other, or ran at once and were joined: their times say which.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import accumulate

from traces.formats.spans.calls import key_of
from traces.formats.spans.span import Role
from traces.formats.spans.tree import Node
from traces.formats.steps.building import Builder, Draft
from traces.transcript import LinkKind, PartKind, StepKind, StepStatus

INSIDE = "its span lies inside the caller's"
NEXT_OF_CALLER = "next model call of the caller"
ENDED_BEFORE = "ended before it under the same caller"
NAMED = "next execution of the agent that is named"
TRIED_AGAIN = "same tool and arguments after a failure, nothing of others between"


class Relations:
    """Links between the steps of different spans, once all steps are known."""

    def __init__(self, builder: Builder, nodes: Sequence[Node], used_by: dict[str, Draft]) -> None:
        self.builder, self.used_by = builder, used_by
        self.agents = [n for n in nodes if n.facts.role is Role.AGENT and n.folded_into is None]
        self.acting = [node for node in nodes if node.draft is not None]
        self.own: defaultdict[str, list[Node]] = defaultdict(list)
        for node in self.acting:
            self.own[node.actor].append(node)
        self.handed: set[str] = set()

    def add(self) -> None:
        self.handoffs()
        self.delegations()
        self.coworkers()
        self.sequences()
        Retries(self.builder, self.acting)

    def handoffs(self) -> None:
        """From a handoff to the next execution of the agent that it names."""
        by_role: defaultdict[str, list[Node]] = defaultdict(list)
        for actor, nodes in self.own.items():
            by_role[self.builder.actors[actor].role].append(nodes[0])
        for nodes in by_role.values():
            nodes.sort(key=lambda node: node.place)
        for node in self.acting:
            if node.facts.role is Role.HANDOFF and node.draft is not None:
                known = by_role.get(node.facts.to, [])
                place = bisect_right([each.place for each in known], node.place)
                if known[place:] and (first := known[place]).draft is not None:
                    self.builder.link(node.draft.id, first.draft.id, LinkKind.HANDOFF)
                    self.handed.add(first.actor)

    def delegations(self) -> None:
        """From the step that called a nested agent to its first, from its last to the caller's."""
        for agent in self.agents:
            steps = self.own.get(agent.actor)
            if not steps or agent.actor in self.handed:
                continue
            tool, caller = self.called_by(agent)
            first, last = steps[0].draft, steps[-1].draft
            if first is None or last is None:
                continue
            if tool is not None and tool.draft is not None:
                self.builder.link(tool.draft.id, first.id, LinkKind.SPAWN)
                self.join(last, tool, self.used_by.get(tool.draft.id))
            elif caller is not None:
                before = [n for n in self.own[caller.actor] if n.place[0] <= agent.place[0]]
                if before and (by := before[-1].draft) is not None:
                    self.builder.link(by.id, first.id, LinkKind.SPAWN, INSIDE)
                    self.join(last, agent, None)
                    self.handed.add(agent.actor)

    def coworkers(self) -> None:
        """From a tool to the agent that it calls and that has no span, and back."""
        calling = [node for node in self.acting if node.facts.role is Role.TOOL and node.facts.to]
        if not calling:
            return
        keys = {actor.instance: actor.key for actor in self.builder.actors.values()}
        for tool in calling:
            steps = self.own.get(keys.get(tool.id, ""))
            if steps and tool.draft and steps[0].draft and steps[-1].draft:
                self.builder.link(tool.draft.id, steps[0].draft.id, LinkKind.SPAWN)
                self.join(steps[-1].draft, tool, self.used_by.get(tool.draft.id))

    def called_by(self, agent: Node) -> tuple[Node | None, Node | None]:
        """The tool that an agent lies inside, else the agent with steps of its own around it."""
        for each in agent.ancestors():
            if each.facts.role is Role.TOOL and each.draft is not None:
                return each, None
            if each.facts.role is Role.AGENT and self.own.get(each.actor):
                return None, each
        return None, None

    def join(self, last: Draft, called: Node, consumer: Draft | None) -> None:
        """From the last step of a nested agent to the caller's first that has the result."""
        if consumer is not None:
            self.builder.link(last.id, consumer.id, LinkKind.JOIN)
            return
        around = called.parent.agent if called.parent else None
        actor = called.actor if called.facts.role is Role.TOOL else around.actor if around else ""
        for node in self.own.get(actor, ()):
            if node.facts.role is Role.MODEL and node.place[0] >= called.place[1] and node.draft:
                self.builder.link(last.id, node.draft.id, LinkKind.JOIN, NEXT_OF_CALLER)
                return

    def sequences(self) -> None:
        """Agents that nobody called follow those that ended before them under one wrapper."""
        groups: defaultdict[str, list[Node]] = defaultdict(list)
        for agent in self.agents:
            around = agent.parent.agent if agent.parent else None
            around = around and (around.folded_into or around)
            tool, caller = self.called_by(agent)
            if tool is None and caller is None:
                groups[around.id if around else ""].append(agent)
        ends = self.ends_of(groups)
        for group in groups.values():
            by_end = sorted(group, key=lambda node: (node.place[1], node.id))
            finished = [node.place[1] for node in by_end]
            latest = list(accumulate((node.place[0] for node in by_end), max))
            for agent in group:
                count = bisect_right(finished, agent.place[0])
                first = next(iter(self.own.get(agent.actor, ())), None)
                if not count or first is None or agent.actor in self.handed:
                    continue
                before = []
                for node in reversed(by_end[:count]):
                    if node.place[1] <= latest[count - 1]:
                        break
                    before += ends.get(node.id, [])
                self.follow(before, first)

    def ends_of(self, groups: dict[str, list[Node]]) -> dict[str, list[Node]]:
        """The last steps of each agent; those of the agents inside it if it has none."""
        ends: dict[str, list[Node]] = {}
        for agent in sorted(self.agents, key=lambda node: node.place, reverse=True):
            own = self.own.get(agent.actor)
            inner = [end for each in groups.get(agent.id, ()) for end in ends.get(each.id, ())]
            ends[agent.id] = own[-1:] if own else inner
        return ends

    def follow(self, before: Iterable[Node], first: Node) -> None:
        last = [node.draft for node in before if node.draft is not None]
        kind = LinkKind.JOIN if len(last) > 1 else LinkKind.FOLLOWS
        for draft in last:
            if first.draft is not None:
                self.builder.link(draft.id, first.draft.id, kind, ENDED_BEFORE)


class Retries:
    """Calls that were tried again: where the source says so, and where it is plain to see."""

    def __init__(self, builder: Builder, acting: Sequence[Node]) -> None:
        self.builder, self.turns = builder, turns_of(acting)
        # Calls after which the source says that the model was asked to try again.
        self.asking: dict[tuple[str, str], tuple[Node, Draft]] = {}
        self.failed: dict[tuple[str, str, str], tuple[Draft, int]] = {}
        # Tools of agents that have failed.
        self.fragile: set[tuple[str, str]] = set()
        for node in acting:
            if node.draft is not None and node.draft.kind is StepKind.TOOL:
                self.tool(node, node.draft)

    def tool(self, node: Node, draft: Draft) -> None:
        tool, facts = (node.actor, draft.tool or ""), node.facts
        fails = draft.status in (StepStatus.ERROR, StepStatus.TIMEOUT)
        turn = self.turns[node.id]
        # Arguments are compared only where something failed.
        key = (*tool, arguments_of(draft)) if fails or tool in self.fragile else None
        asked, failed = self.asking.pop(tool, None), self.failed.pop(key, None) if key else None
        if asked is not None:
            tried_again(draft, asked[0])
            self.builder.link(asked[1].id, draft.id, LinkKind.RETRY_OF)
        elif failed is not None and failed[1] == turn:
            self.builder.link(failed[0].id, draft.id, LinkKind.RETRY_OF, TRIED_AGAIN)
        if facts.retried:
            self.asking[tool] = (node, draft)
        if fails and key:
            self.failed[key] = (draft, turn)
            self.fragile.add(tool)


def turns_of(acting: Sequence[Node]) -> dict[str, int]:
    """Numbers that are equal for steps between which nobody else did anything."""
    turns: dict[str, int] = {}
    turn, last = 0, ""
    for node in acting:
        turn += node.actor != last
        last = node.actor
        turns[node.id] = turn
    return turns


def tried_again(draft: Draft, asked: Node) -> None:
    told = asked.facts.retried
    before = told.get("attempt")
    if isinstance(before, int):
        draft.attempt = before + 1
    draft.attempt_reason = str(told.get("cause") or "") or None


def arguments_of(draft: Draft) -> str:
    return next((key_of(p.text) for p in draft.parts if p.kind is PartKind.TOOL_REQUEST), "")

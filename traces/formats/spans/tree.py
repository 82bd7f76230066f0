"""The tree that spans make by their parents, whatever parents they claim.

A ring is broken at its earliest span, a parent that never came is a gap: nothing is dropped, and
a run needs no root.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from traces.completeness import listed
from traces.formats.spans.span import Facts, Role, Span
from traces.formats.steps.building import Builder, Draft

ACTING = frozenset({Role.MODEL, Role.TOOL, Role.HANDOFF, Role.CHECK})
# Guessing the agents of orphans compares each with each: not of runs with more pairs than these.
MOST_PAIRS = 1_000_000
# Levels up that are looked at for what is around a span.
MOST_LEVELS = 100

Place = tuple[float, float, str]


class Node:
    """A span in its tree. `agent` is the nearest span of an agent around it, or itself."""

    __slots__ = (
        "actor", "agent", "children", "draft", "facts", "folded_into", "id", "parent", "place",
        "span",
    )  # fmt: skip

    def __init__(self, span: Span, facts: Facts) -> None:
        self.span, self.facts, self.id = span, facts, span.id
        self.parent: Node | None = None
        self.children: list[Node] = []
        self.agent: Node | None = None
        self.actor = ""
        self.draft: Draft | None = None
        self.folded_into: Node | None = None
        start, end = span.start_ns, span.end_ns
        self.place: Place = (
            start if start is not None else math.inf,
            end if end is not None else math.inf,
            span.id,
        )

    @property
    def acts(self) -> bool:
        return self.facts.role in ACTING

    def ancestors(self) -> Iterator[Node]:
        node, levels = self.parent, 0
        while node is not None and levels < MOST_LEVELS:
            yield node
            node, levels = node.parent, levels + 1

    def covers(self, other: Node) -> bool:
        """Whether the other lies inside this in time, as far as both have times."""
        return self.place[0] <= other.place[0] and other.place[1] <= self.place[1]

    def overlaps(self, other: Node) -> bool:
        return self.place[0] <= other.place[1] and other.place[0] <= self.place[1]


def tree(spans: Iterable[Span], facts_of: Callable[[Span], Facts], builder: Builder) -> list[Node]:
    """All spans in order of time, each with its parent, its children and its agent."""
    nodes = sorted((Node(span, facts_of(span)) for span in spans), key=lambda node: node.place)
    by_id = {node.id: node for node in nodes}
    lost: defaultdict[str, list[Node]] = defaultdict(list)
    for node in nodes:
        if node.span.parent:
            node.parent = by_id.get(node.span.parent)
            if node.parent is None:
                lost[node.span.parent].append(node)
    break_rings(nodes, builder)
    for node in nodes:
        if node.parent is not None:
            node.parent.children.append(node)
    find_agents_and_judgements(nodes)
    if lost:
        builder.gap("missing_parent", f"Spans that never came: {listed(sorted(lost))}.")
        adopt(nodes, lost)
    return nodes


def break_rings(nodes: Sequence[Node], builder: Builder) -> None:
    seen: dict[str, str] = {}
    broken: list[str] = []
    for start in nodes:
        node: Node | None = start
        while node is not None and node.id not in seen:
            seen[node.id] = start.id
            node = node.parent
        if node is not None and seen[node.id] == start.id:
            ring = [node]
            while (following := ring[-1].parent) is not None and following is not node:
                ring.append(following)
            if following is not None:
                first = min(ring, key=lambda each: each.place)
                first.parent = None
                broken.append(first.id)
    if broken:
        builder.gap("cycle", f"Spans inside themselves, read as roots: {listed(sorted(broken))}.")


def find_agents_and_judgements(nodes: Sequence[Node]) -> None:
    """Set the agent of each span, and make all that lies inside a judgement a part of it.

    A judgement's words must reach no step. Parents may come after their children in time.
    """
    waiting = [node for node in nodes if node.parent is None]
    while waiting:
        node = waiting.pop()
        if node.parent is not None and node.parent.facts.role is Role.JUDGEMENT:
            node.facts = replace(node.facts, role=Role.JUDGEMENT)
        around = node.parent.agent if node.parent else None
        node.agent = node if node.facts.role is Role.AGENT else around
        waiting += node.children


def adopt(nodes: Sequence[Node], lost: Mapping[str, Sequence[Node]]) -> None:
    """Guess the agent of spans whose parent never came: the one around them in time, of one name.

    Only the agent is guessed. The spans stay roots.
    """
    agents = [node for node in nodes if node.facts.role is Role.AGENT]
    orphans = [node for each in lost.values() for node in each if node.agent is None]
    if len(agents) * len(orphans) > MOST_PAIRS:
        return
    for orphan in orphans:
        around = around_in_time(orphan, agents)
        waiting = [orphan] if around else []
        while waiting:
            node = waiting.pop()
            if node.agent is None:
                node.agent = around
                waiting += node.children


def around_in_time(orphan: Node, agents: Sequence[Node]) -> Node | None:
    wanted = orphan.facts.agent
    if orphan.span.start_ns is None:
        return None
    fitting = [
        agent
        for agent in agents
        if agent.covers(orphan) and (not wanted or agent.facts.agent == wanted)
    ]
    # The innermost of agents in each other began last.
    return max(fitting, key=lambda each: each.place, default=None)

"""Who acts in each span: one actor for each execution of an agent.

An agent's span is the instance. A span that names an agent it does not lie inside is of that
agent, and where the source contradicts itself so, the step says it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from traces.completeness import listed
from traces.formats.spans.span import Facts, Role
from traces.formats.spans.tree import Node
from traces.formats.steps.building import Builder
from traces.transcript import ActorKind

DUPLICATE_AGENT = "agent recorded by two instrumentations"
# Characters of a span's id that tell instances apart: its end, since some ids begin with a time.
SHORT = 8
NAMELESS = "agent"
# Executions of one role that a span without an agent is compared with.
MOST = 200


class Cast:
    """The actors of a run while its spans are read."""

    def __init__(self, nodes: Sequence[Node], builder: Builder) -> None:
        self.builder = builder
        self.by_name: defaultdict[str, list[Node]] = defaultdict(list)
        self.by_instance: dict[str, Node] = {}
        self.conflicts: list[str] = []
        # What a wrapper around a span calls whoever acts in it.
        self.around: dict[str, str] = {}
        # Whom a tool around a span calls, if nothing else says that an agent acts in it.
        self.called: dict[str, Node | None] = {}
        # Parents first: an agent's caller has to have its key.
        for node in parents_first(nodes):
            outer = self.around[node.parent.id] if node.parent else ""
            self.around[node.id] = node.facts.agent or outer
            self.called[node.id] = self.caller(node)
            if node.facts.role is Role.AGENT:
                self.agent(node)
        for node in nodes:
            if node.acts:
                node.actor = self.actor_of(node)
        if self.conflicts:
            builder.gap("actor_conflict", f"Inside another agent's span: {listed(self.conflicts)}.")

    def agent(self, node: Node) -> None:
        """Declare the actor of an agent's span."""
        name = name_of(node)
        around = node.parent.agent if node.parent else None
        around = around and (around.folded_into or around)
        if around is not None and same_call(node, around):
            node.folded_into = around
            node.actor = around.actor
            self.builder.folded[DUPLICATE_AGENT] += 1
            return
        key = f"{name}@{node.id[-SHORT:]}"
        if key in self.builder.actors:
            key = f"{name}@{node.id}"
        node.actor = self.builder.actor(
            key,
            role=name,
            instance=node.id,
            model=node.facts.model or None,
            parent=around.actor if around else None,
        )
        self.by_name[name].append(node)
        if node.facts.instance:
            self.by_instance.setdefault(node.facts.instance, node)

    def caller(self, node: Node) -> Node | None:
        """The tool inside which another agent acts that has no span of its own."""
        above = node.parent
        if above is None or node.facts.role is Role.AGENT:
            return None
        calls = above.facts.role is Role.TOOL and above.facts.to
        return above if calls else self.called[above.id]

    def actor_of(self, node: Node) -> str:
        """Who acts in a span, or would, if it did anything."""
        facts, around = node.facts, node.agent
        caller = self.called.get(node.id)
        if caller is not None and not facts.agent:
            return self.inside(caller, around)
        if around is not None and (around.folded_into or around) is not around:
            around = around.folded_into
        named = facts.agent
        if around is not None and (not named or named == name_of(around)):
            return around.actor
        told = self.by_instance.get(facts.instance) or self.only(named, node)
        if told is not None:
            if around is not None and node.acts and told not in node.ancestors():
                self.conflicts.append(f"{node.id} of {named}")
            return told.actor
        if named:
            return self.without_span(named, facts)
        return self.without_span(self.around[node.id] or service_of(node), facts)

    def inside(self, caller: Node, around: Node | None) -> str:
        """Whom a tool calls: one execution for each call of the tool."""
        key = f"{caller.facts.to}@{caller.id[-SHORT:]}"
        parent = around.actor if around else None
        return self.builder.actor(key, role=caller.facts.to, instance=caller.id, parent=parent)

    def only(self, name: str, node: Node) -> Node | None:
        """The one execution of the agent of this name that was running then."""
        known = self.by_name.get(name, ())
        running = [each for each in known[:MOST] if each.covers(node)]
        return running[0] if len(running) == 1 else None

    def without_span(self, name: str, facts: Facts) -> str:
        """An actor that is known by name only, or by an id that the source gives its execution."""
        model = facts.model or None
        if facts.instance:
            key = f"{name}@{facts.instance[-SHORT:]}"
            return self.builder.actor(key, role=name, instance=facts.instance, model=model)
        return self.builder.actor(name, model=model, capture={"instance": "not_captured"})


def dismiss(builder: Builder) -> None:
    """Take back agents that are known by a name only and did nothing after all."""
    busy = {draft.actor for draft in builder.drafts.values()}
    busy.update(actor.parent for actor in builder.actors.values() if actor.parent)
    for key, actor in list(builder.actors.items()):
        if actor.kind is ActorKind.AGENT and actor.instance is None and key not in busy:
            del builder.actors[key]


def parents_first(nodes: Sequence[Node]) -> list[Node]:
    """Every node behind its parent, siblings in order of time."""
    found: list[Node] = []
    waiting = [node for node in reversed(nodes) if node.parent is None]
    while waiting:
        node = waiting.pop()
        found.append(node)
        waiting += reversed(node.children)
    return found


def name_of(agent: Node) -> str:
    return agent.facts.agent or agent.facts.label or agent.span.name or NAMELESS


def same_call(node: Node, around: Node) -> bool:
    """Two instrumentations of one execution: nothing but wrappers between spans of one name."""
    if node.span.scope.name == around.span.scope.name or name_of(node) != name_of(around):
        return False
    for between in node.ancestors():
        if between is around:
            return True
        if between.facts.role is not Role.CONTAINER:
            return False
    return False


def service_of(node: Node) -> str:
    service = node.span.resource.get("service.name")
    named = isinstance(service, str) and service and not service.startswith("unknown_service")
    return str(service) if named else NAMELESS


def people(builder: Builder, role: str, *, called: bool) -> str:
    """Who speaks to an agent: a person to the first, whatever calls it to one inside another."""
    if role == "system":
        return builder.actor("system", ActorKind.HARNESS)
    if called:
        return builder.actor("caller", ActorKind.HARNESS)
    return builder.actor(role or "user", ActorKind.HUMAN)

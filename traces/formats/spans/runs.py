"""A run from spans and what their dialects say of them: the same for every span-like source."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from traces.compact import compact
from traces.formats.spans.account import account, headed
from traces.formats.spans.actors import Cast, dismiss, parents_first
from traces.formats.spans.errors import place_errors
from traces.formats.spans.history import History
from traces.formats.spans.links import Relations
from traces.formats.spans.merging import fold_duplicates, unique
from traces.formats.spans.span import Facts, Role, Span
from traces.formats.spans.steps import Steps
from traces.formats.spans.tree import Node, tree
from traces.formats.steps import ordering
from traces.formats.steps.building import Builder, Draft
from traces.transcript import ActorKind, LinkKind, Part, PartKind, StepKind, Transcript

BEFORE_TOOL = "last model call of the same agent before it"
BEFORE_CALL = "tool call of the same agent before it"


def read_run(
    spans: Iterable[Span],
    facts_of: Callable[[Span], Facts],
    header: Transcript,
    builder: Builder | None = None,
) -> Transcript:
    """The run that these spans tell. `header` has what is known of it besides, its id above all.

    What `header` leaves open is filled in: times, task, system and capture.
    """
    builder = builder or Builder()
    nodes = tree(unique(spans, builder), facts_of, builder)
    fold_duplicates(nodes, builder)
    cast = Cast(nodes, builder)
    steps = Steps(builder)
    steps.read(nodes)
    speak_for_themselves(nodes, steps, cast)
    place_errors(list(reversed(parents_first(nodes))), cast)
    history = History(builder, steps)
    history.read(nodes)
    complete_tools(nodes, history)
    Relations(builder, nodes, history.used_by).add()
    Guess(nodes, builder)
    dismiss(builder)
    account(nodes, builder)
    return followed(builder.transcript(headed(header, nodes, history, builder)))


def followed(run: Transcript) -> Transcript:
    """Guess predecessors that nobody recorded, of agents: prompts do not follow prompts."""
    acting = [step for step in run.steps if run.actor_of(step).kind is ActorKind.AGENT]
    return replace(run, links=(*run.links, *ordering.follows_same_actor(acting, run.links)))


def speak_for_themselves(nodes: Sequence[Node], steps: Steps, cast: Cast) -> None:
    """Agents without anything inside them speak by their own span, if it says anything.

    In a run in which no span acts, all spans that no dialect knows are steps.
    """
    busy = {node.id for node in nodes if node.acts}
    acting = {node.actor for node in nodes if node.draft is not None}
    spoken = {node.actor for node in nodes if node.facts.role is Role.MODEL}
    for node in reversed(parents_first(nodes)):
        if node.id in busy and node.parent is not None:
            busy.add(node.parent.id)
    for node in nodes:
        facts = node.facts
        if facts.role is Role.OTHER and not busy:
            node.actor = cast.actor_of(node)
            text = f"{node.span.name}\n{compact(node.span.attributes)}"
            steps.draft(node, StepKind.MESSAGE, [Part(PartKind.MESSAGE, text)])
        elif facts.role is Role.AGENT and speaks(node):
            if node.id not in busy:
                steps.model_call(node)
            elif node.actor in acting and node.actor not in spoken and facts.reply is not None:
                conclude(node, steps)


def speaks(node: Node) -> bool:
    facts = node.facts
    return node.folded_into is None and (facts.reply is not None or facts.prompt is not None)


def conclude(node: Node, steps: Steps) -> None:
    """What an agent of which only tool calls are recorded said in the end."""
    steps.model_call(node)
    if node.draft is not None and node.span.end_ns is not None:
        node.draft.order = (node.place[1], 1, 0)
        node.draft.started_at = node.draft.ended_at


def complete_tools(nodes: Sequence[Node], history: History) -> None:
    """A tool that ended well and whose answer stands nowhere did answer: it was not captured."""
    for node in nodes:
        draft = node.draft
        if node.facts.role is not Role.TOOL or draft is None or node.span.end_ns is None:
            continue
        if all(part.kind is PartKind.TOOL_REQUEST for part in draft.parts):
            call = draft.parts[0].data.get("call")
            data = {"call": call} if call else {}
            draft.parts.append(Part(PartKind.TOOL_RESPONSE, "", data, {"text": "not_captured"}))


class Guess:
    """Which model call a tool came of, and which used its answer, where nothing shows it."""

    def __init__(self, nodes: Sequence[Node], builder: Builder) -> None:
        self.builder = builder
        self.targets = {edge.target for edge in builder.edges}
        self.sources = {edge.source for edge in builder.edges}
        self.last_call: dict[str, Draft] = {}
        self.unused: defaultdict[str, list[tuple[Node, Draft]]] = defaultdict(list)
        for node in nodes:
            if node.draft is not None and node.facts.role is Role.MODEL:
                self.model_call(node, node.draft)
            elif node.draft is not None and node.draft.kind in (StepKind.TOOL, StepKind.HANDOFF):
                self.tool_call(node, node.draft)

    def model_call(self, node: Node, draft: Draft) -> None:
        for tool, step in self.unused.pop(node.actor, ()):
            if tool.place[1] <= node.place[0]:
                self.builder.link(step.id, draft.id, LinkKind.FOLLOWS, BEFORE_CALL)
        self.last_call[node.actor] = draft

    def tool_call(self, node: Node, draft: Draft) -> None:
        before = self.last_call.get(node.actor)
        if before is not None and draft.id not in self.targets:
            self.builder.link(before.id, draft.id, LinkKind.FOLLOWS, BEFORE_TOOL)
        if draft.id not in self.sources and draft.kind is StepKind.TOOL:
            self.unused[node.actor].append((node, draft))

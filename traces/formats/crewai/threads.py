"""The thread of each execution of an agent in a crew, and what it hands to coworkers."""

from __future__ import annotations

from dataclasses import dataclass, field

from traces.formats.crewai.events import EXECUTIONS, TOOL, Event, Tree
from traces.formats.steps.building import Builder, Draft
from traces.transcript import LinkKind

SAME_EXECUTION = "previous step of the same execution"
NEXT_OF_CALLER = "next step of the caller"


@dataclass(slots=True)
class Threads:
    """`ends` are what the next step of an execution comes after; `root` its last model call."""

    builder: Builder
    tree: Tree
    ends: dict[str, list[Draft]] = field(default_factory=dict)
    root: dict[str, Draft] = field(default_factory=dict)
    last: dict[str, Draft] = field(default_factory=dict)
    # The steps of tool uses, by the events that start them.
    tools: dict[str, str] = field(default_factory=dict)
    handed: dict[str, list[str]] = field(default_factory=dict)
    latest: Draft | None = None

    def execution(self, one: Event) -> str:
        found = self.tree.nearest(one, EXECUTIONS)
        return found.id if found else ""

    def open(self, one: Event, prompt: Draft) -> None:
        """Begin an execution; one inside a tool use was handed over by it."""
        self.ends[one.id], self.root[one.id] = [prompt], prompt
        if tool := self.tree.above(one, TOOL):
            self.handed.setdefault(self.execution(tool), []).append(one.id)

    def place(self, draft: Draft, execution: str) -> None:
        """Put a step behind those before it in its execution, and behind work handed to others."""
        for each in self.ends.get(execution, ()):
            prompt = each.id == execution
            kind = LinkKind.CONSUMES if prompt else LinkKind.FOLLOWS
            self.builder.link(each.id, draft.id, kind, "" if prompt else SAME_EXECUTION)
        for coworker in self.handed.pop(execution, ()):
            if last := self.last.get(coworker):
                self.builder.link(last.id, draft.id, LinkKind.JOIN, NEXT_OF_CALLER)
        self.ends[execution] = [draft]
        self.root[execution] = draft
        self.begin(draft, execution)

    def beside_others(self, draft: Draft, execution: str, *, linked: bool) -> None:
        """Put a tool use behind the model call before it; several stand side by side."""
        root = self.root.get(execution)
        if root and not linked:
            self.builder.link(root.id, draft.id, LinkKind.FOLLOWS, SAME_EXECUTION)
        ends = self.ends.setdefault(execution, [])
        if ends and ends[0] is root:
            ends.clear()
        ends.append(draft)
        self.begin(draft, execution)

    def begin(self, draft: Draft, execution: str) -> None:
        """The first step of an execution inside a tool use comes of that tool use."""
        start = self.tree.by_id.get(execution)
        if start and execution not in self.last and (tool := self.tree.above(start, TOOL)):
            self.builder.link(self.tools.get(tool.id, tool.id), draft.id, LinkKind.SPAWN)
        self.last[execution] = self.latest = draft

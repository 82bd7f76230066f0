"""Reads what LangChain's `astream_events` yields: starts and ends of models, tools and nodes.

A node's attempt that failed has a start without an end; the next attempt says nothing of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from traces.formats.base import Document, Json, ParsedRun, Reading, Refusal, Sample, Unreadable
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.spans.runs import read_run
from traces.formats.spans.span import Facts, Role, Span
from traces.formats.steps.building import Builder
from traces.transcript import Fate, Transcript

NO_EVENT = "This is no event of a LangChain stream: it lacks event or run_id."
STREAMED = "pieces of a stream before its end"
MODELS = ("on_chat_model", "on_llm")


class LangGraphEvents:
    name = "langgraph_events"
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        if any(is_event(item) and "parent_ids" in item for item in sample.objects):
            return "keys event, run_id and parent_ids"
        return None

    def read(self, document: Document) -> Reading:
        calls: dict[str, Called] = {}
        builder, refusals = Builder(), []
        for index, (pointer, value) in enumerate(loose.placed(document)):
            if is_event(value):
                id_ = loose.name(value["run_id"])
                calls.setdefault(id_, Called(id_, index)).add(value, pointer, builder, index)
            else:
                refusals.append(Refusal(pointer or "/", NO_EVENT))
        if not calls:
            raise Unreadable("There are no events of a LangChain stream here.")
        if refusals:
            builder.gap("undecodable_step", f"Records that are no events: {len(refusals)}.")
        open_ones = [each.name for each in calls.values() if each.end is None]
        if open_ones:
            detail = f"Started and never ended: {', '.join(open_ones[:10])}."
            builder.gap("damaged", detail)
        by_id = {each.id: each for each in calls.values()}
        root = next(iter(calls.values()))
        header = Transcript(
            external_id=root.thread or root.id,
            source="langgraph",
            schema="langgraph_events",
            actors=(),
            steps=(),
            gaps=loose.reading_gaps(document),
            system={"name": "langgraph"},
        )
        spans = [each.span() for each in calls.values()]
        thinking = {each.node for each in calls.values() if each.kind.startswith(MODELS)}
        around = {parent for each in spans for parent in (each.parent,) if parent}
        run = read_run(spans, lambda one: by_id[one.id].facts(thinking, around), header, builder)
        return Reading((ParsedRun(run),), tuple(refusals))


FORMAT = LangGraphEvents()


def is_event(value: Json) -> bool:
    named = isinstance(value, Mapping) and loose.text(value.get("event")).startswith("on_")
    return named and bool(loose.name(value.get("run_id")))


@dataclass(slots=True)
class Called:
    """A model, a tool or a node that was run: what its events say together.

    There are no times in these events: their places in the stream are the order.
    """

    id: str
    first: int
    last: int = 0
    start: Object | None = None
    end: Object | None = None
    pointers: list[str] = field(default_factory=list)

    def add(self, value: Object, pointer: str, builder: Builder, index: int) -> None:
        kind = loose.text(value["event"])
        if kind.endswith("_stream"):
            builder.fold(STREAMED, pointer)
        elif kind.endswith("_start") and self.start is None:
            self.start, self.last = value, max(self.last, index)
            self.pointers.append(pointer)
        elif kind.endswith(("_end", "_error")) and self.end is None:
            self.end, self.last = value, index
            self.pointers.append(pointer)
        else:
            builder.record(pointer, Fate.CONTEXT, kind)

    @property
    def known(self) -> Object:
        return self.start or self.end or loose.NOTHING

    @property
    def name(self) -> str:
        return loose.text(self.known.get("name"))

    @property
    def kind(self) -> str:
        return loose.text(self.known.get("event"))

    @property
    def node(self) -> str:
        return loose.text(loose.at(self.known, "metadata", "langgraph_node"))

    @property
    def thread(self) -> str:
        return loose.name(loose.at(self.known, "metadata", "thread_id"))

    def span(self) -> Span:
        parents = [loose.name(each) for each in loose.items(self.known.get("parent_ids"))]
        failed = loose.text(loose.at(self.end, "event")).endswith("_error")
        return Span(
            trace="",
            id=self.id,
            parent=parents[-1] if parents else "",
            name=self.name,
            status="error" if failed else "",
            pointer=self.pointers[0] if self.pointers else "",
            also_from=self.pointers[1:],
        )

    def facts(self, thinking: set[str], around: set[str]) -> Facts:
        """A node acts if a model was called in it, or if nothing else is told of what it did.

        Others only run what those asked for: they are `around` it.
        """
        kind, node = self.kind, self.node
        metadata = loose.mapping(self.known.get("metadata"))
        instance = loose.text(metadata.get("langgraph_checkpoint_ns"))
        given, made = loose.at(self.start, "data", "input"), loose.at(self.end, "data", "output")
        error = loose.at(self.end, "data", "error")
        if kind.startswith(MODELS):
            model = loose.text(metadata.get("ls_model_name"))
            prompt = loose.mapping(given).get("messages", given)
            return Facts(
                role=Role.MODEL,
                agent=node,
                instance=instance,
                model=model,
                prompt=prompt,
                reply=made,
            )
        if kind.startswith("on_tool"):
            content = loose.mapping(made).get("content", made)
            status = loose.text(loose.at(made, "status"))
            return Facts(
                role=Role.TOOL,
                tool=self.name,
                call=loose.name(loose.at(made, "tool_call_id")),
                arguments=given,
                result=None if made is None else loose.shown(content),
                error=loose.shown(error) or None,
                failed={"error": True, "success": False}.get(status),
            )
        if node == self.name and node in thinking:
            return Facts(role=Role.AGENT, agent=node, instance=instance)
        if node == self.name and self.end and self.id not in around and made is not None:
            reply = {"role": "assistant", "content": loose.shown(made)}
            return Facts(role=Role.AGENT, agent=node, instance=instance, reply=reply)
        return Facts(role=Role.CONTAINER, label=self.name)

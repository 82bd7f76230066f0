"""Reads state histories of LangGraph: a list of checkpoints, the newest first.

It is the record of what changed from step to step. Retries inside a node leave nothing in it.
"""

from __future__ import annotations

from collections.abc import Sequence

from traces.completeness import listed
from traces.formats.base import Document, ParsedRun, Reading, Refusal, Sample, Unreadable
from traces.formats.langgraph.graph import Graph
from traces.formats.langgraph.snapshots import Snapshot, by_thread, is_snapshot, snapshot
from traces.formats.records import loose
from traces.formats.steps.building import Builder
from traces.formats.steps.unsayable import unsayable_but
from traces.transcript import Gap, StepKind, Transcript

CAPTURE = unsayable_but(
    *("started_at", "ended_at", "reports", "initial_state", "steps/started_at", "steps/joins"),
    *("steps/spawned_by", "steps/parts/state"),
    more=("task/id", "outcome", "failures", "system/models"),
)
NO_SNAPSHOT = "This is no checkpoint: it lacks values, next or config."


class LangGraph:
    name = "langgraph"
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        if any(map(is_snapshot, sample.objects)):
            return "keys values, next and config"
        return None

    def read(self, document: Document) -> Reading:
        snapshots, refusals = [], []
        for pointer, value in loose.placed(document):
            if is_snapshot(value):
                snapshots.append(snapshot(pointer, value))
            else:
                refusals.append(Refusal(pointer or "/", NO_SNAPSHOT))
        if not snapshots:
            raise Unreadable("There are no checkpoints of LangGraph here.")
        gaps = loose.reading_gaps(document)
        if refusals:
            places = listed([refusal.position for refusal in refusals])
            gaps = (*gaps, Gap("undecodable_step", f"Records that are no checkpoints: {places}."))
        runs = []
        for thread, found in by_thread(snapshots).items():
            graph = Graph(Builder())
            graph.read(found)
            runs.append(ParsedRun(transcript(thread, graph, found, gaps)))
        return Reading(tuple(runs), tuple(refusals))


FORMAT = LangGraph()


def transcript(
    thread: str, graph: Graph, snapshots: Sequence[Snapshot], gaps: tuple[Gap, ...]
) -> Transcript:
    graph.endings()
    times = [each.at for each in snapshots if each.at and each.at.tzinfo]
    first = snapshots[0] if snapshots else None
    header = Transcript(
        external_id=thread or f"langgraph-{loose.digest(sorted(graph.builder.drafts))}",
        source="langgraph",
        schema="langgraph",
        actors=(),
        steps=(),
        gaps=gaps,
        task_text=task_of(graph.builder),
        system={"name": "langgraph"},
        initial_state={"reference": first.id, "values": dict(first.values)} if first else {},
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        capture=CAPTURE,
    )
    return graph.builder.transcript(header)


def task_of(builder: Builder) -> str:
    """What came in first, from whoever called the graph."""
    told = [each for each in builder.drafts.values() if each.kind is StepKind.INPUT]
    first = min(told, key=lambda each: (each.order[:2], each.id), default=None)
    return "\n".join(part.text for part in first.parts) if first else ""

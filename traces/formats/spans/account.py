"""What spans say of the whole run, and what became of those that are no steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from traces.completeness import listed
from traces.formats.spans.history import History
from traces.formats.spans.span import Role
from traces.formats.spans.steps import moment
from traces.formats.spans.tree import Node
from traces.formats.steps.building import Builder, Draft
from traces.transcript import Fate, Opinion, PartKind, Report, Transcript

MERGED = "span that sums up others"
# What spans have no place for, whatever their dialect.
UNSAYABLE = (
    "initial_state",
    "outcome",
    "failures",
    "attempt",
    "recorder",
    "closed_at",
    "actors/authority",
    "actors/replaces",
    "steps/recorded_at",
    "steps/parts/state",
    "steps/parts/decision",
    "steps/parts/claims",
    "steps/parts/artifacts",
)
CAPTURE = dict.fromkeys(UNSAYABLE, "not_in_schema")


def account(nodes: Sequence[Node], builder: Builder) -> None:
    """Say of each span that is no step what became of it, and count what nothing holds."""
    unknown: Counter[str] = Counter()
    for node in nodes:
        span, facts = node.span, node.facts
        builder.unread.update(facts.unread)
        if span.dropped:
            builder.gap("cut_text", f"{span.dropped} attributes dropped by the sender.", node.draft)
        step = node.draft or (node.folded_into.draft if node.folded_into else None)
        give_opinions(node, step, builder)
        fate, label = fate_of(node)
        if facts.role is Role.OTHER and (node.draft or fate is Fate.UNMAPPED):
            unknown[span.name] += 1
        if node.draft is None:
            builder.record(span.pointer, fate, label, step)
            for pointer in span.also_from:
                builder.record(pointer, Fate.FOLDED, label)
    if unknown:
        names = [f"{name} ({count})" for name, count in sorted(unknown.items())]
        builder.gap("kept_in_raw_only", f"Spans of no known dialect: {listed(names)}.")


def give_opinions(node: Node, step: Draft | None, builder: Builder) -> None:
    who = node.actor or (node.agent.actor if node.agent else "")
    for judged in node.facts.judged:
        builder.opinion(
            Opinion(judged.source, node.id, 0, None, who, judged.reason, judged.data),
            step.id if step else "",
        )


def fate_of(node: Node) -> tuple[Fate, str]:
    role, name = node.facts.role, node.span.name
    if node.folded_into is not None or role is Role.SYNTHETIC:
        return Fate.FOLDED, MERGED if role is Role.SYNTHETIC else name
    if role is Role.JUDGEMENT:
        return Fate.CONTEXT, "judgement"
    if role is Role.OTHER and not node.children:
        return Fate.UNMAPPED, name
    return Fate.CONTAINER, name


def headed(
    header: Transcript, nodes: Sequence[Node], history: History, builder: Builder
) -> Transcript:
    """The header, and what all spans together say of the run."""
    starts = [node.span.start_ns for node in nodes if node.span.start_ns]
    ends = [node.span.end_ns for node in nodes if node.span.end_ns]
    for node in nodes:
        is_root = node.parent is None and not node.span.parent
        if is_root and node.span.status and node.facts.role is not Role.JUDGEMENT:
            said = Report(node.span.status, "framework", detail=node.span.message)
            builder.report(said, node.draft)
    task = next((node.facts.task for node in nodes if node.facts.task), "")
    return replace(
        header,
        task_id=header.task_id or task,
        task_text=header.task_text or history.first_words,
        started_at=header.started_at or moment(min(starts, default=None)),
        ended_at=header.ended_at or moment(max(ends, default=None)),
        system={**system_of(nodes), **header.system},
        capture={**CAPTURE, **captured(nodes, heard=bool(history.heard)), **header.capture},
    )


def system_of(nodes: Sequence[Node]) -> dict[str, Any]:
    """What the run was made with, as its spans say."""
    models: dict[str, str] = {}
    more: dict[str, Any] = {}
    for node in nodes:
        if node.facts.model and node.facts.role is Role.MODEL:
            models.setdefault(node.actor, node.facts.model)
        if node.facts.conversation:
            more.setdefault("conversation", node.facts.conversation)
        for name, value in node.facts.configuration.items():
            more.setdefault(name, value)
    scopes = sorted({f"{s.name} {s.version}".strip() for n in nodes if (s := n.span.scope).name})
    resource = next((dict(node.span.resource) for node in nodes if node.span.resource), {})
    found = {
        "name": resource.get("service.name"),
        "version": resource.get("service.version"),
        "models": models,
        "scopes": scopes,
        "resource": resource,
        **more,
    }
    return {name: value for name, value in found.items() if value}


def captured(nodes: Sequence[Node], *, heard: bool) -> dict[str, str]:
    """What the whole run lacks: words that were not recorded are said to be so once."""
    calls = [node for node in nodes if node.facts.role is Role.MODEL and node.draft is not None]
    silences = {node.facts.silence or "not_captured" for node in calls if is_silent(node)}
    if not calls or heard or not all(map(is_silent, calls)):
        return {}
    return {"steps/parts/text": "withheld" if silences == {"withheld"} else "not_captured"}


def is_silent(node: Node) -> bool:
    """Whether nothing of what a model said is kept, and not because it said nothing."""
    parts = node.draft.parts if node.draft else []
    words = [part for part in parts if part.kind is not PartKind.ERROR]
    return not any(part.text or part.capture.get("text") == "absent" for part in words)

"""An outline of a transcript, or of lines collected from the rows of a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np

from traces.outline.columns import (
    COLUMNS,
    KINDS,
    LINKS,
    PARTS,
    RELATIONS,
    STATUSES,
    VERDICTS,
    Lane,
    Outline,
)
from traces.transcript import PartKind, StepKind, StepStatus, Transcript

VERIFIED = PartKind.VERIFICATION
_KIND = {kind: place for place, kind in enumerate(KINDS)}
_STATUS = {status: place for place, status in enumerate(STATUSES)}
_RELATION: dict[str, int] = {kind: place for place, kind in enumerate(RELATIONS)}
_BIT = {kind: 1 << place for place, kind in enumerate(PARTS)}


class Outlined(NamedTuple):
    """One step's line of the outline, as it is collected. Times are seconds since 1970 in UTC."""

    actor: str
    kind: StepKind
    status: StepStatus
    tool: str
    attempt: int
    parts: int
    verdict: int
    size: int
    began: float
    ended: float


def outline(
    lanes: Iterable[Lane], steps: Iterable[Outlined], links: Iterable[tuple[int, int, str, str]]
) -> Outline:
    """Of steps in order, actors that act, and links as (source, target, kind, rule)."""
    rows = list(steps)
    acting = dict.fromkeys(row.actor for row in rows)
    known = {lane.key: lane for lane in lanes}
    places = {key: place for place, key in enumerate(acting)}
    tools = {tool: place for place, tool in enumerate(dict.fromkeys(row.tool for row in rows))}
    tools = {tool: place for place, tool in enumerate(name for name in tools if name)}
    listed = list(zip(*rows, strict=True)) or [()] * len(Outlined._fields)
    columns: dict[str, Sequence[object]] = dict(zip(Outlined._fields, listed, strict=True))
    columns["actor"] = [places[row.actor] for row in rows]
    columns["kind"] = [_KIND[row.kind] for row in rows]
    columns["status"] = [_STATUS[row.status] for row in rows]
    columns["tool"] = [tools.get(row.tool, -1) for row in rows]
    rules: dict[str, int] = {"": 0}
    edges = sorted(
        (to, start, _RELATION[kind], rules.setdefault(rule, len(rules)))
        for start, to, kind, rule in links
    )
    target, source, relation, rule = zip(*edges, strict=True) if edges else ((), (), (), ())
    columns |= {"source": source, "target": target, "relation": relation, "rule": rule}
    arrays = {name: np.array(columns[name], dtype=kind) for name, kind in (COLUMNS | LINKS).items()}
    return Outline(tuple(known[key] for key in acting), tuple(tools), tuple(rules), **arrays)


def outline_of(transcript: Transcript) -> Outline:
    lanes = (
        Lane(actor.key, actor.role, actor.kind, actor.instance or "", actor.replaces or "")
        for actor in transcript.actors
    )
    steps = (
        Outlined(
            step.actor,
            step.kind,
            step.status,
            step.tool or "",
            step.attempt or 0,
            bits(part.kind for part in step.parts),
            worst(part.data.get("verdict") for part in step.parts if part.kind is VERIFIED),
            sum([len(part.text) for part in step.parts]),
            seconds(step.started_at),
            seconds(step.ended_at),
        )
        for step in transcript.steps
    )
    links = ((link.source, link.target, link.kind, link.rule) for link in transcript.links)
    return outline(lanes, steps, links)


def bits(kinds: Iterable[str]) -> int:
    """The kinds of parts of one step, a bit for each."""
    found = 0
    for kind in kinds:
        found |= _BIT[PartKind(kind)]
    return found


def worst(verdicts: Iterable[object]) -> int:
    """What the checks of one step came to: a place in VERDICTS."""
    said = {verdict for verdict in verdicts if isinstance(verdict, str) and verdict}
    if "failed" in said:
        return VERDICTS.index("failed")
    if not said:
        return 0
    return VERDICTS.index("passed" if said == {"passed"} else "inconclusive")


def seconds(at: datetime | None) -> float:
    return at.timestamp() if at else float("nan")

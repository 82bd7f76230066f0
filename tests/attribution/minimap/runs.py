"""Outlines of very long runs, made without a transcript."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from traces.outline import KINDS, RELATIONS, STATUSES, Lane, Outline
from traces.transcript import ActorKind, LinkKind, StepKind, StepStatus


def run_of(
    acting: NDArray[Any],
    *,
    links: NDArray[Any] | None = None,
    relation: LinkKind = LinkKind.CONSUMES,
    name: str = "a",
    **columns: Any,
) -> Outline:
    """Who acts at each step, by any number, and links as two rows: sources, then targets."""
    _, first, actor = np.unique(acting, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    size = len(acting)
    source, target = np.zeros((2, 0), dtype=int) if links is None else links
    order = np.lexsort((source, target))
    given = {
        "actor": rank[actor.reshape(size)].astype(np.int32),
        "kind": np.full(size, KINDS.index(StepKind.MESSAGE), dtype=np.uint8),
        "status": np.full(size, STATUSES.index(StepStatus.OK), dtype=np.uint8),
        "tool": np.full(size, -1, dtype=np.int32),
        "attempt": np.zeros(size, dtype=np.int32),
        "parts": np.zeros(size, dtype=np.uint16),
        "verdict": np.zeros(size, dtype=np.uint8),
        "size": np.ones(size, dtype=np.int32),
        "began": np.arange(size, dtype=float),
        "ended": np.arange(size, dtype=float),
        "source": source[order].astype(np.int32),
        "target": target[order].astype(np.int32),
        "relation": np.full(len(source), RELATIONS.index(relation), dtype=np.uint8),
        "rule": np.zeros(len(source), dtype=np.int16),
    }
    lanes = tuple(Lane(f"{name}{n}", f"{name}{n}", ActorKind.AGENT) for n in range(len(first)))
    return Outline(lanes, (), ("", "a guess"), **(given | columns))

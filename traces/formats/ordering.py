"""Causal order: links first, then sequence, then clock. The same for every order of arrival."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from traces.transcript import Link, LinkKind, Step

Edge = tuple[int, int]
SAME_ACTOR = "previous step of the same actor"
SAME_CONVERSATION = "previous message of a shared conversation"


def causal_order(keys: Sequence[Any], edges: Iterable[Edge]) -> list[int]:
    """Indexes in an order in which each edge goes forward; where edges leave a choice, by key.

    A ring cannot be ordered: the smallest key in it goes first, and an edge then points back.
    """
    after: list[list[int]] = [[] for _ in keys]
    waiting_for = [0] * len(keys)
    for source, target in set(edges):
        after[source].append(target)
        waiting_for[target] += 1
    ready = [(keys[i], i) for i in range(len(keys)) if not waiting_for[i]]
    heapq.heapify(ready)
    by_key = iter(sorted(range(len(keys)), key=lambda i: (keys[i], i)))
    placed = [False] * len(keys)
    order: list[int] = []
    while len(order) < len(keys):
        index = heapq.heappop(ready)[1] if ready else next(i for i in by_key if not placed[i])
        placed[index] = True
        order.append(index)
        for target in after[index]:
            waiting_for[target] -= 1
            if not waiting_for[target] and not placed[target]:
                heapq.heappush(ready, (keys[target], target))
    return order


def seconds(moment: datetime | None) -> float:
    """A time as a sort key; what has none comes last, a time without zone counts as UTC."""
    if moment is None:
        return float("inf")
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def follows_same_actor(steps: Sequence[Step], recorded: Iterable[Link]) -> Iterator[Link]:
    """A guess for steps whose predecessors nobody recorded: what the same actor did before."""
    has_predecessor = {link.target for link in recorded}
    last: dict[str, int] = {}
    for step in steps:
        if step.actor in last and step.number not in has_predecessor:
            yield Link(last[step.actor], step.number, LinkKind.FOLLOWS, SAME_ACTOR)
        last[step.actor] = step.number


def follows_conversation(steps: Sequence[Step], recorded: Iterable[Link] = ()) -> Iterator[Link]:
    """A guess for a conversation that all share: each step answers the one before it."""
    has_predecessor = {link.target for link in recorded}
    for step in steps[1:]:
        if step.number not in has_predecessor:
            yield Link(step.number - 1, step.number, LinkKind.FOLLOWS, SAME_CONVERSATION)

"""Causal order: links first, then sequence, then clock. The same for every order of arrival."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from traces.formats.steps import rings
from traces.transcript import Link, LinkKind, Step

Edge = tuple[int, int]
SAME_ACTOR = "previous step of the same actor"
SAME_CONVERSATION = "previous message of a shared conversation"


def causal_order(keys: Sequence[Any], edges: Iterable[Edge]) -> list[int]:
    """Indexes in an order in which each edge goes forward; where edges leave a choice, by key.

    A ring cannot be ordered: the smallest key in it goes first, and an edge then points back.
    Edges that are on no ring always go forward.
    """
    after: list[list[int]] = [[] for _ in keys]
    waiting_for = [0] * len(keys)
    for source, target in set(edges):
        after[source].append(target)
        waiting_for[target] += 1
    ready = [(keys[i], i) for i in range(len(keys)) if not waiting_for[i]]
    heapq.heapify(ready)
    placed = [False] * len(keys)
    order: list[int] = []
    stuck: Stuck | None = None
    while len(order) < len(keys):
        if ready:
            index = heapq.heappop(ready)[1]
        else:
            stuck = stuck or Stuck(keys, after, placed)
            index = stuck.first(placed)
        placed[index] = True
        order.append(index)
        if stuck:
            stuck.release(index)
        for target in after[index]:
            waiting_for[target] -= 1
            if not waiting_for[target] and not placed[target]:
                heapq.heappush(ready, (keys[target], target))
    return order


class Stuck:
    """Steps that wait for each other, and those rings of them that wait for nothing else."""

    def __init__(self, keys: Sequence[Any], after: rings.Targets, placed: list[bool]) -> None:
        self.keys, self.after = keys, after
        self.ring = rings.components(after, {i: None for i, done in enumerate(placed) if not done})
        self.members: defaultdict[int, list[int]] = defaultdict(list)
        self.waiting_for: Counter[int] = Counter()
        for index, ring in self.ring.items():
            self.members[ring].append(index)
            self.waiting_for.update(self.beyond(index))
        self.free = [
            (keys[index], index)
            for ring, members in self.members.items()
            if not self.waiting_for[ring]
            for index in members
        ]
        heapq.heapify(self.free)

    def beyond(self, index: int) -> Iterator[int]:
        """The other rings to which a step leads, one for each of its edges."""
        own = self.ring[index]
        for target in self.after[index]:
            ring = self.ring.get(target, own)
            if ring != own:
                yield ring

    def first(self, placed: list[bool]) -> int:
        """The smallest key of a ring that waits for nothing but itself."""
        while placed[self.free[0][1]]:
            heapq.heappop(self.free)
        return int(heapq.heappop(self.free)[1])

    def release(self, index: int) -> None:
        """Tell the rings behind a step that it is placed."""
        for ring in self.beyond(index):
            self.waiting_for[ring] -= 1
            if not self.waiting_for[ring]:
                for each in self.members[ring]:
                    heapq.heappush(self.free, (self.keys[each], each))


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

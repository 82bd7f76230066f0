"""Rings in a graph of steps: which steps lead to each other, by Kosaraju's two walks."""

from __future__ import annotations

from collections.abc import Collection, Sequence

Targets = Sequence[Sequence[int]]


def components(targets: Targets, among: Collection[int]) -> dict[int, int]:
    """For each of these steps one of those that it leads to and that lead back to it.

    Steps of one ring have the same; a step on no ring has itself. `targets` is where each step
    leads; time is linear in its links.
    """
    sources = turned(targets, among)
    found: dict[int, int] = {}
    for root in reversed(left_last(targets, sources)):
        waiting = [] if root in found else [root]
        while waiting:
            step = waiting.pop()
            found[step] = root
            waiting += [source for source in sources[step] if source not in found]
    return found


def turned(targets: Targets, among: Collection[int]) -> dict[int, list[int]]:
    """For each of these steps those of them that lead to it."""
    sources: dict[int, list[int]] = {step: [] for step in among}
    for step in sources:
        for target in targets[step]:
            if target in sources:
                sources[target].append(step)
    return sources


def left_last(targets: Targets, among: Collection[int]) -> list[int]:
    """The steps in the order in which a walk into the depth leaves them."""
    seen: set[int] = set()
    left: list[int] = []
    for start in among:
        if start in seen:
            continue
        seen.add(start)
        path = [(start, iter(targets[start]))]
        while path:
            step, following = path[-1]
            for target in following:
                if target in among and target not in seen:
                    seen.add(target)
                    path.append((target, iter(targets[target])))
                    break
            else:
                left.append(step)
                path.pop()
    return left

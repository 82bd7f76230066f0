"""Which steps of a run are looked for, and what the step list shows then: hits stand in place.

Plain Python over the outline. Around each hit stay its causal neighbours, grey: its inputs and
outputs, what its actor did before and after, and the other attempts of a retry. What is folded
in between is counted, and can be opened. Without a filter everything is listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from attribution.alignment.aligned import NONE
from attribution.place import LONGEST, MOST, Query
from attribution.rows import Rows
from traces.folding import folded
from traces.outline import KINDS, RELATIONS, STATUSES, VERDICTS, Numbers, Outline, Truths
from traces.transcript import LinkKind, PartKind, StepKind, StepStatus

# Beside what a step's status says: that it or its check ended badly, that it is one of several
# attempts.
FAILED, RETRY = "failed", "retry"
STRETCH = re.compile(r"([0-9]{1,8})-([0-9]{1,8})", re.ASCII)


@dataclass(frozen=True)
class Filter:
    """What is looked for: any of the values of a name, and all names that have values.

    `opened` are the stretches of steps, first and last, that are shown all the same.
    """

    actors: frozenset[str] = frozenset()
    parts: frozenset[PartKind] = frozenset()
    kinds: frozenset[StepKind] = frozenset()
    statuses: frozenset[str] = frozenset()
    text: str = ""
    opened: tuple[tuple[int, int], ...] = ()

    @classmethod
    def from_query(cls, query: Query) -> Filter:
        """What the address asks for; values that cannot be are left out."""
        text = next(iter(_given(query, "text")[-1:]), "").strip()
        text = text if folded(text).strip() else ""
        return cls(
            actors=frozenset(_given(query, "actor")),
            parts=frozenset(map(PartKind, _known(query, "part", PartKind))),
            kinds=frozenset(map(StepKind, _known(query, "kind", StepKind))),
            statuses=frozenset(_known(query, "status", (*StepStatus, FAILED, RETRY))),
            text=text,
            opened=tuple(_stretches(_given(query, "open"))),
        )

    @property
    def active(self) -> bool:
        return bool(self.actors or self.parts or self.kinds or self.statuses or self.text)

    def query(self) -> list[tuple[str, str]]:
        """As parameters of an address, the same ones for the same filter."""
        named = (
            ("actor", self.actors),
            ("part", self.parts),
            ("kind", self.kinds),
            ("status", self.statuses),
        )
        given = [(name, str(value)) for name, values in named for value in sorted(values)]
        text = [("text", self.text)] if self.text else []
        return [*given, *text, *(("open", f"{a}-{b}") for a, b in self.opened)]


def _given(query: Query, name: str) -> list[str]:
    values = query.getlist(name)[:MOST]
    return [value[:LONGEST] for value in values if value.strip() and "\0" not in value]


def _known(query: Query, name: str, known: Iterable[str]) -> list[str]:
    values = {str(value) for value in known}
    return [value for value in _given(query, name) if value in values]


def _stretches(values: Iterable[str]) -> Iterable[tuple[int, int]]:
    for value in values:
        match = STRETCH.fullmatch(value)
        if match and int(match[1]) <= int(match[2]):
            yield int(match[1]), int(match[2])


@dataclass(frozen=True, eq=False)
class Listing:
    """What the step list shows, in order: every step is shown or counted as folded, just once.

    `steps` are the shown ones, `folded` how many are folded away just before each, `after` how
    many after the last. `hits`, `greyed`, `opened` and `hidden` add up to the steps of the run.
    """

    steps: Numbers
    grey: Truths
    hit: Truths
    folded: Numbers
    after: int
    hits: int
    greyed: int
    opened: int
    hidden: int

    def over(self, rows: Rows) -> Rows:
        """Of all rows of a run, alone or beside another, those that hold shown steps.

        A row without a step of this run stays with the row that it follows or goes before.
        `folded` counts steps of this run, and stands at the first row after them.
        """
        if not self.hidden and not self.greyed:
            return rows
        own = rows.left != NONE
        kept, grey = np.zeros(len(rows), dtype=bool), np.ones(len(rows), dtype=bool)
        place = np.searchsorted(self.steps, rows.left[own])
        there = np.append(self.steps, NONE)[place] == rows.left[own]
        kept[own] = there
        grey[own] = np.append(self.grey, True)[place]
        # For each row, whether the nearest row with a step is kept: before it, and after it.
        around, before = np.r_[False, there, False], np.cumsum(own)
        kept |= ~own & (around[before] | around[before + 1])
        gone = np.cumsum(own & ~kept)[kept]
        return replace(
            rows,
            left=rows.left[kept],
            right=rows.right[kept],
            source=rows.source[kept],
            grey=grey[kept],
            folded=np.diff(gone, prepend=0).astype(np.int32),
            after=self.hidden - (int(gone[-1]) if len(gone) else 0),
        )


def listing(outline: Outline, wanted: Filter, text_hits: Truths | None = None) -> Listing:
    """The step list under a filter. `text_hits` says of each step whether it holds the text."""
    if not wanted.active:
        everything = np.ones(len(outline), dtype=bool)
        return _listing(everything, ~everything, ~everything)
    hits = matching(outline, wanted)
    if wanted.text:
        hits &= text_hits if text_hits is not None else False
    opened = np.zeros(len(outline), dtype=bool)
    for first, last in wanted.opened:
        opened[first : last + 1] = True
    opened &= ~hits
    return _listing(hits, opened, beside(outline, hits) & ~opened)


def _listing(hits: Truths, opened: Truths, grey: Truths) -> Listing:
    shown = hits | opened | grey
    steps = np.flatnonzero(shown).astype(np.int32)
    # Steps are numbered without a hole: what lies between two shown ones is folded.
    folded = np.diff(steps, prepend=-1) - 1
    return Listing(
        steps=steps,
        grey=grey[steps],
        hit=hits[steps],
        folded=folded.astype(np.int32),
        after=len(shown) - 1 - int(steps[-1]) if len(steps) else len(shown),
        hits=int(hits.sum()),
        greyed=int(grey.sum()),
        opened=int(opened.sum()),
        hidden=int((~shown).sum()),
    )


def matching(outline: Outline, wanted: Filter) -> Truths:
    """The steps that the filter asks for, whatever text they hold."""
    hits = np.ones(len(outline), dtype=bool)
    if wanted.actors:
        hits &= named(outline, wanted.actors)[outline.actor]
    if wanted.parts:
        hits &= np.any([outline.having(kind) for kind in wanted.parts], axis=0)
    if wanted.kinds:
        hits &= np.isin(outline.kind, [KINDS.index(kind) for kind in wanted.kinds])
    if wanted.statuses:
        hits &= np.any([in_state(outline, status) for status in wanted.statuses], axis=0)
    return hits


def named(outline: Outline, names: Iterable[str]) -> Truths:
    """The actors that are meant, by key or role; by part of it where nobody is called so."""
    found = np.zeros(len(outline.lanes), dtype=bool)
    for name in names:
        called = [name in (lane.key, lane.role) for lane in outline.lanes]
        if not any(called):
            part = name.casefold()
            called = [part in f"{lane.key}\0{lane.role}".casefold() for lane in outline.lanes]
        found |= np.array(called, dtype=bool)
    return found


def in_state(outline: Outline, status: str) -> Truths:
    if status == FAILED:
        refused: Truths = outline.verdict == VERDICTS.index("failed")
        return outline.failing | refused
    if status == RETRY:
        again = outline.retried.copy()
        again[outline.target[_retries(outline)]] = True
        return again
    there: Truths = outline.status == STATUSES.index(StepStatus(status))
    return there


def beside(outline: Outline, hits: Truths) -> Truths:
    """The causal neighbours of these steps, they themselves left out."""
    near = np.zeros(len(outline), dtype=bool)
    near[outline.source[hits[outline.target]]] = True
    near[outline.target[hits[outline.source]]] = True
    order = np.argsort(outline.actor, kind="stable")
    before, after = order[:-1], order[1:]
    same = outline.actor[before] == outline.actor[after]
    near[before[same & hits[after]]] = True
    near[after[same & hits[before]]] = True
    return (near | _attempts(outline, hits)) & ~hits


def _attempts(outline: Outline, hits: Truths) -> Truths:
    """All attempts of what one of these steps is an attempt of."""
    links = _retries(outline)
    near = np.zeros(len(outline), dtype=bool)
    if links.any():
        steps, ends = np.unique(
            np.r_[outline.source[links], outline.target[links]], return_inverse=True
        )
        sources, targets = np.split(ends, 2)
        size = len(steps)
        graph = csr_matrix((np.ones(len(sources)), (sources, targets)), shape=(size, size))
        _, group = connected_components(graph, directed=False)
        near[steps[np.isin(group, group[hits[steps]])]] = True
    return near


def _retries(outline: Outline) -> NDArray[np.bool_]:
    links: Truths = outline.relation == RELATIONS.index(LinkKind.RETRY_OF)
    return links

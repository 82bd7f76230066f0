"""Puts the steps of a native run in causal order and builds its transcript."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import itemgetter

from traces.completeness import holes, listed
from traces.formats.native import v2
from traces.formats.native.margins import only_in_raw, states_of_run, states_of_step
from traces.formats.native.parts import actor, failure, kind_of, part, plain, report, status_of
from traces.formats.native.slips import slips
from traces.formats.steps import ordering
from traces.transcript import (
    Actor,
    ActorKind,
    Gap,
    Link,
    LinkKind,
    Outcome,
    PartKind,
    Step,
    Transcript,
)


@dataclass(frozen=True, slots=True)
class Draft:
    """A step that fits the format, before it has its place in the order."""

    given: v2.Step
    pointer: str
    content: str = ""

    @property
    def key(self) -> tuple[int, float, str, str]:
        given = self.given
        return given.sequence, ordering.seconds(given.started_at), given.id, self.content


@dataclass(frozen=True, slots=True)
class Placed:
    """Drafts in causal order; `number_of` is where the first step of each id stands."""

    drafts: tuple[Draft, ...]
    number_of: dict[str, int]
    links: tuple[Link, ...]
    gaps: tuple[Gap, ...]


def placed(drafts: Iterable[Draft]) -> Placed:
    """The same steps give the same places, in whatever order they come."""
    given = list(drafts)
    unique = {(draft.given.id, draft.content): draft for draft in given}
    keyed = sorted(((draft.key, draft) for draft in unique.values()), key=itemgetter(0))
    keys, arranged = [key for key, _ in keyed], [draft for _, draft in keyed]
    index_of = first_of_each_id(arranged)
    wanted = [
        (index_of[reference], target, kind)
        for target, draft in enumerate(arranged)
        for reference, kind in predecessors(draft.given)
        if reference in index_of
    ]
    order = ordering.causal_order(keys, [(source, target) for source, target, _ in wanted])
    place = {index: number for number, index in enumerate(order)}
    links = [Link(place[source], place[target], kind) for source, target, kind in wanted]
    ordered = tuple(arranged[index] for index in order)
    return Placed(
        drafts=ordered,
        number_of={step_id: place[index] for step_id, index in index_of.items()},
        links=tuple(link for link in links if link.source < link.target),
        gaps=(
            *repeated(len(given) - len(arranged)),
            *doubled(ordered),
            *missing(ordered, index_of),
            *rings(ordered, links),
            *conflicts(ordered, links),
            *holes(draft.given.sequence for draft in ordered),
            *slips([draft.given for draft in ordered], index_of),
        ),
    )


def first_of_each_id(drafts: list[Draft]) -> dict[str, int]:
    # The last of equal keys stays: from behind, that is the first.
    return {drafts[at].given.id: at for at in reversed(range(len(drafts)))}


def predecessors(given: v2.Step) -> list[tuple[str, LinkKind]]:
    """Every step that this one says it builds on, and how."""
    found = [(reference, LinkKind.CONSUMES) for reference in given.inputs]
    if given.joins:
        found += [(reference, LinkKind.JOIN) for reference in given.joins]
    if given.handoff_from:
        found.append((given.handoff_from, LinkKind.HANDOFF))
    if given.spawned_by:
        found.append((given.spawned_by, LinkKind.SPAWN))
    if given.retry:
        found.append((given.retry.of, LinkKind.RETRY_OF))
    return found


def repeated(count: int) -> Iterator[Gap]:
    if count:
        yield Gap("repeated_step", f"Steps sent again with equal content: {count}.")


def doubled(drafts: tuple[Draft, ...]) -> Iterator[Gap]:
    seen: dict[str, int] = {}
    for number, draft in enumerate(drafts):
        first = seen.setdefault(draft.given.id, number)
        if first != number:
            yield Gap("duplicate_step", f'Step {first} has the id "{draft.given.id}" too.', number)


def missing(drafts: tuple[Draft, ...], known: dict[str, int]) -> Iterator[Gap]:
    for number, draft in enumerate(drafts):
        unknown = [name for name in mentioned(draft.given) if name not in known]
        if unknown:
            yield Gap("missing_parent", f"Not in the record: {listed(unknown)}.", number)


def mentioned(given: v2.Step) -> list[str]:
    """Every step that this one names: those it builds on, and those it raced with."""
    found = [name for name, _ in predecessors(given)]
    for piece in given.parts:
        if isinstance(piece, v2.StatePart):
            found += piece.against
    return found


def rings(drafts: tuple[Draft, ...], links: list[Link]) -> Iterator[Gap]:
    backward = [
        f"{drafts[link.source].given.id} before {drafts[link.target].given.id}"
        for link in links
        if link.source >= link.target
    ]
    if backward:
        yield Gap("cycle", f"Links left out to order the steps: {listed(backward)}.")


def conflicts(drafts: tuple[Draft, ...], links: list[Link]) -> Iterator[Gap]:
    against: defaultdict[int, list[str]] = defaultdict(list)
    for link in links:
        before, after = drafts[link.source].given, drafts[link.target].given
        if link.source < link.target and before.sequence > after.sequence:
            against[link.target].append(f"{before.id} ({before.sequence})")
    for number, names in against.items():
        own = drafts[number].given.sequence
        detail = f"Has sequence number {own}, but builds on {listed(names)}."
        yield Gap("order_conflict", detail, number)


def transcript(
    header: v2.Document, order: Placed, gaps: tuple[Gap, ...], *, schema: str
) -> Transcript:
    """`schema` is that of the file, which may be older than what it is read as."""
    run = header.run
    steps = tuple(step(draft, number) for number, draft in enumerate(order.drafts))
    declared, contradicted = declared_actors(header.actors)
    undeclared = {s.actor: stranger(s.actor) for s in steps if s.actor not in declared}
    return Transcript(
        external_id=run.id,
        source=run.source,
        schema=schema,
        actors=(*declared.values(), *undeclared.values()),
        steps=steps,
        links=(*order.links, *ordering.follows_same_actor(steps, order.links)),
        gaps=(
            *gaps,
            *order.gaps,
            *contradicted,
            *strangers(undeclared),
            *dangling(run, order.number_of),
            *only_in_raw(header, (draft.given for draft in order.drafts)),
        ),
        failures=tuple(failure(given, order.number_of) for given in run.failures),
        reports=tuple(report(given, order.number_of) for given in run.reports),
        outcome=Outcome(run.outcome),
        task_id=run.task.id,
        task_text=run.task.text,
        system=plain(run.system),
        initial_state=plain(run.initial_state),
        started_at=run.started_at,
        ended_at=run.ended_at,
        closed_at=run.closed_at,
        recorder=plain(run.recorder) if run.recorder else {},
        parent_run=run.parent.run if run.parent else "",
        parent_relation=run.parent.relation if run.parent else "",
        attempt=run.attempt.number if run.attempt else None,
        attempt_reason=run.attempt.reason if run.attempt else "",
        capture=states_of_run(header),
    )


def step(draft: Draft, number: int) -> Step:
    given = draft.given
    parts = tuple(part(piece) for piece in given.parts)
    requests = [piece for piece in parts if piece.kind is PartKind.TOOL_REQUEST]
    return Step(
        number=number,
        source_id=given.id,
        actor=given.actor,
        kind=kind_of(given, parts),
        parts=parts,
        status=status_of(given),
        tool=str(requests[0].data["tool"]) if requests else None,
        started_at=given.started_at,
        ended_at=given.ended_at,
        attempt=given.retry.attempt if given.retry else None,
        attempt_reason=(given.retry.reason or None) if given.retry else None,
        attempt_by=(given.retry.decided_by or None) if given.retry else None,
        recorded_at=given.recorded_at,
        pointer=draft.pointer,
        capture=states_of_step(given),
    )


def declared_actors(given: list[v2.Actor]) -> tuple[dict[str, Actor], list[Gap]]:
    """Actors by their ids. Of different ones with the same id the first is kept."""
    declared: dict[str, Actor] = {}
    doubled: dict[str, None] = {}
    for each in map(actor, given):
        if declared.setdefault(each.key, each) != each:
            doubled[each.key] = None
    detail = f"Declared again with other content: {listed(list(doubled))}."
    return declared, [Gap("actor_conflict", detail)] if doubled else []


def stranger(key: str) -> Actor:
    """An actor that steps name and nobody declared: an agent, until the record says more."""
    return Actor(key=key, role=key, kind=ActorKind.AGENT, capture={"kind": "not_captured"})


def strangers(undeclared: dict[str, Actor]) -> Iterator[Gap]:
    if undeclared:
        yield Gap("unknown_actor", f"Named by steps, not declared: {listed(list(undeclared))}.")


def dangling(run: v2.Run, number_of: dict[str, int]) -> Iterator[Gap]:
    """Reports and failures that point at steps which are not there."""
    pointed = [report.step for report in run.reports] + [f.exposed_by for f in run.failures]
    unknown = [name for name in pointed if name and name not in number_of]
    if unknown:
        yield Gap("missing_parent", f"Reports or failures point at: {listed(unknown)}.")

"""Whether a run that came again says more than it said before, less, or something else.

More means that nothing is taken back: each step is there again, by the id of its source, with all
it held, and something was added: a step, a part, an end, an answer, a status where there was
none. Plain Python.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum, auto
from typing import Any

from traces.counterparts import Name, named, names
from traces.transcript import (
    Actor,
    Failure,
    Link,
    Outcome,
    Part,
    Report,
    Step,
    StepKind,
    StepStatus,
    Transcript,
)

NOTHING: tuple[object, ...] = (None, "", (), [], {})
# Fields that may be filled later, and never change once they are.
RUN = (
    "schema", "task_id", "task_text", "system", "initial_state", "recorder", "parent_run",
    "parent_relation", "attempt", "attempt_reason", "withheld",
)  # fmt: skip
ACTOR = (
    "role", "kind", "instance", "model", "configuration", "authority", "parent", "replaces",
)  # fmt: skip
STEP = (
    "actor", "kind", "tool", "started_at", "ended_at", "attempt", "attempt_reason", "attempt_by",
    "recorded_at",
)  # fmt: skip
SPOKEN = (StepKind.MESSAGE, StepKind.DECISION)
FAILURE = ("expected", "observed", "check", "consequence")
# Our own sentences about failures count steps.
DIGITS = re.compile(r"\d+")


class Compared(Enum):
    MORE = auto()
    LESS = auto()
    OTHER = auto()


def compare(before: Transcript, after: Transcript) -> Compared:
    """What the second is to the first. Two that differ in nothing that counts: LESS."""
    forwards, backwards = adds_to(before, after), adds_to(after, before)
    if forwards and backwards:
        # The same execution: what is said about it decides.
        return Compared.MORE if remarked(after) - remarked(before) else Compared.LESS
    if forwards:
        return Compared.MORE
    return Compared.LESS if backwards else Compared.OTHER


def more_in(before: Transcript, after: Transcript) -> int:
    """How many steps of the second are new, or hold what they did not hold before."""
    old = named(before.steps)
    return sum(
        name not in old or not holds_step(step, old[name])
        for name, step in named(after.steps).items()
    )


def adds_to(before: Transcript, after: Transcript) -> bool:
    """Whether all that the first says about the execution is in the second."""
    return (
        before.outcome in (Outcome.UNKNOWN, after.outcome)
        and in_time(before, after)
        and fields_within(RUN, before, after)
        and states_within(before.capture, after.capture, after)
        and steps_within(before, after)
        and actors_within(before, after)
        and recorded_links(before) <= every_link(after)
        and reports(before) <= reports(after)
        and failures_agree(before.failures, after.failures)
    )


def in_time(before: Transcript, after: Transcript) -> bool:
    """More of a run may begin earlier and end later."""
    pairs = (
        (after.started_at, before.started_at),
        (before.ended_at, after.ended_at),
        (before.closed_at, after.closed_at),
    )
    old = (before.started_at, before.ended_at, before.closed_at)
    return all(
        moment is None or (earlier is not None and later is not None and earlier <= later)
        for moment, (earlier, later) in zip(old, pairs, strict=True)
    )


def steps_within(before: Transcript, after: Transcript) -> bool:
    now = named(after.steps)
    return all(
        name in now and holds_step(step, now[name]) for name, step in named(before.steps).items()
    )


def holds_step(old: Step, new: Step) -> bool:
    """Whether the new one says all that the old one says."""
    return (
        old.status in (StepStatus.NOT_CAPTURED, new.status)
        and fields_within(STEP, told_apart(gone_on(old, new), new), new)
        and parts_within(old.parts, new.parts)
        and states_within(old.capture, new.capture, new)
    )


def gone_on(old: Step, new: Step) -> Step:
    """A reply that was cut may ask for tools by now, and end later: both are no contradiction."""
    if old.kind not in SPOKEN or new.kind not in SPOKEN:
        return old
    asks = old.kind is StepKind.MESSAGE and new.kind is StepKind.DECISION
    if old.ended_at is not None and new.ended_at is not None and old.ended_at < new.ended_at:
        old = replace(old, ended_at=new.ended_at)
    return replace(old, kind=new.kind) if asks else old


def told_apart(old: Step, new: Step) -> Step:
    """Whose words they are may only be known from what comes later."""
    unsure = old.capture.get("actor") and "actor" not in new.capture
    return replace(old, actor=new.actor) if unsure else old


def parts_within(old: Sequence[Part], new: Sequence[Part]) -> bool:
    """Whether each part is there, in this order, whatever stands between them."""
    rest = iter(new)
    return all(any(holds_part(part, each) for each in rest) for part in old)


def holds_part(old: Part, new: Part) -> bool:
    same = old.kind is new.kind and within(old.text, new.text) and within(old.data, new.data)
    return same and states_within(old.capture, new.capture, new)


def actors_within(before: Transcript, after: Transcript) -> bool:
    now = after.actor_by_key
    return all(
        actor.key in now
        and fields_within(ACTOR, actor, now[actor.key])
        and states_within(actor.capture, now[actor.key].capture, now[actor.key])
        for actor in before.actors
    )


def fields_within(fields: Iterable[str], old: Any, new: Any) -> bool:
    return all(within(getattr(old, name), getattr(new, name)) for name in fields)


def within(old: Any, new: Any) -> bool:
    """Whether nothing of a value is lost: it was empty, is the same, or has grown."""
    if old in NOTHING:
        return True
    if isinstance(old, Mapping):
        return isinstance(new, Mapping) and all(
            within(value, new.get(key)) for key, value in old.items()
        )
    if isinstance(old, (list, tuple)):
        rest = iter(new if isinstance(new, (list, tuple)) else ())
        return all(any(item == each for each in rest) for item in old)
    return bool(old == new)


def states_within(
    old: Mapping[str, str], new: Mapping[str, str], piece: Transcript | Actor | Step | Part
) -> bool:
    """Whether each reason for an empty field still stands, or the field is filled by now."""
    return all(
        new.get(name) == state or (name not in new and filled(piece, name))
        for name, state in old.items()
    )


def filled(piece: Transcript | Actor | Step | Part, name: str) -> bool:
    if isinstance(piece, Step) and any(part.kind == name for part in piece.parts):
        return True
    return getattr(piece, name, None) not in (*NOTHING, StepStatus.NOT_CAPTURED, Outcome.UNKNOWN)


def recorded_links(run: Transcript) -> set[tuple[Name, Name, str]]:
    name_of = list(names(run.steps))
    return {ends(link, name_of) for link in run.links if link.recorded}


def every_link(run: Transcript) -> set[tuple[Name, Name, str]]:
    """Guesses too: that a call which was asked for is the one that was made may be one."""
    name_of = list(names(run.steps))
    return {ends(link, name_of) for link in run.links}


def ends(link: Link, name_of: Sequence[Name]) -> tuple[Name, Name, str]:
    return name_of[link.source], name_of[link.target], link.kind


def reports(run: Transcript) -> set[tuple[object, ...]]:
    name_of = list(names(run.steps))
    return {said(report, name_of) for report in run.reports}


def said(report: Report, name_of: Sequence[Name]) -> tuple[object, ...]:
    step = report.step
    known = step is not None and 0 <= step < len(name_of)
    place = name_of[step] if known and step is not None else step
    return report.value, report.by, place, report.at, report.detail


def failures_agree(before: Sequence[Failure], after: Sequence[Failure]) -> bool:
    """Whether failures of one key say the same. One that is missing is no contradiction."""
    now = {failure.key: failure for failure in after}
    return all(
        statement(failure) == statement(now[failure.key])
        and fields_within(FAILURE, failure, now[failure.key])
        for failure in before
        if failure.key in now
    )


def statement(failure: Failure) -> str:
    return DIGITS.sub("#", failure.statement)


def remarked(run: Transcript) -> set[tuple[str, ...]]:
    """What is said about a run besides what happened in it."""
    return set(remarks_of(run))


def remarks_of(run: Transcript) -> Iterator[tuple[str, ...]]:
    for failure in run.failures:
        yield "failure", failure.key
    for opinion in run.opinions:
        yield "opinion", opinion.source, opinion.native_step, opinion.actor, opinion.reason

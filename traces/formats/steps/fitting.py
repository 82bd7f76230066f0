"""Makes a transcript fit the tables: names that are too long, times no calendar holds, bad links.

Every format passes through here, so none needs to know a column's width and none can make the
database refuse a run. What is changed leaves a gap.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, TypeVar

from traces.transcript import Actor, Failure, Gap, Link, Transcript

NAME = 200
RUN_NAMES = {"external_id": NAME, "source": 120, "task_id": NAME, "schema": 40, "parent_run": NAME}
ACTOR_NAMES = dict.fromkeys(
    ("key", "role", "instance", "model", "configuration", "parent", "replaces"), NAME
)
STEP_NAMES = dict.fromkeys(("source_id", "actor", "tool", "attempt_by", "pointer"), NAME)
FAILURE_NAMES = {"key": NAME, "check": NAME}
OPINION_NAMES = {"source": 120, "native_step": 40, "actor": NAME}
TIMES = ("started_at", "ended_at", "recorded_at", "closed_at", "at", "added_at")
EARLIEST, LATEST = datetime(1900, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
LARGEST = 2**31 - 1
# Postgres takes no offset beyond this; the moment itself is as good.
WIDEST = timedelta(hours=15)

Piece = TypeVar("Piece", bound=Any)


@cache
def times_of(kind: Any) -> tuple[str, ...]:
    """The times that pieces of a class have, looked for once and not in each of many steps."""
    known = {field.name for field in fields(kind)}
    return tuple(name for name in TIMES if name in known)


def short(text: str, length: int = NAME) -> str:
    """The text, or its beginning and a digest of all of it: the same text gives the same name."""
    if len(text) <= length:
        return text
    return f"{text[: length - 10]}…{hashlib.sha256(text.encode()).hexdigest()[:9]}"


class Fitter:
    """Fits the pieces of one transcript and remembers what it changed."""

    def __init__(self) -> None:
        self.shortened: list[str] = []
        self.dropped: list[str] = []

    def fit(self, piece: Piece, names: Mapping[str, int]) -> Piece:
        changes: dict[str, object] = {}
        for name, length in names.items():
            value = getattr(piece, name)
            if value and len(value) > length:
                changes[name] = short(value, length)
                self.shortened.append(f"{name} {value[:40]}…")
        kind: Any = type(piece)
        for name in times_of(kind):
            moment = getattr(piece, name)
            if moment is not None and not fits_a_calendar(moment):
                changes[name] = None
                self.dropped.append(f"{name} {moment.isoformat()}")
            elif moment is not None and abs(moment.utcoffset()) > WIDEST:
                changes[name] = moment.astimezone(UTC)
        attempt = getattr(piece, "attempt", None)
        if attempt is not None and not 0 <= attempt <= LARGEST:
            changes["attempt"] = None
            self.dropped.append(f"attempt {attempt}")
        return replace(piece, **changes) if changes else piece

    def actor(self, actor: Actor) -> Actor:
        authority = tuple(short(item) for item in actor.authority)
        if authority != actor.authority:
            self.shortened.append(f"authority of {actor.key[:40]}")
            actor = replace(actor, authority=authority)
        return self.fit(actor, ACTOR_NAMES)

    def gaps(self) -> Iterator[Gap]:
        if self.shortened:
            yield Gap("shortened_names", f"Too long to keep as a name: {some(self.shortened)}.")
        if self.dropped:
            yield Gap("implausible_values", f"No such time or number: {some(self.dropped)}.")


def fitted(transcript: Transcript) -> Transcript:
    """The same run within the limits of the tables, with gaps for whatever was changed."""
    fitter = Fitter()
    links, link_gaps = sound_links(transcript)
    run = fitter.fit(transcript, RUN_NAMES)
    failures, failure_gaps = told_apart(
        fitter.fit(failure, FAILURE_NAMES) for failure in run.failures
    )
    return replace(
        run,
        actors=tuple(fitter.actor(actor) for actor in run.actors),
        steps=tuple(fitter.fit(step, STEP_NAMES) for step in run.steps),
        failures=failures,
        opinions=tuple(fitter.fit(opinion, OPINION_NAMES) for opinion in run.opinions),
        reports=tuple(fitter.fit(report, {}) for report in run.reports),
        links=links,
        gaps=(*run.gaps, *link_gaps, *failure_gaps, *fitter.gaps()),
    )


def told_apart(failures: Iterable[Failure]) -> tuple[tuple[Failure, ...], list[Gap]]:
    """Each failure once and under a key of its own: later ones of a key get a number."""
    given = list(dict.fromkeys(failures))
    taken = {failure.key for failure in given}
    kept: dict[str, Failure] = {}
    renamed = []
    numbers: Counter[str] = Counter()
    for failure in given:
        key = failure.key
        while key in kept or (key != failure.key and key in taken):
            numbers[failure.key] += 1
            ending = f" ({numbers[failure.key] + 1})"
            key = short(failure.key, NAME - len(ending)) + ending
        if key != failure.key:
            renamed.append(f"{failure.key[:40]} is {key[-60:]}")
        kept[key] = failure if key == failure.key else replace(failure, key=key)
    gaps = [Gap("duplicate_failure", f"Other failures had the same id: {some(renamed)}.")]
    return tuple(kept.values()), gaps if renamed else []


def sound_links(transcript: Transcript) -> tuple[tuple[Link, ...], list[Gap]]:
    """Links in order, each once and a recorded one first; those that point back become a gap."""
    kept: dict[tuple[int, int, str], Link] = {}
    backward = []
    for link in sorted(transcript.links, key=lambda link: (link.target, link.source, link.kind)):
        if not 0 <= link.source < link.target < len(transcript.steps):
            backward.append(f"{link.kind} from {link.source} to {link.target}")
            continue
        before = kept.setdefault((link.target, link.source, link.kind), link)
        if link.recorded and not before.recorded:
            kept[link.target, link.source, link.kind] = link
    gaps = [Gap("cycle", f"Links that point back in causal order: {some(backward)}.")]
    return tuple(kept.values()), gaps if backward else []


def fits_a_calendar(moment: datetime) -> bool:
    """Whether the time has a zone and lies in years that people and Postgres can handle."""
    return moment.tzinfo is not None and EARLIEST <= moment <= LATEST


def some(items: list[str]) -> str:
    more = f" and {len(items) - 10} more" if len(items) > 10 else ""
    return ", ".join(items[:10]) + more

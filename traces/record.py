"""What a record holds and what it lacks, gathered once for the page and for the command.

Bounded for a run of any length: rows are counted in the database, and no text of a step is read.
Nothing of a label or an expected answer is in here, only that one was withheld.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import CharField, Exists, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Cast, JSONObject

from traces import gaps, reading, tallies
from traces.flags import Flag, flags_of
from traces.identity import Fact, facts_of, states_within
from traces.models import Gap, Quarantine, RawDocument, Receipt, Redaction, Run
from traces.profiles import profile_of
from traces.provenance import RawTally, raw_tally, with_raw_rows
from traces.ranges import Ranges
from traces.relations import Relations, relations_of
from traces.tallies import CaptureTally, GapTally, Instance, PayloadTally
from traces.transcript import Capture, Report

# What each capture state says about a field that is empty.
STATES = {
    Capture.ABSENT: "It did not occur, and the format could have said so.",
    Capture.NOT_CAPTURED: "It may have occurred; the recorder did not write it down.",
    Capture.NOT_IN_SCHEMA: "The record's schema had no place for it.",
    Capture.WITHHELD: "It was there and was taken out by policy, the source's or this project's.",
    Capture.DAMAGED: "It was there and was cut or cannot be decoded.",
}
# Of the runs that one replaces, how many are named.
MOST_REPLACED = 10
UNKNOWN = gaps.Kind("", "This kind is not explained here: its words are its own.", "")


@dataclass(frozen=True, slots=True)
class GapKind:
    """All gaps of one kind, with what the kind means and the first of them in their own words."""

    tally: GapTally
    kind: gaps.Kind
    examples: tuple[Gap, ...]

    @property
    def title(self) -> str:
        return self.kind.title or self.tally.kind

    @property
    def more(self) -> int:
        """How many gaps are not told in their own words."""
        return self.tally.count - len(self.examples)


@dataclass(frozen=True, slots=True)
class Field:
    """A field's capture state: in `count` of the `of` places it could stand in."""

    tally: CaptureTally
    of: int


@dataclass(frozen=True, slots=True)
class FieldRow:
    """Fields that are in the same state at the same places, as a page shows them together."""

    names: tuple[str, ...]
    tally: CaptureTally
    of: int


@dataclass(frozen=True)
class Record:
    """The record of one run, as an auditor asks about it."""

    run: Run
    facts: tuple[Fact, ...]
    reports: tuple[Report, ...]
    relations: Relations
    actors: tuple[Instance, ...]
    gaps: tuple[GapKind, ...]
    fields: tuple[Field, ...]
    redaction: Redaction | None
    payloads: tuple[PayloadTally, ...]
    suspicions: tuple[Flag, ...]
    quarantines: tuple[Quarantine, ...]
    raw: RawTally

    @property
    def field_rows(self) -> list[FieldRow]:
        """Rows in the order of the first field of each."""
        rows: dict[object, list[Field]] = {}
        for each in self.fields:
            tally = each.tally
            rows.setdefault((tally.where, tally.state, tally.count, tally.steps), []).append(each)
        return [
            FieldRow(tuple(each.tally.field for each in row), row[0].tally, row[0].of)
            for row in rows.values()
        ]

    @property
    def answer_is_withheld(self) -> bool:
        """Whether the source held an expected answer or the like back from reviewers."""
        return bool(self.run.withheld)

    @property
    def withheld_count(self) -> int:
        """Values taken out by this project's policy, and what the source held back: fields that
        it says so of, and its answer as one."""
        own = self.redaction.count if self.redaction else 0
        fields = sum(each.tally.count for each in self.withheld_by_source)
        return own + fields + self.answer_is_withheld

    @property
    def withheld_by_source(self) -> list[Field]:
        """Fields whose capture state says that the source withheld them."""
        within = (
            Field(CaptureTally("run", fact.label, fact.state, 1, Ranges()), 1)
            for fact in states_within(self.run)
        )
        known = [each for each in self.fields if each.tally.state == Capture.WITHHELD]
        more = [each for each in within if each.tally.state == Capture.WITHHELD]
        return known + more[: tallies.MOST]

    @property
    def more_actors(self) -> int:
        return self.run.actor_count - len(self.actors)


def with_surroundings() -> QuerySet[Run]:
    """Runs with what pages about them read around them, but for the document's bytes.

    Also how the document first came, and whether the one it was made from is stored beside it.
    """
    around = ("project__trajectory_profile", "document__redaction__policy")
    unread = ("document__content", "document__redaction__policy__rules")
    receipts = Receipt.objects.filter(document=OuterRef("document")).order_by("pk")
    original = RawDocument.objects.filter(
        project=OuterRef("project"), sha256=OuterRef("document__original_sha256")
    )
    return (
        Run.objects.select_related(*around)
        .defer(*unread)
        .annotate(
            first_came_via=Subquery(receipts.values("via")[:1]),
            original_is_stored=Exists(original),
            replaced=replaced(),
            checks=reading.checks(),
        )
    )


def with_record() -> QuerySet[Run]:
    """Runs with all that `record_of` reads."""
    return with_raw_rows(with_surroundings())


def replaced() -> ArraySubquery:
    """The runs that are set aside for this one, the first few, as mappings of `id` and `name`."""
    rows = Quarantine.objects.filter(replacement=OuterRef("pk"), status="in_force").order_by("pk")
    told = JSONObject(id=Cast("run_id", CharField()), name=F("run__external_id"))
    return ArraySubquery(rows.values(told=told)[:MOST_REPLACED])


def record_of(run: Run) -> Record:
    """Six queries more than the run itself took, which comes of `with_record`."""
    examples = tallies.gap_examples(run)
    return Record(
        run=run,
        facts=facts_of(run),
        reports=reports_of(run),
        relations=relations_of(run),
        actors=tallies.instances(run),
        gaps=tuple(_kind(tally, examples) for tally in tallies.gaps_by_kind(run)),
        fields=tuple(_fields(run)),
        redaction=getattr(run.document, "redaction", None),
        payloads=tallies.payloads(run),
        suspicions=tuple(flags_of(run, profile_of(run.project))),
        quarantines=tuple(run.quarantines.select_related("owner", "replacement").order_by("pk")),
        raw=raw_tally(run),
    )


def reports_of(run: Run) -> tuple[Report, ...]:
    """What the record says of how it ended, and then what checks say that came apart from it."""
    apart = getattr(run, "checks", ())
    return (*map(reading.report, run.reports), *map(reading.check, apart))


def _kind(tally: GapTally, examples: dict[str, list[Gap]]) -> GapKind:
    return GapKind(tally, gaps.KINDS.get(tally.kind, UNKNOWN), tuple(examples.get(tally.kind, ())))


def _fields(run: Run) -> list[Field]:
    """Fields of the run first, then of its actors, steps and parts."""
    counted, parts = tallies.captures(run)
    of = {"run": 1, "actors": run.actor_count, "steps": run.step_count, "parts": parts}
    own = (_for_all(name, state, of) for name, state in run.capture.items())
    found = [*islice(own, tallies.MOST), *counted]
    ordered = sorted(found, key=lambda tally: (*of,).index(tally.where))
    return [Field(tally, of[tally.where]) for tally in ordered]


def _for_all(name: str, state: str, of: dict[str, int]) -> CaptureTally:
    """What the run says of a field of its own, or ("steps/parts/cut") of all that is below it."""
    where = next((place for place in ("parts", "steps", "actors") if f"{place}/" in name), "run")
    field = name.rpartition(f"{where}/")[2]
    return CaptureTally(where, field, state, of[where], Ranges())

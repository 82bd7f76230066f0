"""What the record of a run holds and lacks: for people, or as one JSON document."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Iterable
from typing import Any
from uuid import UUID

import orjson
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, ProgrammingError
from rich.console import Console
from rich.table import Table

from traces import inspection
from traces.management.commands.ingest import NOT_MIGRATED, UNREACHABLE, first_line
from traces.management.tables import plain
from traces.models import Run
from traces.provenance import RawTally
from traces.record import Record, record_of, with_record
from traces.templatetags.record import capture_words, utc

Row = tuple[object, ...]


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", metavar="ID", help="its id here, or the one its source gave")
        parser.add_argument("--project", default="", metavar="SLUG")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *, run: str, project: str, **options: Any) -> None:
        try:
            record = record_of(the_run(run, project))
        except OperationalError as error:
            raise CommandError(UNREACHABLE.format(first_line(error))) from error
        except ProgrammingError as error:
            raise CommandError(NOT_MIGRATED.format(first_line(error))) from error
        except CommandError as error:
            if options["json"]:
                self.stdout.write(encoded({"error": str(error)}))
            raise
        if options["json"]:
            self.stdout.write(encoded(inspection.document(record)))
        else:
            self.stdout.write(told(record))


def the_run(name: str, project: str) -> Run:
    """The one run of this name. Raises CommandError if there is none, or several."""
    runs = with_record()
    if project:
        runs = runs.filter(project__slug=project)
    try:
        found = list(runs.filter(pk=UUID(name)))
    except ValueError:
        found = list(runs.filter(external_id=name.replace("\x00", "")).order_by("received_at"))
    where = f" in the project {project}" if project else ""
    if not found:
        raise CommandError(f"There is no run {name}{where}.")
    if len(found) > 1:
        ids = ", ".join(f"{each.pk} ({each.project.slug})" for each in found[:10])
        raise CommandError(f"{len(found)} runs are called {name}{where}; give one's id: {ids}.")
    return found[0]


def encoded(answer: dict[str, Any]) -> str:
    return orjson.dumps(answer, option=orjson.OPT_INDENT_2).decode()


def told(record: Record) -> str:
    """The record for people: a heading and a table for each thing an auditor asks."""
    console = Console(width=None if sys.stdout.isatty() else 160, highlight=False)
    with console.capture() as captured:
        for heading, columns, rows in sections(record):
            console.print(f"\n[bold]{heading}[/bold]")
            console.print(table(columns, rows) if rows else "none")
    return captured.get().strip("\n")


def table(columns: tuple[str, ...], rows: list[Row]) -> Table:
    shown = Table(*columns, box=None, header_style="dim", show_header=any(columns))
    for row in rows:
        shown.add_row(*(plain("" if cell is None else str(cell)) for cell in row))
    return shown


Section = tuple[str, tuple[str, ...], list[Row]]


def sections(record: Record) -> Iterable[Section]:
    """A heading, the columns and the rows of each thing an auditor asks."""
    yield from of_its_origin(record)
    yield from of_what_it_lacks(record)


def of_its_origin(record: Record) -> Iterable[Section]:
    yield "Identity", ("", ""), identity(record)
    ended = [(each.by, each.value, each.detail, each.step) for each in record.reports]
    yield "Who says how it ended", ("", "", "", "step"), list(ended)
    relatives: list[Row] = [
        (sort, each.external_id, each.relation, each.attempt, each.reason, each.outcome)
        for sort, found in record.relations.sorts
        for each in found
    ]
    columns = ("here as", "run", "relation", "attempt", "reason", "outcome")
    yield "Relations", columns, relatives
    actors: list[Row] = [
        (each.role, each.key, *(empty(each, name) for name in SHOWN), each.replaces, each.steps)
        for each in record.actors
    ]
    named = ("role", "actor", "instance", "model", "configuration", "may", "replaces", "steps")
    yield "Actors", named, actors


def of_what_it_lacks(record: Record) -> Iterable[Section]:
    gaps: list[Row] = [
        (each.title, each.tally.count, each.tally.steps.shown or "run", each.kind.meaning)
        for each in record.gaps
    ]
    yield f"Gaps ({record.run.gap_count})", ("kind", "number", "steps", "what it means"), gaps
    fields: list[Row] = [
        (tally.where, tally.field, capture_words(tally.state), tally.count, each.of)
        for each in record.fields
        for tally in [each.tally]
    ]
    yield "Capture states", ("of", "field", "state", "in", "of all"), fields
    yield "Withheld", ("rule", "type", "action", "field", "number"), withheld(record)
    payloads: list[Row] = [
        (each.sha256, each.media_type, each.size, each.steps.shown) for each in record.payloads
    ]
    yield "Payloads", ("digest", "type", "bytes", "steps"), payloads
    yield from of_raw_records(record.raw)
    suspicions: list[Row] = [(each.title, each.detail, each.step) for each in record.suspicions]
    yield "Suspicions", ("", "", "step"), suspicions
    quarantines: list[Row] = [
        (each.get_status_display(), each.get_reason_display(), each.owner, each.note)
        for each in record.quarantines
    ]
    yield "Quarantine", ("", "", "by", "note"), quarantines


def of_raw_records(raw: RawTally) -> Iterable[Section]:
    """What became of each record of the source, and what of it nobody read."""
    steps = raw.step_records or "not listed by this format"
    fates: list[Row] = [
        (each.fate, each.count, ", ".join(f"{name} {n}" for name, n in each.names[:20]))
        for each in raw.fates
    ]
    if not raw.listed:
        fates.append(("no steps", "not listed by this format", ""))
    yield "Raw records", ("", "number", "names"), [("steps", steps, ""), *fates]
    yield "Folded", ("rule", "number"), list(raw.folded)
    yield "Fields not read", ("field", "number"), list(raw.unread)


SHOWN = ("instance", "model", "configuration", "authority")


def empty(actor: Any, name: str) -> str:
    """An actor's field, or why it has no value."""
    value = getattr(actor, name)
    if not value:
        return f"({capture_words(actor.why.get(name, 'not recorded'))})"
    return ", ".join(value) if isinstance(value, list) else str(value)


def identity(record: Record) -> list[Row]:
    run = record.run
    facts: list[Row] = [
        (
            fact.label,
            f"({capture_words(fact.state or 'not recorded')})"
            if fact.missing
            else utc(fact.value)
            if fact.moment
            else fact.value,
        )
        for fact in record.facts
    ]
    original = run.document.original_sha256 or "(the same)"
    return [
        ("Id", run.pk),
        ("Project", run.project.slug),
        ("Outcome", run.outcome),
        *facts,
        ("Run digest", run.sha256),
        ("Stored document", run.document.sha256),
        ("Original document", original),
    ]


def withheld(record: Record) -> list[Row]:
    names = ("rule", "type", "action", "field", "count")
    entries = record.redaction.entries if record.redaction else []
    rows: list[Row] = [tuple(entry.get(name) for name in names) for entry in entries]
    if record.answer_is_withheld:
        rows.append(
            ("the source's own", "expected answer or labels", "kept from reviewers", "", "")
        )
    for each in record.withheld_by_source:
        place = f"{each.tally.where}/{each.tally.field}"
        rows.append(("the source's own", "", "never sent", place, each.tally.count))
    return rows

"""`manage.py ingest PATH... --project SLUG`: take traces from files and folders."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management import BaseCommand, CommandError
from django.db import OperationalError, ProgrammingError
from django.utils import timezone
from rich.console import Console
from rich.table import Table
from rich.text import Text

from traces import folders, ingest
from traces.display import visible
from traces.formats import registry
from traces.formats.base import Unreadable
from traces.management.progress import watched
from traces.models import Project, Receipt
from traces.outcomes import (
    Outcome,
    outcome_of,
    outcome_of_found,
    outcomes_of_parts,
    totals,
    trouble,
)
from traces.projects import create_project

UNREACHABLE = (
    "The database cannot be reached. Start it with `make run`, or set DATABASE_URL to one that"
    " runs. It said: {}"
)
NOT_MIGRATED = "The database is not up to date: run `manage.py migrate`. It said: {}"


class Command(BaseCommand):
    help = "Take traces from files, and from folders with all that is below them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", metavar="PATH")
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--create", action="store_true", help="make the project if need be")
        parser.add_argument("--format", default="", metavar="NAME", help="do not detect; use this")
        parser.add_argument(
            "-r", "--recursive", action="store_true", help="no effect: folders are always walked"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *, paths: list[str], project: str, **options: Any) -> None:
        as_json, format_ = options["json"], options["format"]
        try:
            check_format(format_)
            into = project_called(project, create=options["create"])
            outcomes = list(self.taken(paths, into, format_, quiet=as_json))
        except OperationalError as error:
            raise CommandError(UNREACHABLE.format(first_line(error))) from error
        except ProgrammingError as error:
            raise CommandError(NOT_MIGRATED.format(first_line(error))) from error
        sums = totals(outcomes)
        if as_json:
            files = [outcome.plain() for outcome in outcomes]
            self.stdout.write(json.dumps({"project": project, **sums, "files": files}, indent=1))
        else:
            self.stdout.write(table(outcomes))
            self.stdout.write(summary(sums))
        if sentence := trouble(sums):
            raise CommandError(sentence)

    def taken(
        self, paths: list[str], project: Project, format_: str, *, quiet: bool
    ) -> Iterator[Outcome]:
        files = folders.found(paths, limit=settings.MAX_DOCUMENT_BYTES, wanted=format_)
        if sys.stderr.isatty() and not quiet:
            files = watched(files, paths, Console(stderr=True))
        for file in files:
            outcome = take(file, project, format_)
            yield outcome
            yield from outcomes_of_parts(file, outcome)


def take(file: folders.Found, project: Project, format_: str) -> Outcome:
    if file.skipped or file.trouble:
        return outcome_of_found(file)
    receipt = ingest.ingest(
        project=project,
        content=file.content,
        filename=file.path,
        via=Receipt.Via.COMMAND,
        by=None,
        at=timezone.now(),
        wanted_format=format_,
    )
    return outcome_of(file.path, receipt)


def check_format(name: str) -> None:
    try:
        if name:
            registry.named(name)
    except Unreadable as error:
        raise CommandError(str(error)) from error


def project_called(slug: str, *, create: bool) -> Project:
    project = Project.objects.filter(slug=slug).first()
    if project is None and not create:
        raise CommandError(f'There is no project "{slug}". Add --create to make it.')
    try:
        return project or create_project(slug=slug, name=slug, by=None, at=timezone.now())
    except ValidationError as error:
        raise CommandError(f'"{slug}" cannot be a project\'s name: {error.messages[0]}') from error


def table(outcomes: list[Outcome]) -> str:
    """The outcomes for people: a row a file, and below it each note and refused place."""
    shown = Table("File", "What became of it", box=None, header_style="bold")
    for column in ("Runs", "Folded", "Gaps"):
        shown.add_column(column, justify="right")
    for outcome in outcomes:
        gaps = sum(run.gap_count for run in outcome.runs)
        what = f"{outcome.status}: {outcome.reason}" if outcome.reason else outcome.status
        numbers = (len(outcome.runs), outcome.folded, gaps)
        shown.add_row(plain(outcome.path), plain(what), *map(str, numbers))
        for note in outcome.notes:
            shown.add_row("", plain(note))
        for place in outcome.account.refused if outcome.account else ():
            told = (place[key] for key in ("position", "reason", "excerpt"))
            shown.add_row("", plain(" ".join(filter(None, told))))
        if outcome.account and outcome.account.refused_unshown:
            shown.add_row("", f"and {outcome.account.refused_unshown} more")
    return printed(shown)


def summary(sums: dict[str, int]) -> str:
    """The sums over all files in a line."""
    words = ", ".join(f"{sums[name]} {name}" for name in sums if name != "file_count")
    files = sums["file_count"]
    return f"{files} file{'' if files == 1 else 's'}: {words}."


def printed(shown: Table) -> str:
    console = Console(width=None if sys.stdout.isatty() else 160)
    with console.capture() as captured:
        console.print(shown)
    return captured.get().rstrip()


def plain(text: str) -> Text:
    """Foreign text for a terminal: no markup, no control sequences."""
    return Text(visible(text).replace("\n", " "), overflow="fold")


def first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]

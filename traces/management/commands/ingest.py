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

from traces import folders, ingest
from traces.formats import registry
from traces.formats.base import Unreadable
from traces.management.progress import watched
from traces.management.tables import summary, table
from traces.models import Membership, Project, Receipt
from traces.outcomes import (
    Outcome,
    at_the_end,
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
NO_MEMBERS = (
    'Nobody is a member of "{0}", so nobody sees it in the browser. Add somebody with'
    " `manage.py add_member USERNAME --project {0} --role lead`."
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
            outcomes = at_the_end(list(self.taken(paths, into, format_, quiet=as_json)))
            hint = hint_for(into) if options["create"] else ""
        except OperationalError as error:
            raise CommandError(UNREACHABLE.format(first_line(error))) from error
        except ProgrammingError as error:
            raise CommandError(NOT_MIGRATED.format(first_line(error))) from error
        sums = totals(outcomes)
        if as_json:
            files = [outcome.plain() for outcome in outcomes]
            more = {"hint": hint} if hint else {}
            answer = {"project": project, **sums, **more, "files": files}
            self.stdout.write(json.dumps(answer, indent=1))
        else:
            self.stdout.write(table(outcomes, paths))
            self.stdout.write(summary(sums))
            if hint:
                self.stderr.write(hint)
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


def hint_for(project: Project) -> str:
    """How to get to see a project that the command made, which has no members then."""
    if Membership.objects.filter(project=project).exists():
        return ""
    return NO_MEMBERS.format(project.slug)


def first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]

"""`manage.py attribute`: run analyses here and now, and print what was proposed."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management import BaseCommand, CommandError
from django.utils import timezone
from rich.console import Console
from rich.table import Table
from rich.text import Text

from attribution import dispatch, execution, registry
from attribution.models import Analysis, Candidate
from traces.display import visible
from traces.models import Project, Run


class Command(BaseCommand):
    help = "Run attributors on failed runs in this process and print their candidates."

    def add_arguments(self, parser: ArgumentParser) -> None:
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--run", metavar="ID", help="one run, by its id here")
        which.add_argument("--project", metavar="SLUG", help="every failed run of a project")
        parser.add_argument("--attributor", metavar="LABEL", help="only this one")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *, attributor: str | None, **options: Any) -> None:
        labels = labels_wanted(attributor)
        runs = the_run(options["run"]) if options["run"] else runs_of(options["project"])
        for analysis_id in dispatch.queue(runs=runs, labels=labels, at=timezone.now()):
            execution.execute(analysis_id=analysis_id, at=timezone.now())
        rows = Analysis.objects.filter(run__in=runs, attributor__in=labels)
        analyses = list(rows.select_related("run").prefetch_related("candidates").order_by("pk"))
        if options["json"]:
            self.stdout.write(json.dumps({"analyses": [as_data(row) for row in analyses]}))
        else:
            self.stdout.write(table(analyses))


def labels_wanted(label: str | None) -> list[str]:
    if label is None:
        return list(registry.registered())
    try:
        return [registry.by_label(label).label]
    except registry.UnknownAttributor as error:
        raise CommandError(str(error)) from error


def the_run(run_id: str) -> list[Run]:
    try:
        return [Run.objects.get(pk=UUID(run_id))]
    except (ValueError, Run.DoesNotExist) as error:
        raise CommandError(f"There is no run {run_id}.") from error


def runs_of(slug: str) -> list[Run]:
    try:
        project = Project.objects.get(slug=slug)
    except Project.DoesNotExist as error:
        raise CommandError(f"There is no project {slug}.") from error
    return list(project.runs.failed().order_by("received_at", "pk"))


def as_data(analysis: Analysis) -> dict[str, Any]:
    return {
        "run": str(analysis.run_id),
        "external_id": analysis.run.external_id,
        "attributor": analysis.attributor,
        "status": analysis.status,
        "note": analysis.note,
        "error": analysis.error,
        "candidates": [candidate_data(c) for c in ranked(analysis)],
    }


def candidate_data(candidate: Candidate) -> dict[str, Any]:
    names = ("rank", "step", "actor", "part", "score", "rationale", "quotes", "category")
    return {name: getattr(candidate, name) for name in names}


def ranked(analysis: Analysis) -> list[Candidate]:
    return sorted(analysis.candidates.all(), key=lambda candidate: candidate.rank)


def table(analyses: list[Analysis]) -> str:
    """The candidates for people: a row each, and a row for an analysis that has none."""
    shown = Table("Run", "Attributor", "Score", "Step", "Actor", "Why", box=None)
    for analysis in analyses:
        start = (analysis.run.external_id, analysis.attributor)
        for candidate in ranked(analysis):
            named = (f"{candidate.score:.2f}", f"#{candidate.step}", candidate.actor)
            shown.add_row(*map(plain, (*start, *named, candidate.rationale)))
        if not analysis.candidates.all():
            shown.add_row(*map(plain, (*start, "", "", "", ending(analysis))))
    console = Console(width=None if sys.stdout.isatty() else 160)
    with console.capture() as captured:
        console.print(shown)
    return captured.get().rstrip()


def ending(analysis: Analysis) -> str:
    """Why there is no candidate: the note, or the last line of the error."""
    last_line = analysis.error.strip().rpartition("\n")[2]
    return f"{analysis.status}: {analysis.note or last_line or 'no candidate'}"


def plain(text: str) -> Text:
    """Foreign text for a terminal: no markup, no control sequences."""
    return Text(visible(text).replace("\n", " "), overflow="fold")

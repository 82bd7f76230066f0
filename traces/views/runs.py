"""The list of runs: newest first, filtered, and paged by place so that page 20,000 is as quick."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db.models import Q, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from traces import flags, profiles, quarantine
from traces.access import ProjectRequest, member
from traces.formats import registry
from traces.models import Project, Run
from traces.models.runs import RunQuerySet
from traces.moments import moment_in
from traces.transcript import Outcome

ON_PAGE = 50
# Counting further would cost more than the page; the page says that there are more.
COUNTED = 10_000


# Runs, the newest of the project, whose task texts are searched: no index helps with the middle of
# a text, and texts are long. Ids are short, and searched in all runs.
TEXTS_SEARCHED = 5_000
# Runs that one page looks through for suspicious ones, which no index knows; the next goes on.
SEARCHED = profiles.NEWEST


@require_GET
@member()
def run_list(request: ProjectRequest) -> HttpResponse:
    every, past = Run.objects.filter(project=request.project), request.GET.get("past", "")
    runs, edge = filtered(every, request), None
    profile = profiles.profile_of(request.project)
    if searching := request.GET.get("suspicious") == "yes":
        edge = edge_of(every, past)
        runs = down_to(profiles.suspicious(runs.counted(), profile), edge)
    marked = older_than(runs.annotate(is_aside=quarantine.in_force()).newest_first(), past)
    shown: list[Any] = list(marked[: ON_PAGE + 1])
    before = whole_number(request.GET.get("before", ""))
    context = {
        "runs": shown[:ON_PAGE],
        "flags": {run.pk: flags.flags_of(run, profile) for run in shown},
        "first": before + 1,
        "last": before + len(shown[:ON_PAGE]),
        "count": None if searching else runs[: COUNTED + 1].count(),
        "counted": COUNTED,
        "older": place_of(shown[ON_PAGE - 1]) if len(shown) > ON_PAGE else place_of(edge),
        "edge": edge,
        "filters": {name: request.GET.get(name, "") for name in (*FILTERS, "suspicious")},
        "outcomes": OUTCOMES,
        "formats": list(registry.formats()),
        "texts_searched": TEXTS_SEARCHED,
    }
    return render(request, "traces/run_list.html", context)


def edge_of(runs: RunQuerySet, place: str) -> Run | None:
    """The last of as many runs behind a place as one page looks through; None if they are fewer."""
    behind = older_than(runs.newest_first(), place).only("received_at")
    return next(iter(behind[SEARCHED - 1 : SEARCHED]), None)


def down_to(runs: RunQuerySet, edge: Run | None) -> RunQuerySet:
    """Runs before an edge in the order, and the edge."""
    if edge is None:
        return runs
    inside = Q(received_at__gt=edge.received_at) | Q(pk__gte=edge.pk)
    return runs.filter(inside, received_at__gte=edge.received_at)


EVER = datetime(1, 1, 1, tzinfo=UTC)
FILTERS = ("outcome", "format", "task", "q")
OUTCOMES = [outcome.value for outcome in Outcome]


def filtered(runs: RunQuerySet, request: ProjectRequest) -> RunQuerySet:
    outcome, format_, task, text = (cleaned(request.GET.get(name, "")) for name in FILTERS)
    if outcome in OUTCOMES:
        runs = runs.filter(outcome=outcome)
    if format_ in registry.formats():
        runs = runs.filter(format__startswith=f"{format_}@")
    if task:
        runs = runs.filter(task_id=task)
    if text:
        runs = runs.filter(containing(text, request.project))
    return runs


def containing(text: str, project: Project) -> Q:
    """Runs with this in their id, or in their task if they are among the newest."""
    newest = Run.objects.filter(project=project).newest_first().values("received_at")
    last = Subquery(newest[TEXTS_SEARCHED - 1 : TEXTS_SEARCHED])
    recent = Q(received_at__gte=Coalesce(last, EVER))
    return Q(external_id__icontains=text) | (recent & Q(task_text__icontains=text))


def place_of(run: Run | None) -> str:
    return f"{run.received_at.isoformat()}_{run.pk}" if run else ""


def older_than(runs: RunQuerySet, place: str) -> RunQuerySet:
    """Runs behind a place in the order; a place that nobody made is the beginning."""
    moment, _, key = place.partition("_")
    received = moment_in(moment)
    try:
        past = UUID(key)
    except ValueError:
        return runs
    if received is None:
        return runs
    # The first bound repeats what the second says: it lets Postgres start inside the index.
    return runs.filter(received_at__lte=received).filter(
        Q(received_at__lt=received) | Q(pk__lt=past)
    )


def whole_number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def cleaned(text: str) -> str:
    """Without NUL, which no database holds and so nothing can match."""
    return text.replace("\x00", "")

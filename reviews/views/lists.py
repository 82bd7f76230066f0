"""The home page, the work list and all cases."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.db.models import Exists, QuerySet, Value
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from reviews import queue
from reviews.fields import storable
from reviews.models import Case, Slot, Verdict
from reviews.models.cases import CaseQuerySet
from traces import quarantine
from traces.access import ProjectRequest, member
from traces.models import Membership, Project, Role

ON_WORK_LIST = 25
ON_PAGE = 50
SORTS = {
    "newest": ("-opened_at", "-number"),
    "oldest": ("opened_at", "number"),
    "consequence": ("-level", "number"),
    "task": ("run__task_id", "number"),
}
FILTERS = ("status", "task", "q", "sort")
# What `?aside=` may say: cases of runs that are set aside are left out, shown alone, or among all.
ASIDE = {"": "left out", "only": "only these", "with": "shown too"}


@require_GET
def home(request: ProjectRequest) -> HttpResponse:
    """Straight to the work list for members of one project; a choice for others."""
    projects = list(Project.objects.of(request.user.pk).order_by("name"))
    if len(projects) == 1:
        return redirect("reviews:work-list", projects[0].slug)
    return render(request, "reviews/home.html", {"projects": projects})


@require_GET
@member()
def work_list(request: ProjectRequest) -> HttpResponse:
    related = ("run__project", "failure", "policy", "project")
    ranked = queue.ranked(request.project).exclude(queue.touched_by(request.user))
    waiting = Case.objects.of_project(request.project).waiting().counted()
    signed = Verdict.objects.filter(case__project=request.project, superseded_by=None)
    signed = signed.exclude(quarantine.restricted("case__run_id"))
    top = list(ranked.select_related(*related)[:ON_WORK_LIST])
    context = {
        "held": held_by(request),
        "ranked": [(case, queue.explain(case)) for case in top],
        "ranked_count": queue.counted(ranked),
        "counted": queue.COUNTED,
        "left_out": queue.left_out(request.project),
        "emptiness": "" if top else queue.emptiness(request.project, request.user),
        "waiting": waiting.with_record().order_by("opened_at")[:ON_WORK_LIST],
        "signed": signed.select_related("case__failure", "case__project", "signed_by").order_by(
            "-signed_at"
        )[:5],
    }
    return render(request, "reviews/work_list.html", context)


def held_by(request: ProjectRequest) -> QuerySet[Slot]:
    """The member's leases, each with whether its run was closed to them meanwhile."""
    held = Slot.objects.held_by(request.user.pk).filter(case__project=request.project)
    closed: Exists | Value = quarantine.restricted("case__run_id")
    if request.membership.may(Role.LEAD):
        closed = Value(value=False)
    related = ("case__failure", "case__run", "case__project")
    return held.select_related(*related).annotate(is_closed=closed)


@require_GET
@member()
def cases(request: ProjectRequest) -> HttpResponse:
    found = Case.objects.of_project(request.project).with_record()
    status, task, text, sort = (storable(request.GET.get(name, "")) for name in FILTERS)
    if status in Case.Status.values:
        found = found.filter(status=status)
    if task:
        found = found.filter(run__task_id=task)
    if text:
        found = found.filter(failure__statement__icontains=text)
    aside = request.GET.get("aside", "")
    found, left_out = by_standing(found, aside, request.membership)
    found = found.order_by(*SORTS.get(sort, SORTS["newest"]))
    page = Paginator(found, ON_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "statuses": Case.Status.choices,
        "sorts": list(SORTS),
        "status": status,
        "task": task,
        "q": text,
        "sort": sort,
        "aside": aside,
        "counted": queue.COUNTED,
        "asides": ASIDE.items(),
        "left_out": queue.counted(left_out),
        "filtered": bool(status or task or text or aside),
    }
    return render(request, "reviews/cases.html", context)


def by_standing(
    cases: CaseQuerySet, aside: str, membership: Membership
) -> tuple[CaseQuerySet, CaseQuerySet]:
    """The cases to show, each with whether its run is set aside, and those that are left out.

    Whatever is asked for, cases of runs that only leads may read are shown to leads alone.
    """
    personal = quarantine.restricted("run_id")
    shown, left_out = cases.counted(), cases.set_aside()
    if aside in ("only", "with"):
        shown = cases.set_aside() if aside == "only" else cases
        left_out = cases.none() if membership.may(Role.LEAD) else cases.filter(personal)
        shown = shown if membership.may(Role.LEAD) else shown.exclude(personal)
    return shown.annotate(is_aside=quarantine.in_force("run_id")), left_out

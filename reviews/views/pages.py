"""What several views of a case share: finding it, and answering a change to it."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import reverse

from reviews.dossier import Dossier
from reviews.models import Case
from traces import quarantine
from traces.access import ProjectRequest


def case_or_404(request: ProjectRequest, number: int) -> Case:
    """The case, if this member may read its run: see `traces.quarantine`."""
    return _readable(request, number, Case.objects.with_record())


def _readable(request: ProjectRequest, number: int, cases: QuerySet[Case]) -> Case:
    cases = cases.filter(project=request.project)
    try:
        case = cases.annotate(is_aside=quarantine.in_force("run_id")).get(number=number)
    except Case.DoesNotExist as error:
        raise Http404("No such case.") from error
    if getattr(case, "is_aside", True):
        quarantine.require_readable(case.run, request.membership)
    return case


def dossier_or_404(request: ProjectRequest, number: int) -> Dossier:
    cases = Case.objects.with_record().with_desk_of(request.user.pk)
    case = _readable(request, number, cases)
    dossier = Dossier(case, request.user, request.membership)
    dossier.on_the_desk(getattr(case, "own_slot", None), getattr(case, "own_draft", None))
    return dossier


def back_to_case(case: Case, *, step: int | None = None) -> HttpResponse:
    address = reverse("reviews:case", args=[case.project.slug, case.number])
    if step is not None:
        address += f"?{urlencode({'step': step})}#s{step}"
    return redirect(address)


def wants_fragments(request: ProjectRequest) -> bool:
    """Asked by the page's script rather than by a plain form."""
    return bool(request.htmx) or request.headers.get("X-Inquest") == "fragments"


def fragments(request: HttpRequest, *named: tuple[str, Mapping[str, object]]) -> HttpResponse:
    """Several fragments in one answer; each replaces the element that has its id."""
    text = "".join(render_to_string(name, {**data}, request) for name, data in named)
    # The header tells the page's script that this is its answer and not a sign-in page.
    return HttpResponse(text, headers={"X-Inquest": "fragments"})

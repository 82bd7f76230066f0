"""Taking, keeping and leaving a case."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from attribution.place import number as number_of
from reviews import assignment, queue
from reviews.forms import DeclineForm
from reviews.models import Slot
from reviews.views.case import panel_context
from reviews.views.pages import back_to_case, case_or_404, dossier_or_404, fragments
from traces.access import ProjectRequest, member
from traces.models import Role


@require_POST
@member(Role.REVIEWER)
def take(request: ProjectRequest, number: int) -> HttpResponse:
    case = case_or_404(request, number)
    try:
        assignment.take(case=case, reviewer=request.user, at=timezone.now())
    except assignment.NothingToTake as error:
        messages.error(request, str(error))
    return back_to_case(case)


@require_POST
@member(Role.REVIEWER)
def take_next(request: ProjectRequest) -> HttpResponse:
    slot = assignment.take_next(project=request.project, reviewer=request.user, at=timezone.now())
    if slot is None:
        messages.info(request, queue.emptiness(request.project, request.user))
        return redirect("reviews:work-list", request.project.slug)
    return back_to_case(slot.case)


@require_POST
@member(Role.REVIEWER)
def heartbeat(request: ProjectRequest, number: int) -> HttpResponse:
    dossier = dossier_or_404(request, number)
    token = request.POST.get("token", "")
    if dossier.slot is not None:
        try:
            assignment.heartbeat(slot_id=dossier.slot.pk, token=token, at=timezone.now())
        except assignment.NotYourLease as error:
            messages.error(request, str(error))
    fresh = dossier_or_404(request, number)
    step = number_of(request.POST.get("step", "")) or 0
    return fragments(request, ("reviews/_lease.html", panel_context(fresh, step)))


@require_POST
@member(Role.REVIEWER)
def give_back(request: ProjectRequest, number: int) -> HttpResponse:
    """Also a case whose run was closed meanwhile: who may not read it must not have to keep it."""
    held = Slot.objects.held_by(request.user.pk).filter(case__project=request.project)
    slot = held.select_related("case").filter(case__number=number).first()
    if slot is None:
        case_or_404(request, number)
    else:
        token = request.POST.get("token", "")
        try:
            assignment.give_back(slot_id=slot.pk, token=token, at=timezone.now())
            messages.success(request, f"{slot.case} is free again. Your draft is kept.")
        except assignment.NotYourLease as error:
            messages.error(request, str(error))
    return redirect("reviews:work-list", request.project.slug)


@require_http_methods(["GET", "POST"])
@member(Role.REVIEWER)
def decline(request: ProjectRequest, number: int) -> HttpResponse:
    dossier = dossier_or_404(request, number)
    form = DeclineForm(request.POST or None)
    if dossier.slot is None:
        messages.error(request, "You do not hold this case.")
        return back_to_case(dossier.case)
    if not form.is_valid():
        context = {"case": dossier.case, "form": form, "slot": dossier.slot}
        return render(request, "reviews/decline.html", context)
    token, reason = request.POST.get("token", ""), form.cleaned_data["reason"]
    try:
        assignment.decline(slot_id=dossier.slot.pk, token=token, reason=reason, at=timezone.now())
        messages.success(request, f"You declined {dossier.case}. Its place is free for others.")
    except assignment.NotYourLease as error:
        messages.error(request, str(error))
    return redirect("reviews:work-list", request.project.slug)

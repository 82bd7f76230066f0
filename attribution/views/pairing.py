"""Pairing steps of two runs by hand, for oneself. Plain forms: they lead back to the page."""

from __future__ import annotations

from uuid import UUID

from django import forms
from django.http import HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from attribution import pairings
from attribution.views.run import run_or_404
from traces.access import ProjectRequest, member
from traces.models import Run

# A step number fits the column it is kept in.
MOST = 2**31 - 1


class PairForm(forms.Form):
    """`right` is empty for a step that has no counterpart. `with` is no name for an attribute."""

    left = forms.IntegerField(min_value=0, max_value=MOST)
    right = forms.IntegerField(min_value=0, max_value=MOST, required=False)


class UndoForm(forms.Form):
    """Without a step: all of them."""

    left = forms.IntegerField(min_value=0, max_value=MOST, required=False)


@require_POST
@member()
def pair(request: ProjectRequest, run_id: UUID) -> HttpResponse:
    shown, other = _both(request, run_id)
    form = PairForm(request.POST)
    if other is None or not form.is_valid():
        return HttpResponseBadRequest("Name the other run, and the number of a step of each.")
    try:
        pairings.pair(
            user=request.user,
            left=shown,
            right=other,
            left_step=form.cleaned_data["left"],
            right_step=form.cleaned_data["right"],
            at=timezone.now(),
        )
    except pairings.Refused as refusal:
        return HttpResponseBadRequest(str(refusal), content_type="text/plain; charset=utf-8")
    return _back(request, shown, other)


@require_POST
@member()
def unpair(request: ProjectRequest, run_id: UUID) -> HttpResponse:
    shown, other = _both(request, run_id)
    form = UndoForm(request.POST)
    if other is None or not form.is_valid():
        return HttpResponseBadRequest("Name the other run, and the number of a step, or none.")
    left = form.cleaned_data["left"]
    at = timezone.now()
    pairings.undo(user=request.user, left=shown, right=other, left_step=left, at=at)
    return _back(request, shown, other)


def _both(request: ProjectRequest, run_id: UUID) -> tuple[Run, Run | None]:
    """The run of the address and the one of the form, if that is the id of any: else 404."""
    shown = run_or_404(request, run_id)
    try:
        wanted = UUID(request.POST.get("with", ""))
    except ValueError:
        return shown, None
    return shown, run_or_404(request, wanted)


def _back(request: ProjectRequest, shown: Run, other: Run) -> HttpResponse:
    """To the page the form was on, if it is one of this site; else to the two runs."""
    address = request.POST.get("back", "")
    if address.startswith("/") and url_has_allowed_host_and_scheme(address, allowed_hosts=None):
        return redirect(address)
    page = reverse("attribution:run", args=[request.project.slug, shown.pk])
    return redirect(f"{page}?with={other.pk}")

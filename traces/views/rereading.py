"""Answering, in the browser, what format a document is in that Inquest could not tell."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from traces import rereading
from traces.access import ProjectRequest, member
from traces.models import Receipt, Role


@require_POST
@member(Role.REVIEWER)
def read_as(request: ProjectRequest, receipt_id: int) -> HttpResponse:
    """Read a refused document as the format that was chosen, and go to what came of it."""
    receipts = Receipt.objects.select_related("project", "document").defer("document__content")
    receipt = receipts.filter(project=request.project, pk=receipt_id).first()
    name = request.POST.get("format", "")
    if receipt is None or name not in rereading.offered(receipt).names:
        raise Http404("No such receipt, or nothing to be read as this.")
    again = rereading.read_as(receipt=receipt, format_=name, by=request.user, at=timezone.now())
    return redirect("traces:receipt", request.project.slug, again.pk)

"""Sending traces in from the browser."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRedirect

from traces import ingest
from traces.access import ProjectRequest, member
from traces.formats import registry
from traces.models import Receipt, Role


class SeveralFiles(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Any number of files, but at least one. Each is cleaned as Django cleans a single one."""

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile[bytes]]:
        return [super(FilesField, self).clean(file, initial) for file in data or [None]]


class UploadForm(forms.Form):
    """Which files, and in which format if that should not be found out."""

    file = FilesField(
        label="Files",
        widget=SeveralFiles(attrs={"multiple": True}),
        error_messages={"required": "Choose at least one file."},
        help_text="JSON, JSON lines or OTLP, also compressed, or a zip of such files.",
        allow_empty_file=True,
    )
    format = forms.ChoiceField(
        required=False,
        choices=lambda: [("", "find out from the content"), *((n, n) for n in registry.formats())],
    )


@require_http_methods(["GET", "POST"])
@member(Role.REVIEWER)
def upload(request: ProjectRequest) -> HttpResponse:
    """The form; or all files taken in, and then their receipts."""
    form = UploadForm(request.POST, request.FILES) if request.method == "POST" else UploadForm()
    if form.is_valid():
        at = timezone.now()
        for file in form.cleaned_data["file"]:
            take(request, file, at=at, wanted_format=form.cleaned_data["format"])
        receipts = reverse("traces:receipt-list", args=[request.project.slug])
        return sent_to(request, f"{receipts}?{urlencode({'at': at.isoformat()})}")
    limit = settings.MAX_DOCUMENT_BYTES
    return render(request, "traces/upload.html", {"form": form, "limit": limit})


def take(
    request: ProjectRequest, file: UploadedFile[bytes], *, at: datetime, wanted_format: str
) -> Receipt:
    return ingest.ingest(
        project=request.project,
        content=file.read(settings.MAX_DOCUMENT_BYTES + 1),
        filename=file.name or "",
        via=Receipt.Via.UPLOAD,
        by=request.user,
        at=at,
        wanted_format=wanted_format,
    )


def sent_to(request: ProjectRequest, address: str) -> HttpResponse:
    """A redirect that changes the whole page, whoever asked."""
    return HttpResponseClientRedirect(address) if request.htmx else redirect(address)

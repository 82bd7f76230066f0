"""All keys as a page of its own: what each does, where, and how to do it without the key."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from attribution import keys
from traces.access import ProjectRequest, member


@require_GET
@member()
def sheet(request: ProjectRequest) -> HttpResponse:
    return render(request, "attribution/keys.html", {"groups": keys.grouped(keys.ACTIONS)})

"""What the top bar shows on every page below a project."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from reviews.models import Case
from traces.models import Role


def project_navigation(request: HttpRequest) -> dict[str, Any]:
    """The project, the member's role and, for a lead, how many cases wait for a verdict."""
    membership = getattr(request, "membership", None)
    if membership is None:
        return {}
    waiting = Case.objects.of_project(membership.project).waiting()
    # Fragments have no top bar: who does not show the number does not pay for it.
    number = SimpleLazyObject(waiting.count) if membership.may(Role.LEAD) else 0
    return {"project": membership.project, "membership": membership, "waiting_count": number}

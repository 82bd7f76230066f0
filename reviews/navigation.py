"""What the top bar shows on every page below a project."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from reviews.models import Case
from traces.models import Role


def project_navigation(request: HttpRequest) -> dict[str, Any]:
    """The project, the member's role and, for a lead, how many cases wait for a verdict."""
    membership = getattr(request, "membership", None)
    if membership is None:
        return {}
    lead = membership.may(Role.LEAD)
    waiting = Case.objects.of_project(membership.project).waiting().count() if lead else 0
    return {"project": membership.project, "membership": membership, "waiting_count": waiting}

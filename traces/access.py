"""Who may open what. Strangers get 404, members without the role 403."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django_htmx.middleware import HtmxDetails

from traces.models import Membership, Project, Role


class ProjectRequest(HttpRequest):
    """A request by a member: the project and the membership are at hand."""

    user: User
    htmx: HtmxDetails
    project: Project
    membership: Membership


type_of_view = Callable[Concatenate[ProjectRequest, ...], HttpResponse]


def membership_of(user_id: int, slug: str) -> Membership:
    """The membership of this user in the project, or Http404 as if there were no project."""
    try:
        return Membership.objects.select_related("project").get(user_id=user_id, project__slug=slug)
    except Membership.DoesNotExist as error:
        raise Http404("No such project.") from error


def member(role: Role = Role.VIEWER) -> Callable[[type_of_view], Callable[..., HttpResponse]]:
    """Let only members with this role, or one that includes it, into a view under a project."""

    def decorate(view: type_of_view) -> Callable[..., HttpResponse]:
        @wraps(view)
        def guarded(
            request: ProjectRequest, slug: str, *args: object, **kwargs: object
        ) -> HttpResponse:
            request.membership = membership_of(request.user.pk, slug)
            request.project = request.membership.project
            if not request.membership.may(role):
                raise PermissionDenied(f"This needs the role {role.label}.")
            return view(request, *args, **kwargs)

        return guarded

    return decorate

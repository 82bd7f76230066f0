"""Which project a request of the API is about, and whether it may do what it asks."""

from __future__ import annotations

from django.contrib.auth.models import User
from rest_framework.exceptions import NotAuthenticated, NotFound, PermissionDenied, ValidationError
from rest_framework.request import Request

from traces.models import ApiKey, Membership, Project, Role

WHICH = "Say which project with ?project=SLUG; an API key says it by itself."


def user_of(request: Request) -> User:
    """Who asks: a person, or the person who made the key. Nobody else gets this far."""
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return request.user


def project_for(request: Request, *, scope: str, role: Role) -> Project:
    """The key's project if the key has the scope; else the member's, if the role is enough.

    Raises NotFound for strangers, PermissionDenied for a scope or role that is missing.
    """
    slug = request.query_params.get("project", "")
    if isinstance(request.auth, ApiKey):
        return project_of_key(request.auth, slug, scope)
    if not slug:
        raise ValidationError({"detail": WHICH})
    membership = (
        Membership.objects.select_related("project")
        .filter(user=user_of(request), project__slug=slug.replace("\x00", ""))
        .first()
    )
    if membership is None:
        raise NotFound("No such project.")
    if not membership.may(role):
        raise PermissionDenied(f"This needs the role {role.label}.")
    return membership.project


def membership_for(request: Request, project: Project) -> Membership | None:
    """The person's membership; None for a key, which has its scopes and nobody's role."""
    if isinstance(request.auth, ApiKey):
        return None
    return Membership.objects.filter(user=user_of(request), project=project).first()


def may_lead(request: Request, project: Project) -> bool:
    """Whether a lead asks in person."""
    membership = membership_for(request, project)
    return membership is not None and membership.may(Role.LEAD)


def project_of_key(key: ApiKey, slug: str, scope: str) -> Project:
    if slug not in ("", key.project.slug):
        raise NotFound("No such project.")
    if scope not in key.scopes:
        raise PermissionDenied(f'This needs an API key with the scope "{scope}".')
    return key.project

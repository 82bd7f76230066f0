"""Who is in a project, and as what."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from traces import audit
from traces.models import Membership, Project, Role


class LastLead(Exception):
    """The change would leave the project without a lead."""

    def __init__(self) -> None:
        super().__init__("A project keeps at least one lead: make somebody else a lead first.")


class OwnRole(Exception):
    """Somebody wanted to change what they themselves may do."""

    def __init__(self) -> None:
        super().__init__("Nobody changes their own role: ask another lead.")


@transaction.atomic
def set_role(
    *, project: Project, user: User, role: Role, by: User | None, at: datetime
) -> Membership:
    """Make somebody a member, or change what they are. Raises LastLead and OwnRole.

    A lead reads signed claims: one who could become a reviewer and back would judge blind of none.
    """
    if by == user:
        raise OwnRole
    members = _locked(project)
    if role != Role.LEAD:
        _keep_a_lead(members, without=user)
    membership, _ = Membership.objects.update_or_create(
        project=project, user=user, defaults={"role": role}
    )
    _record(project, user, action="member.role_set", by=by, at=at, role=role)
    return membership


@transaction.atomic
def remove(*, project: Project, user: User, by: User | None, at: datetime) -> None:
    """End a membership. What the person signed stays. Raises LastLead."""
    _keep_a_lead(_locked(project), without=user)
    gone, _ = Membership.objects.filter(project=project, user=user).delete()
    if gone:
        _record(project, user, action="member.removed", by=by, at=at)


def _locked(project: Project) -> list[Membership]:
    """All memberships of the project, locked: two changes at once see each other."""
    return list(Membership.objects.select_for_update().filter(project=project))


def _keep_a_lead(members: list[Membership], *, without: User) -> None:
    leads = {member.user_id for member in members if member.role == Role.LEAD}
    if leads == {without.pk}:
        raise LastLead


def _record(
    project: Project, user: User, *, action: str, by: User | None, at: datetime, **data: str
) -> None:
    audit.record(
        action=action,
        subject=f"user:{user.pk}",
        at=at,
        project=project,
        actor=by,
        data={"username": user.get_username(), **data},
    )

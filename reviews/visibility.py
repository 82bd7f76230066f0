"""Who may see whose claims. Blind is decided here, in the query, and nowhere in a template."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db.models import QuerySet

from reviews.models import Case, Claim
from traces.models import Membership, Role


def visible_claims(case: Case, user: User, membership: Membership | None) -> QuerySet[Claim]:
    """The claims on this case that this person may see now.

    Settled: every member sees all. Before that, reviewers and leads see all once they have
    signed their own; a lead who holds no place on the case sees them too; nobody else does.
    """
    claims = Claim.objects.filter(case=case)
    if membership is None or membership.project_id != case.project_id:
        return claims.none()
    if _settled(case) or _signed(case, user):
        return claims
    if membership.may(Role.LEAD) and not _holds(case, user):
        return claims
    return claims.filter(reviewer=user)


def may_see_opinions(case: Case, membership: Membership | None, user: User) -> bool:
    """Whether labels that came with the file may be shown: they would anchor a reviewer.

    As for claims, except that a lead has to wait while the case could still be taken.
    """
    if membership is None or membership.project_id != case.project_id:
        return False
    if _settled(case) or _signed(case, user):
        return True
    return membership.may(Role.LEAD) and case.status == Case.Status.WAITING


def _settled(case: Case) -> bool:
    return case.status == Case.Status.SETTLED


def _signed(case: Case, user: User) -> bool:
    return Claim.objects.filter(case=case, reviewer=user).exists()


def _holds(case: Case, user: User) -> bool:
    return case.slots.held_by(user.pk).exists()

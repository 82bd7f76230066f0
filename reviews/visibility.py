"""Who may see whose claims. Blind is decided here, in the query, and nowhere in a template."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db.models import Exists, Q, QuerySet

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
    if _settled(case):
        return claims
    own = claims.filter(reviewer=user)
    may_see_all = Q(Exists(own))
    if membership.may(Role.LEAD):
        may_see_all |= ~Q(Exists(case.slots.held_by(user.pk)))
    return claims.filter(Q(reviewer=user) | may_see_all)


def may_see_opinions(case: Case, membership: Membership | None, *, signed: bool) -> bool:
    """Whether labels that came with the file may be shown: they would anchor a reviewer.

    As for claims (`signed`: this person has signed one on the case), except that a lead has to
    wait while the case could still be taken.
    """
    if membership is None or membership.project_id != case.project_id:
        return False
    if _settled(case) or signed:
        return True
    return membership.may(Role.LEAD) and case.status == Case.Status.WAITING


def _settled(case: Case) -> bool:
    return case.status == Case.Status.SETTLED

"""Signing a verdict: a lead settles a case, in sight of the claims that stand."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction

from reviews.adjudication import contents, status
from reviews.adjudication.refusals import Incomplete, NotDecidable, OwnClaim, StaleClaims
from reviews.adjudication.retrying import once_more_on_deadlock
from reviews.models import Case, Claim, Verdict
from reviews.postmortems import issuing
from traces.models import Membership, Role


@once_more_on_deadlock
@transaction.atomic
def sign_verdict(  # noqa: PLR0913 - each is a thing the lead says
    *,
    case: Case,
    lead: User,
    outcome: str,
    adopted: Claim | None,
    reason: str,
    missing_observation: str,
    seen: Collection[int],
    at: datetime,
    supersedes: Verdict | None = None,
) -> Verdict:
    """Settle the case, and sign its postmortem. A settled case needs the verdict to supersede.

    `seen` are the ids of the claims the lead looked at. Raises PermissionDenied, NotDecidable,
    StaleClaims, OwnClaim and Incomplete.
    """
    case = status.locked(case)
    _refuse_who_may_not(case, lead=lead)
    current = case.verdicts.order_by("-number").first()
    _refuse_stale(case, seen=seen, current=current, supersedes=supersedes)
    _refuse_own(case, lead=lead, adopted=adopted)
    _refuse_partial(case, outcome, adopted, reason, missing_observation)
    verdict = Verdict.objects.create(
        case=case,
        number=current.number + 1 if current else 1,
        outcome=outcome,
        adopted=adopted,
        reason=reason.strip(),
        missing_observation=missing_observation.strip(),
        supersedes=current,
        signed_by=lead,
        signed_at=at,
    )
    postmortem = issuing.issue(verdict=verdict, at=at)
    status.set_status(case, Case.Status.SETTLED)
    data = {
        "verdict": verdict.pk,
        "outcome": outcome,
        "postmortem": postmortem.sha256,
        "content": contents.verdict_hashes([verdict.pk])[verdict.pk],
    }
    status.record(case, action="verdict.signed", by=lead, at=at, data=data)
    return verdict


def _refuse_who_may_not(case: Case, *, lead: User) -> None:
    membership = Membership.objects.filter(project=case.project, user=lead).first()
    if membership is None or not membership.may(Role.LEAD):
        raise PermissionDenied("Only a lead of the project signs verdicts.")


def _refuse_stale(
    case: Case, *, seen: Collection[int], current: Verdict | None, supersedes: Verdict | None
) -> None:
    if case.status == Case.Status.OPEN:
        raise NotDecidable(f"Case {case.number} still waits for claims.")
    if current is not None and supersedes is None:
        raise NotDecidable(f"Case {case.number} is settled. Name the verdict to supersede.")
    if supersedes != current:
        raise StaleClaims("Another verdict was signed since you looked. Read it first.")
    if set(seen) != set(case.claims.values_list("pk", flat=True)):
        raise StaleClaims("The claims changed since you looked. Read them again.")


def bar_to_deciding(case: Case, *, lead: User) -> str:
    """Why the policy keeps this lead from settling the case at all; "" if it does not."""
    if not case.policy.two_person_rule or case.claims.exclude(reviewer=lead).exists():
        return ""
    return "Only you have judged this case: somebody else has to sign the verdict."


def bar_to_adopting(claim: Claim, *, case: Case, lead: User) -> str:
    """Why the policy keeps this lead from adopting the claim; "" if it does not."""
    if not case.policy.two_person_rule or claim.reviewer_id != lead.pk:
        return ""
    return "This is your own claim: somebody else has to adopt it."


def _refuse_own(case: Case, *, lead: User, adopted: Claim | None) -> None:
    own = bar_to_adopting(adopted, case=case, lead=lead) if adopted else ""
    barred = own or bar_to_deciding(case, lead=lead)
    if barred:
        raise OwnClaim(barred)


def _refuse_partial(
    case: Case, outcome: str, adopted: Claim | None, reason: str, missing_observation: str
) -> None:
    attributed = outcome == Claim.Outcome.ATTRIBUTED
    wanted = {
        "Choose attributed or unresolved.": outcome not in Claim.Outcome.values,
        "Give a reason.": not reason.strip(),
        "Choose the claim to adopt.": attributed and adopted is None,
        "The claim you adopt is not one of this case.": adopted is not None
        and adopted.case_id != case.pk,
        "The claim you adopt has another outcome.": adopted is not None
        and adopted.outcome != outcome,
        "Name the missing observation that would settle it.": not attributed
        and not missing_observation.strip(),
    }
    missing = [sentence for sentence, lacking in wanted.items() if lacking]
    if missing:
        raise Incomplete(*missing)

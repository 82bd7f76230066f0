"""Rows say what they are, in the admin's shell and in error messages."""

from __future__ import annotations

import pytest

from reviews import assignment
from reviews.fields import Missed, Rejected
from reviews.models import Category, Contract, Decline, Draft, Policy
from tests.factories import AT
from tests.reviews.scenes import make_scene, settle, sign, user

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_rows_of_a_case_name_themselves() -> None:
    case = make_scene(signatures=2)
    slot = assignment.take(case=case, reviewer=user("ada"), at=AT)
    assignment.decline(slot_id=slot.pk, token=slot.token, reason="Mine.", at=AT)
    draft = Draft.objects.create(case=case, reviewer=user("ada"), saved_at=AT, revision=3)
    assert str(case) == "Case 1"
    assert str(slot) == f"slot 1 of case {case.pk}"
    assert str(Decline.objects.get()) == f"ada declined case {case.pk}"
    assert str(draft) == "draft 3 of ada"
    assert str(Policy.objects.get()) == f"policy 1 of {case.project_id}"


def test_rows_of_a_claim_name_themselves() -> None:
    case = make_scene()
    contract = Contract.objects.create(
        project=case.project, key="c", component="verifier", clause="Checks.", valid_from=AT
    )
    category = Category.objects.create(project=case.project, key="k", name="K")
    claim = sign(
        case, "ada", misses=(Missed(3, contract.pk),), alternatives=(Rejected(0, "It was clear."),)
    )
    verdict = settle(case, claim)
    assert str(contract) == "verifier: Checks."
    assert str(category) == "K"
    assert str(claim) == f"claim of ada on case {case.pk}"
    assert str(claim.evidence.get()) == "#1.0 [29:51]"
    assert str(claim.carriers.get()) == "#2"
    assert str(claim.alternatives.get()) == "It was clear."
    assert str(claim.misses.get()) == f"#3 under {contract.pk}"
    assert str(verdict) == f"verdict 1 on case {case.pk}: attributed"
    assert str(verdict.postmortem) == f"postmortem of verdict {verdict.pk}"

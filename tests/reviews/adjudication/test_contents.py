from __future__ import annotations

from hashlib import sha256

import pytest

from reviews.adjudication import contents
from tests.reviews.scenes import make_scene, settle, sign, user

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_a_claim_and_a_verdict_by_hand() -> None:
    case = make_scene()
    claim = sign(case, "ada", "unresolved", note="Nicht prüfbar.")
    content = (
        '{"actor":"","alternatives":[],"basis":"own","candidate_id":null,"carriers":[],'
        f'"case_id":{case.pk},"category_id":null,"confidence":"low","counterfactual":"",'
        '"decisive_step":null,"environment":"ruled_out","evaluator":"ruled_out","evidence":[],'
        f'"exposing_step":null,"harness":"ruled_out","id":{claim.pk},"misses":[],'
        '"missing_observation":"The file between the two writes.","note":"Nicht prüfbar.",'
        '"outcome":"unresolved","phase":"","responsible":"",'
        f'"reviewer_id":{user("ada").pk},"revision_reason":"",'
        '"signed_at":"2026-11-20T09:00:00+00:00","state_change":"","tags":[],"task":"ruled_out",'
        '"unresolved_reason":"evidence_missing"}'
    )
    assert contents.claim_hashes([claim.pk]) == {claim.pk: sha256(content.encode()).hexdigest()}
    verdict = settle(case, claim)
    content = (
        f'{{"adopted_id":{claim.pk},"case_id":{case.pk},"id":{verdict.pk},'
        '"missing_observation":"The file between the two writes.","number":1,'
        '"outcome":"unresolved","reason":"The quote shows it.",'
        f'"signed_at":"2026-11-20T09:00:00+00:00","signed_by_id":{user("lena").pk},'
        '"supersedes_id":null}'
    )
    found = contents.verdict_hashes([verdict.pk])
    assert found == {verdict.pk: sha256(content.encode()).hexdigest()}


def test_each_claim_has_its_own_children() -> None:
    case = make_scene(signatures=2)
    claims = [sign(case, "ada"), sign(case, "ben", carriers=())]
    together = contents.claim_hashes(claim.pk for claim in claims)
    alone = [contents.claim_hashes([claim.pk]) for claim in claims]
    assert together == alone[0] | alone[1]
    assert len(set(together.values())) == 2

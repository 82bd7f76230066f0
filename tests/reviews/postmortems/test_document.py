"""The document of a verdict says what was signed, and verifies as it comes out."""

from __future__ import annotations

from datetime import timedelta

import pytest

from reviews.fields import Missed, Rejected
from reviews.models import Category, Contract, Verdict
from reviews.postmortems import document, keys, signing
from reviews.postmortems.verify import statement_in, verify
from tests.factories import AT
from tests.reviews.scenes import (
    QUOTE,
    case_of,
    make_candidate,
    make_failed_run,
    make_scene,
    settle,
    sign,
    user,
)
from traces.models import Gap, Receipt

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def whole_verdict() -> Verdict:
    case = make_scene(
        signatures=2,
        started_at=AT - timedelta(days=2),
        system={"name": "harbour", "version": "2026.11.2", "seed": 2**60},
    )
    contract = Contract.objects.create(
        project=case.project,
        key="currency",
        component="verifier",
        clause="Checks currency.",
        valid_from=AT - timedelta(days=90),
    )
    category = Category.objects.create(
        project=case.project, key="retired", version=2, name="Retired", definition="Uses it."
    )
    Gap.objects.create(run=case.run, kind="damaged", detail="The tail is cut.")
    Gap.objects.create(run=case.run, kind="damaged", detail="Here.", step=1)
    Gap.objects.create(run=case.run, kind="damaged", detail="Elsewhere.", step=0)
    make_candidate(case.run)
    claim = sign(
        case,
        "ada",
        note="Uses v1.",
        misses=(Missed(3, contract.pk),),
        alternatives=(Rejected(2, "It did as it was told."),),
        category=category.pk,
        phase="planning",
        tags=("retired",),
    )
    sign(case, "ben", "unresolved")
    return settle(case, claim)


def test_the_document_of_an_attributed_verdict() -> None:
    verdict = whole_verdict()
    run = verdict.case.run
    said = statement_in(verdict.postmortem.envelope.encode())["predicate"]
    assert said["format"] == "inquest-postmortem/1"
    assert said["project"] == {"slug": "demo", "name": "Demo"}
    assert said["case"] == {
        "number": 1,
        "consequence": "remediation",
        "opened_at": "2026-11-20T09:00:00+00:00",
        "policy": {"version": 1, "signatures_needed": 2, "two_person_rule": True},
    }
    assert said["run"]["started_at"] == "2026-11-18T09:00:00+00:00"
    assert said["run"]["ended_at"] is None
    assert said["run"]["sha256"] == run.sha256
    assert said["run"]["document"]["sha256"] == run.document.sha256
    assert said["run"]["document"]["name"] == "run-1.json"
    assert said["run"]["system"]["seed"] == str(2**60)
    assert said["failure"]["statement"] == "It broke."
    assert said["verdict"] == {
        "number": 1,
        "outcome": "attributed",
        "reason": "The quote shows it.",
        "missing_observation": "",
        "adopted_claim_of": {"username": "ada", "name": "ada"},
        "supersedes": None,
        "signed_by": {"username": "lena", "name": "lena"},
        "signed_at": "2026-11-20T09:00:00+00:00",
    }
    finding = said["finding"]
    assert finding["decisive_step"] == {
        "step": 1,
        "source_id": "s1",
        "actor": "planner",
        "role": "planner",
    }
    assert [row["step"] for row in finding["carriers"]] == [2]
    assert finding["exposing_step"]["step"] == 3
    assert finding["counterfactual"] == "no"
    assert finding["evidence"][0]["text"] == QUOTE.text
    assert finding["misses"] == [
        {
            "step": 3,
            "contract": "currency",
            "component": "verifier",
            "clause": "Checks currency.",
            "valid_from": "2026-08-22T09:00:00+00:00",
            "valid_to": None,
        }
    ]
    assert finding["alternatives"] == [{"step": 2, "rejected_because": "It did as it was told."}]
    assert finding["category"]["version"] == 2
    assert set(finding["apparatus"].values()) == {"ruled_out"}
    assert [(row["reviewer"]["username"], row["outcome"]) for row in said["claims"]] == [
        ("ada", "attributed"),
        ("ben", "unresolved"),
    ]
    assert said["candidates"][0]["accuracy"] == "not measured yet: 0 signed cases"
    assert [gap["detail"] for gap in said["gaps"]["that_matter"]] == ["Here.", "The tail is cut."]


def test_the_document_tells_every_claim_in_full_and_what_was_asked() -> None:
    said = statement_in(whole_verdict().postmortem.envelope.encode())["predicate"]
    assert said["claims"][0]["finding"] == said["finding"]
    assert [row["adopted"] for row in said["claims"]] == [True, False]
    other = said["claims"][1]["finding"]
    assert (other["confidence"], other["apparatus"]) == ("low", said["finding"]["apparatus"])
    assert said["run"]["task_text"] == "Do the thing."
    assert said["run"]["outcome"] == "failed"


def test_what_was_issued_verifies_with_the_key_of_the_installation() -> None:
    verdict = whole_verdict()
    signer = keys.installation_signer()
    envelope = verdict.postmortem.envelope.encode()
    assert verdict.postmortem.keyid == signer.public_key.keyid
    assert verify(envelope, signing.public_pem(signer)) == []
    assert statement_in(envelope)["subject"] == [
        {"name": "run:run-1", "digest": {"sha256": verdict.case.run.sha256}},
        {"name": "document:run-1.json", "digest": {"sha256": verdict.case.run.document.sha256}},
    ]
    assert document.predicate_of(verdict).keys() == signing.PREDICATE_KEYS


def test_an_unresolved_verdict_names_the_missing_observation_and_tells_the_claims() -> None:
    case = make_scene(signatures=2)
    sign(case, "ada", "unresolved")
    sign(case, "ben", at=AT + timedelta(minutes=1))
    verdict = settle(
        case,
        case.claims.first(),
        outcome="unresolved",
        adopted=None,
        missing_observation="The lock file at #2.",
    )
    said = document.predicate_of(verdict)
    assert said["finding"] is None
    assert said["verdict"]["missing_observation"] == "The lock file at #2."
    assert said["claims"][0]["unresolved_reason"] == "evidence_missing"
    assert [row["adopted"] for row in said["claims"]] == [False, False]
    assert said["claims"][1]["finding"]["evidence"][0]["text"] == QUOTE.text
    assert verify(
        verdict.postmortem.envelope.encode(), signing.public_pem(keys.installation_signer())
    ) == []  # fmt: skip


def test_a_superseding_document_says_so() -> None:
    case = make_scene()
    claim = sign(case, "ada")
    first = settle(case, claim)
    second = settle(case, claim, supersedes=first)
    assert document.predicate_of(second)["verdict"]["supersedes"] == 1


def test_accuracy_is_that_of_other_cases_at_signing() -> None:
    case = make_scene()
    make_candidate(case.run)
    settle(case, sign(case, "ada"))
    other = case_of(make_failed_run(case.project, "run-2"))
    make_candidate(other.run, step=2, actor="coder")
    verdict = settle(other, sign(other, "ada"))
    said = statement_in(verdict.postmortem.envelope.encode())["predicate"]
    assert said["candidates"][0]["accuracy"] == "step right in 100 % of 1 signed cases (21–100 %)"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/srv/traces/run 1.json", "run 1.json"),
        ("C:\\traces\\run.json", "run.json"),
        ("../runs/all/", "all"),
        ("run.json", "run.json"),
        ("", ""),
        ("/", ""),
    ],
)
def test_the_document_is_named_without_its_folders(path: str, name: str) -> None:
    case = make_scene()
    Receipt.objects.update(filename=path)
    verdict = settle(case, sign(case, "ada"))
    said = statement_in(verdict.postmortem.envelope.encode())
    assert said["predicate"]["run"]["document"]["name"] == name
    assert said["subject"][1]["name"] == f"document:{name}"


def test_a_claim_names_the_candidate_that_it_signs() -> None:
    case = make_scene()
    candidate = make_candidate(case.run)
    verdict = settle(case, sign(case, "ada", candidate=candidate.pk))
    (claim,) = document.predicate_of(verdict)["claims"]
    assert (claim["basis"], claim["candidate"]) == ("signed", "first@1 rank 1")


def test_people_are_named_with_their_names() -> None:
    case = make_scene()
    ada = user("ada")
    ada.first_name, ada.last_name = "Ada", "Byron"
    ada.save()
    verdict = settle(case, sign(case, "ada"))
    said = document.predicate_of(verdict)
    assert said["claims"][0]["reviewer"] == {"username": "ada", "name": "Ada Byron"}

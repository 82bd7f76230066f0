from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from uuid import uuid4

import pytest
from django.db import connection

from reviews import adjudication, assignment
from reviews.adjudication import AlreadySigned, Incomplete, NotInTheRecord, contents
from reviews.assignment import NotYourLease
from reviews.fields import Missed, Quote, Rejected
from reviews.findings import Finding
from reviews.models import Category, Claim, Contract, Evidence
from tests.factories import AT, make_project
from tests.reviews.scenes import (
    QUOTE,
    case_of,
    finding,
    make_candidate,
    make_failed_run,
    make_scene,
    sign,
    unresolved,
    user,
)
from traces.models import AuditEntry, Project

pytestmark = [pytest.mark.django_db, pytest.mark.database]
LATER = AT + timedelta(minutes=61)


def make_contract(project: Project, **fields: object) -> Contract:
    given = {"key": "currency", "component": "verifier", "clause": "Checks currency."}
    return Contract.objects.create(
        project=project, **given | {"valid_from": AT - timedelta(days=90)} | fields
    )


def test_who_does_not_hold_the_case_signs_nothing() -> None:
    case = make_scene()
    slot = assignment.take(case=case, reviewer=user("ada"), at=AT)
    given = {"case": case, "finding": finding(), "outcome": "attributed", "at": AT}
    with pytest.raises(NotYourLease, match="take it first"):
        adjudication.sign_claim(reviewer=user("ben"), token=slot.token, **given)
    with pytest.raises(NotYourLease, match="Your lease ended"):
        adjudication.sign_claim(reviewer=user("ada"), token=uuid4(), **given)
    assert not Claim.objects.exists()


def test_a_lease_that_was_taken_over_signs_nothing() -> None:
    case = make_scene()
    slot = assignment.take(case=case, reviewer=user("ada"), at=AT)
    assignment.take(case=case, reviewer=user("ben"), at=LATER)
    with pytest.raises(NotYourLease):
        adjudication.sign_claim(
            case=case,
            reviewer=user("ada"),
            token=slot.token,
            finding=finding(),
            outcome="attributed",
            at=LATER,
        )


def test_an_expired_lease_that_nobody_took_still_signs() -> None:
    case = make_scene()
    slot = assignment.take(case=case, reviewer=user("ada"), at=AT)
    claim = adjudication.sign_claim(
        case=case,
        reviewer=user("ada"),
        token=slot.token,
        finding=finding(),
        outcome="attributed",
        at=LATER,
    )
    assert claim.signed_at == LATER


def test_a_second_signature_is_refused() -> None:
    case = make_scene(signatures=2)
    claim = sign(case, "ada")
    token = case.slots.get(reviewer=user("ada")).token
    with pytest.raises(AlreadySigned, match="You have signed your claim on case 1 already"):
        adjudication.sign_claim(
            case=case,
            reviewer=user("ada"),
            token=token,
            finding=finding(note="On second thoughts."),
            outcome="attributed",
            at=AT,
        )
    assert list(Claim.objects.all()) == [claim]


def test_an_unfinished_finding_is_refused_with_what_is_missing() -> None:
    case = make_scene()
    with pytest.raises(Incomplete) as refusal:
        sign(case, "ada", confidence="", exposing_step=None)
    assert refusal.value.sentences == [
        "Say which observation exposed it.",
        "Say how confident you are.",
    ]
    assert not Claim.objects.exists()
    assert case.slots.get().answered_at is None


@pytest.mark.parametrize("answer", ["yes", "cannot_tell"])
def test_a_failure_that_could_still_have_followed_is_not_attributed(answer: str) -> None:
    with pytest.raises(Incomplete, match="sign it as unresolved"):
        sign(make_scene(), "ada", counterfactual=answer)


@pytest.mark.parametrize("outcome", ["", "settled", "ATTRIBUTED"])
def test_an_unknown_outcome_is_refused(outcome: str) -> None:
    with pytest.raises(Incomplete, match="Choose attributed or unresolved"):
        sign(make_scene(), "ada", outcome)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"decisive_step": 9}, "There is no step #9 in this run."),
        ({"exposing_step": 4}, "There is no step #4 in this run."),
        ({"carriers": (2, 77)}, "There is no step #77 in this run."),
        ({"alternatives": (Rejected(8, "No."),)}, "There is no step #8 in this run."),
        ({"actor": "coder"}, "coder did not act at #1: the record names planner."),
        (
            {"evidence": (replace(QUOTE, start=28, end=50),)},
            "The quote “Use POST /v1/invoices.” does not stand at its place in #1.",
        ),
        (
            {"evidence": (replace(QUOTE, text="Use POST /v2/invoices."),)},
            "The quote “Use POST /v2/invoices.” does not stand at its place in #1.",
        ),
        (
            {"evidence": (replace(QUOTE, part=1),)},
            "The quote “Use POST /v1/invoices.” does not stand at its place in #1.",
        ),
        (
            {"evidence": (replace(QUOTE, part=70_000),)},
            "The quote “Use POST /v1/invoices.” does not stand at its place in #1.",
        ),
        ({"misses": (Missed(3, 999),)}, "No such contract was in force for the miss at #3."),
        ({"misses": (Missed(3, 2**62),)}, "No such contract was in force for the miss at #3."),
        ({"category": 999}, "The category is not one of this project."),
        ({"candidate": 999}, "The candidate is gone: its attributor has run again since."),
        ({"candidate": 2**63 - 1}, "The candidate is gone: its attributor has run again since."),
    ],
)
def test_what_the_record_does_not_bear_out_is_refused(
    change: dict[str, object], sentence: str
) -> None:
    case = make_scene()
    with pytest.raises(NotInTheRecord) as refusal:
        sign(case, "ada", **change)
    assert refusal.value.sentences == [sentence]
    assert not Claim.objects.exists()


def test_a_candidate_of_another_run_is_refused() -> None:
    case = make_scene()
    other = make_candidate(make_failed_run(case.project, "run-2"))
    with pytest.raises(NotInTheRecord, match="The candidate is gone"):
        sign(case, "ada", candidate=other.pk)


def test_a_category_of_another_project_is_refused() -> None:
    other = Category.objects.create(project=make_project("other"), key="k", name="K")
    with pytest.raises(NotInTheRecord, match="not one of this project"):
        sign(make_scene(), "ada", category=other.pk)


@pytest.mark.parametrize(
    "fields",
    [
        {"valid_from": AT + timedelta(days=1)},
        {"valid_to": AT - timedelta(days=1)},
        {"configurations": ["2026.11.1"]},
    ],
)
def test_a_contract_that_was_not_in_force_does_not_count_as_missed(
    fields: dict[str, object],
) -> None:
    case = make_scene(system={"version": "2026.11.2"})
    contract = make_contract(case.project, **fields)
    with pytest.raises(NotInTheRecord, match="No such contract was in force"):
        sign(case, "ada", misses=(Missed(3, contract.pk),))


def test_a_contract_of_another_project_does_not_count_as_missed() -> None:
    contract = make_contract(make_project("other"))
    with pytest.raises(NotInTheRecord, match="No such contract was in force"):
        sign(make_scene(), "ada", misses=(Missed(3, contract.pk),))


def test_contracts_are_judged_by_when_the_run_happened_not_by_when_it_came() -> None:
    case = make_scene(started_at=AT - timedelta(days=30))
    old = make_contract(case.project, valid_to=AT - timedelta(days=10))
    claim = sign(case, "ada", misses=(Missed(3, old.pk),))
    assert claim.misses.get().contract == old


def test_a_claim_is_written_whole() -> None:
    case = make_scene(system={"version": "2026.11.2"})
    contract = make_contract(case.project, configurations=["2026.11.2"])
    category = Category.objects.create(project=case.project, key="k", name="K")
    claim = sign(
        case,
        "ada",
        note="Uses v1.",
        alternatives=(Rejected(0, "It was clear."), Rejected(None, "No flake.")),
        misses=(Missed(3, contract.pk),),
        category=category.pk,
        phase="planning",
        tags=("retired",),
    )
    claim = Claim.objects.get(pk=claim.pk)
    assert (claim.reviewer, claim.outcome, claim.basis) == (user("ada"), "attributed", "own")
    assert (claim.decisive_step, claim.actor, claim.exposing_step) == (1, "planner", 3)
    assert (claim.category, claim.phase, claim.tags) == (category, "planning", ["retired"])
    assert [row.step for row in claim.carriers.all()] == [2]
    assert {(row.step, row.rejected_because) for row in claim.alternatives.all()} == {
        (0, "It was clear."),
        (None, "No flake."),
    }
    assert claim.misses.get().step == 3
    quote = claim.evidence.get()
    assert (quote.step, quote.part, quote.start, quote.end) == (1, 0, 29, 51)
    assert quote.sha256 == sha256(b"Use POST /v1/invoices.").hexdigest()


def test_signing_answers_the_place_and_the_last_one_lets_the_lead_decide() -> None:
    case = make_scene(signatures=2)
    sign(case, "ada")
    case.refresh_from_db()
    assert case.status == "open"
    assert case.slots.get(reviewer=user("ada")).answered_at == AT
    claim = sign(case, "ben")
    case.refresh_from_db()
    assert case.status == "waiting"
    entry = AuditEntry.objects.latest("number")
    assert (entry.action, entry.actor) == ("claim.signed", user("ben"))
    content = contents.claim_hashes([claim.pk])[claim.pk]
    assert entry.data == {"claim": claim.pk, "status": "waiting", "content": content}


def test_an_unresolved_claim_names_what_is_missing() -> None:
    case = make_scene()
    candidate = make_candidate(case.run)
    claim = sign(case, "ada", "unresolved", candidate=candidate.pk, decisive_step=1)
    assert (claim.outcome, claim.basis, claim.candidate) == ("unresolved", "own", None)
    assert claim.missing_observation == "The file between the two writes."


def test_a_candidate_that_is_gone_does_not_stop_an_unresolved_claim() -> None:
    assert sign(make_scene(), "ada", "unresolved", candidate=999).candidate is None


def test_an_actor_is_only_kept_where_an_actor_is_responsible() -> None:
    claim = sign(make_scene(), "ada", responsible="coordination_rule", actor="planner")
    assert (claim.responsible, claim.actor) == ("coordination_rule", "")


def test_a_candidate_signed_as_it_stands_brings_its_own_quotes() -> None:
    case = make_scene()
    candidate = make_candidate(case.run)
    claim = sign(case, "ada", candidate=candidate.pk, evidence=())
    assert (claim.basis, claim.candidate) == ("signed", candidate)
    quote = claim.evidence.get()
    assert (quote.purpose, quote.text) == ("origin", QUOTE.text)


def test_a_candidate_whose_quote_is_not_in_the_record_is_not_signed() -> None:
    case = make_scene()
    wrong = {"step": 1, "part": 0, "start": 0, "end": 4, "text": "That"}
    candidate = make_candidate(case.run, quotes=[wrong])
    with pytest.raises(NotInTheRecord, match="does not stand at its place"):
        sign(case, "ada", candidate=candidate.pk, evidence=())


def test_a_revised_candidate_needs_a_reason() -> None:
    case = make_scene()
    candidate = make_candidate(case.run, step=2, actor="coder")
    with pytest.raises(Incomplete, match="Say why you revised the candidate"):
        sign(case, "ada", candidate=candidate.pk)
    claim = sign(case, "ada", candidate=candidate.pk, revision_reason="The order was wrong.")
    assert (claim.basis, claim.candidate) == ("revised", candidate)


def test_a_candidate_that_missed_is_signed_with_the_contract_it_missed_under() -> None:
    case = make_scene()
    candidate = make_candidate(case.run, part="missed")
    contract = make_contract(case.project)
    with pytest.raises(Incomplete, match="you differ in part"):
        sign(case, "ada", candidate=candidate.pk)
    claim = sign(case, "ada", candidate=candidate.pk, misses=(Missed(1, contract.pk),))
    assert claim.basis == "signed"


def test_quotes_count_characters_and_not_bytes() -> None:
    case = make_scene()
    other = case_of(make_failed_run(case.project, "run-2"))
    part = other.run.parts.get(step=1)
    part.text = "\N{PILE OF POO} 港湾: Use POST /v1/invoices."
    type(part).objects.filter(run=other.run, step=1).update(text=part.text)
    quote = Quote("origin", 1, 0, 6, 28, "Use POST /v1/invoices.")
    assert sign(other, "ada", evidence=(quote,)).evidence.get().start == 6


def test_nothing_stays_of_a_refused_signature() -> None:
    case = make_scene()
    entries = AuditEntry.objects.count()
    with pytest.raises(NotInTheRecord):
        sign(case, "ada", exposing_step=99)
    assert not Evidence.objects.exists()
    assert AuditEntry.objects.count() == entries + 1


@pytest.mark.django_db(transaction=True)
def test_of_two_signatures_at_once_one_stands() -> None:
    case = make_scene(signatures=2)
    slot = assignment.take(case=case, reviewer=user("ada"), at=AT)

    def press(said: Finding) -> str:
        try:
            adjudication.sign_claim(
                case=case,
                reviewer=user("ada"),
                token=slot.token,
                finding=said,
                outcome="unresolved",
                at=AT,
            )
        except AlreadySigned:
            return "refused"
        else:
            return "signed"
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(press, [unresolved(note=str(n)) for n in range(4)]))
    assert sorted(answers) == ["refused", "refused", "refused", "signed"]


@pytest.mark.django_db(transaction=True)
def test_the_last_two_signatures_at_once_leave_the_case_waiting() -> None:
    case = make_scene(signatures=2)

    def press(name: str) -> None:
        try:
            sign(case, name)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(press, ["ada", "ben"]))
    case.refresh_from_db()
    assert case.status == "waiting"

"""Signing over HTTP: what is missing is said, and what is signed is what was on the page."""

from __future__ import annotations

from datetime import timedelta
from html.parser import HTMLParser
from typing import Any
from uuid import uuid4

import pytest
from django.http import HttpResponse

from reviews.findings import APPARATUS
from reviews.models import Case, Category, Claim, Contract
from tests.clients import address, signed_in, told
from tests.factories import AT
from tests.reviews.conftest import Desk
from tests.reviews.scenes import QUOTE, make_candidate

pytestmark = [pytest.mark.django_db, pytest.mark.database]
VIEWS = ("sign", "revise", "unresolved")
UNRESOLVED = {
    "unresolved_reason": "evidence_missing",
    "missing_observation": "The file between\r\nthe two writes.",
}


def judge(desk: Desk, **given: Any) -> None:
    """Everything a claim needs but for the decisive step and its quote."""
    answers = {"state_change": "plan: v1", "counterfactual": "no", "confidence": "high"}
    desk.post("mark", mark="exposing-3")
    desk.post("write-draft", **answers | dict.fromkeys(APPARATUS, "ruled_out") | given)


def decide(desk: Desk, step: int = 1) -> None:
    desk.post("mark", mark=f"decisive-{step}")
    desk.post("cite", step=step)


class Facts(HTMLParser):
    """The answers of a list of facts, by label."""

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.told: dict[str, str] = {}
        self.label, self.into = "", ""
        self.feed(content.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("dt", "dd"):
            self.into = tag
            self.label = "" if tag == "dt" else self.label

    def handle_endtag(self, tag: str) -> None:
        self.into = "" if tag in ("dt", "dd") else self.into

    def handle_data(self, data: str) -> None:
        if self.into == "dt":
            self.label += data
        elif self.into == "dd":
            self.told[self.label] = self.told.get(self.label, "") + data


def shown(response: HttpResponse) -> dict[str, str]:
    return {label: text.strip() for label, text in Facts(response.content).told.items()}


@pytest.mark.parametrize("view", VIEWS)
def test_who_does_not_hold_the_case_signs_nothing(case: Case, view: str) -> None:
    client = signed_in("ada")
    Desk(case, "ben")
    for response in (
        client.get(address(view, case)),
        client.post(address(view, case), {"token": str(uuid4()), **UNRESOLVED}),
    ):
        assert response.url == address("case", case)
        assert told(response)[-1] == "You do not hold this case."
    assert not Claim.objects.exists()


@pytest.mark.parametrize("view", VIEWS)
def test_a_wrong_token_signs_nothing(case: Case, view: str) -> None:
    desk, ben = Desk(case), Desk(case, "ben")
    decide(desk)
    judge(desk)
    for token in (uuid4(), ben.token, "", "x\0"):
        response = desk.post(view, token=token, **UNRESOLVED)
        assert response.status_code == 200
        sentence = "Your lease ended and the case was given to somebody else."
        assert sentence in response.content.decode()
    assert not Claim.objects.exists()
    assert "missing_observation" not in desk.fields


@pytest.mark.parametrize(
    ("view", "missing"),
    [
        ("sign", "Name the decisive step."),
        ("revise", "Name the decisive step."),
        ("unresolved", "Answer whether the evaluator is ruled out."),
    ],
)
def test_an_empty_draft_is_not_signed(case: Case, view: str, missing: str) -> None:
    desk = Desk(case)
    page = desk.get(view).content.decode()
    assert missing in page
    assert "What you sign" in page
    response = desk.post(view, **UNRESOLVED)
    assert response.status_code == 200
    assert missing in response.content.decode()
    assert not Claim.objects.exists()


def test_own_findings_are_signed_as_they_stand(case: Case) -> None:
    desk = Desk(case)
    decide(desk)
    judge(desk, note="First line.\r\nSecond.")
    page = desk.get("sign").content.decode()
    assert "Sign your own finding" in page
    assert "Still missing" not in page
    assert desk.token in page
    response = desk.post("sign")
    assert response.url == address("case", case)
    assert told(response) == ["Your claim on Case 1 is signed."]
    claim = Claim.objects.get()
    assert (claim.outcome, claim.basis) == ("attributed", "own")
    assert (claim.decisive_step, claim.actor, claim.exposing_step) == (1, "planner", 3)
    assert claim.note == "First line.\nSecond."
    assert [q.purpose for q in claim.evidence.all()] == ["origin"]
    page = desk.get().content.decode()
    assert "Claim of ada" in page
    assert "First line.<br>Second." in page
    assert 'id="claim-form"' not in page


def test_signing_again_finds_no_lease(case: Case) -> None:
    desk = Desk(case)
    decide(desk)
    judge(desk)
    desk.post("sign")
    response = desk.post("sign")
    assert told(response)[-1] == "You do not hold this case."
    assert Claim.objects.count() == 1


def test_what_the_record_does_not_bear_out_is_refused(case: Case) -> None:
    desk = Desk(case)
    decide(desk)
    judge(desk, actor="coder")
    response = desk.post("sign")
    assert "coder did not act at #1: the record names planner." in response.content.decode()
    assert not Claim.objects.exists()


def test_a_candidate_is_signed_as_it_stands(case: Case) -> None:
    desk = Desk(case)
    candidate = make_candidate(case.run)
    desk.post("start-from", candidate=candidate.pk)
    judge(desk)
    page = desk.get("sign").content.decode()
    assert "Sign the candidate as it stands" in page
    assert "It starts from first@1: #1 planner" in page
    desk.post("sign")
    claim = Claim.objects.get()
    assert (claim.basis, claim.candidate, claim.revision_reason) == ("signed", candidate, "")


@pytest.mark.parametrize("view", ["sign", "revise"])
def test_a_departure_from_the_candidate_needs_a_reason(case: Case, view: str) -> None:
    desk = Desk(case)
    candidate = make_candidate(case.run)
    desk.post("start-from", candidate=candidate.pk)
    judge(desk)
    decide(desk, step=2)
    page = desk.get(view).content.decode()
    assert "Sign a revision of the candidate" in page
    assert "you differ in step and actor" in page
    for reason in ("", "  ", "a\0b"):
        response = desk.post(view, revision_reason=reason)
        assert response.status_code == 200
        assert b"errorlist" in response.content
    assert not Claim.objects.exists()
    desk.post(view, revision_reason="The coder chose.\r\nNot the planner.")
    claim = Claim.objects.get()
    assert (claim.basis, claim.candidate, claim.decisive_step) == ("revised", candidate, 2)
    assert claim.revision_reason == "The coder chose.\nNot the planner."


def test_a_revision_that_changes_nothing_is_refused(case: Case) -> None:
    desk = Desk(case)
    desk.post("start-from", candidate=make_candidate(case.run).pk)
    judge(desk)
    for response in (desk.get("revise"), desk.post("revise", revision_reason="It reads better.")):
        page = response.content.decode()
        assert "You changed nothing: sign it as it stands." in page
        assert address("sign", case) in page
        assert "revision_reason" not in page
    assert "revision_reason" not in desk.fields
    assert not Claim.objects.exists()


def test_signing_as_proposed_keeps_no_reason_for_a_revision(case: Case) -> None:
    """The reason was for a departure that was taken back since."""
    desk = Desk(case)
    desk.post("start-from", candidate=make_candidate(case.run).pk)
    judge(desk, revision_reason="The coder chose.")
    assert "The coder chose." not in desk.get("sign").content.decode()
    desk.post("sign")
    claim = Claim.objects.get()
    assert (claim.basis, claim.revision_reason) == ("signed", "")


def test_the_page_shows_all_that_is_signed(case: Case) -> None:
    contract = Contract.objects.create(
        project=case.project,
        key="currency",
        component="coder",
        clause="Checks currency.",
        valid_from=AT - timedelta(days=90),
    )
    category = Category.objects.create(
        project=case.project, key="retired", name="Retired interface", definition="Uses it."
    )
    desk = Desk(case)
    desk.post("start-from", candidate=make_candidate(case.run).pk)
    desk.post("mark", mark="missed-2")
    desk.post("mark", mark="alternative-0")
    judge(desk, counterfactual="cannot_tell", category=category.pk, phase="planning")
    desk.post("write-draft", **{"contract-2": contract.pk, "because-0": "It only asked."})
    told = shown(desk.get("sign"))
    assert told["Basis"] == "signed as proposed by first@1, candidate #1 planner"
    assert told["Decisive step"] == "#1 planner"
    assert told["Responsible"] == "actor planner"
    assert told["Missed at"] == "#2 coder. coder: Checks currency."
    assert told["Considered"] == "#0 owner. It only asked."
    assert told["Could still follow"] == "cannot tell"
    assert told["Apparatus"] == (
        "evaluator ruled out, environment ruled out, task ruled out, harness ruled out"
    )
    assert (told["Category"], told["Phase"]) == ("Retired interface", "planning")
    assert told["Confidence"] == "high"
    assert told["Evidence"] == f"which action changed it #1 “{QUOTE.text}”"
    assert told["Note"] == "—"
    assert "Why unresolved" not in told
    assert f'href="{address("case", case)}?step=2#s2"' in desk.get("sign").content.decode()


def test_a_rule_is_named_in_words(case: Case) -> None:
    desk = Desk(case)
    decide(desk)
    judge(desk, responsible="coordination_rule")
    assert shown(desk.get("sign"))["Responsible"] == "a coordination rule or merge order"
    assert shown(desk.get("sign"))["Basis"] == "own finding"


def test_quotes_that_come_with_the_candidate_are_shown_before_they_are_signed(case: Case) -> None:
    desk = Desk(case)
    desk.post("start-from", candidate=make_candidate(case.run).pk)
    desk.post("uncite", anchor=f"1-0-{QUOTE.start}-{QUOTE.end}")
    judge(desk)
    told = shown(desk.get("sign"))["Evidence"]
    desk.post("sign")
    assert told == f"which action changed it #1 “{Claim.objects.get().evidence.get().text}”"


def test_revising_asks_for_no_reason_without_a_candidate(case: Case) -> None:
    desk = Desk(case)
    decide(desk)
    judge(desk)
    assert "revision_reason" not in desk.get("revise").content.decode()
    desk.post("revise")
    assert Claim.objects.get().basis == "own"


@pytest.mark.parametrize(
    "given",
    [
        {"unresolved_reason": ""},
        {"unresolved_reason": "because"},
        {"missing_observation": " "},
        {"missing_observation": "\0"},
    ],
)
def test_unresolved_says_why_and_what_is_missing(case: Case, given: dict[str, str]) -> None:
    desk = Desk(case)
    judge(desk)
    response = desk.post("unresolved", **UNRESOLVED | given)
    assert response.status_code == 200
    assert b"errorlist" in response.content
    assert not Claim.objects.exists()


def test_unresolved_is_signed_and_keeps_what_was_found(case: Case) -> None:
    desk = Desk(case)
    decide(desk)
    judge(desk, counterfactual="cannot_tell")
    assert "Mark unresolved" in desk.get("unresolved").content.decode()
    response = desk.post("unresolved", **UNRESOLVED)
    assert told(response) == ["Your claim on Case 1 is signed."]
    claim = Claim.objects.get()
    assert (claim.outcome, claim.unresolved_reason) == ("unresolved", "evidence_missing")
    assert claim.missing_observation == "The file between\nthe two writes."
    assert claim.decisive_step == 1


def test_a_refused_signature_keeps_what_was_written(case: Case) -> None:
    """The page's own form is saved into the draft first, so that nothing is typed twice."""
    desk = Desk(case)
    response = desk.post("unresolved", **UNRESOLVED)
    assert "Answer whether the evaluator is ruled out." in response.content.decode()
    page = desk.get("unresolved").content.decode()
    assert "The file between\nthe two writes." in page
    assert desk.fields["unresolved_reason"] == "evidence_missing"


def test_the_quote_that_was_cited_is_the_one_that_is_signed(case: Case) -> None:
    desk = Desk(case)
    desk.post("mark", mark="decisive-1")
    desk.post("cite", step=1, part=0, start=QUOTE.start, end=QUOTE.end)
    judge(desk)
    desk.post("sign")
    quote = Claim.objects.get().evidence.get()
    anchor = (quote.step, quote.part, quote.start, quote.end)
    assert anchor == (QUOTE.step, QUOTE.part, QUOTE.start, QUOTE.end)
    assert quote.text == QUOTE.text

"""A finding in rows: the same before it is signed and after."""

from __future__ import annotations

from datetime import timedelta

import pytest

from reviews.claim_facts import Named, compared, facts_of, facts_of_claim, finding_of
from reviews.fields import Missed, Quote, Rejected
from reviews.findings import Finding
from reviews.models import Case, Category, Claim, Contract
from tests.factories import AT
from tests.reviews.scenes import QUOTE, finding, make_candidate, make_scene, sign

ROLES = ("owner", "planner", "coder", "verifier")
NOBODY = Named(roles=ROLES)


def told(given: Finding, named: Named = NOBODY, *, outcome: str = "attributed") -> dict[str, str]:
    facts = facts_of(given, outcome=outcome, basis="own", named=named)
    return {fact.label: str(fact) for fact in facts}


def test_an_empty_finding_has_every_row_and_no_answer() -> None:
    rows = told(Finding(), outcome="unresolved")
    assert (rows.pop("Outcome"), rows.pop("Basis")) == ("unresolved", "own finding")
    assert rows.pop("Apparatus").count("not answered yet") == 4
    assert len(rows) == 17
    assert not any(rows.values())


def test_steps_that_the_run_does_not_have_are_still_named() -> None:
    rows = told(finding(decisive_step=9, alternatives=(Rejected(9, ""),)))
    assert rows["Decisive step"] == "#9"
    assert rows["Considered"].startswith("#9")


def test_what_is_not_complete_yet_says_so() -> None:
    rows = told(finding(misses=(Missed(3, None), Missed(2, 7)), alternatives=(Rejected(0, ""),)))
    assert rows["Missed at"] == (
        "#3 verifier. no contract named yet; #2 coder. no contract named yet"
    )
    assert rows["Considered"] == "#0 owner. no reason given yet"


@pytest.mark.parametrize(
    ("responsible", "words"),
    [
        ("actor", "actor planner"),
        ("coordination_rule", "a coordination rule or merge order"),
        ("evaluator", "the evaluator"),
        ("", ""),
    ],
)
def test_the_responsible_party_in_words(responsible: str, words: str) -> None:
    assert told(finding(responsible=responsible))["Responsible"] == words


def test_rows_that_nobody_answers_are_left_out_and_equal_ones_are_told() -> None:
    both = [
        facts_of(finding(confidence=sure), outcome="attributed", basis="own", named=NOBODY)
        for sure in ("low", "high")
    ]
    rows = {row.label: row.equal for row in compared(both)}
    assert (rows["Confidence"], rows["Decisive step"]) == (False, True)
    assert "Category" not in rows
    assert compared([]) == []


def test_no_claim_is_an_empty_finding() -> None:
    assert finding_of(None) == Finding()


@pytest.mark.django_db
@pytest.mark.database
def test_a_claim_says_what_the_finding_said() -> None:
    case = make_scene()
    whole = whole_finding(case)
    claim = sign(case, "ada", **{name: getattr(whole, name) for name in Finding.__slots__})
    read = Claim.objects.get(pk=claim.pk)
    assert finding_of(read) == whole
    rows = {fact.label: str(fact) for fact in facts_of_claim(read, roles=ROLES)}
    assert rows["Basis"] == "revised from the proposal of first@1, candidate #2 coder"
    assert rows["Category"] == "Retired"
    assert rows["Missed at"] == "#2 coder. coder: Checks currency."
    assert rows["Tags"] == "a, b"
    assert rows["Evidence"] == (
        f"which action changed it #1 {QUOTE.text}; what exposed it #3 410 Gone"
    )
    assert all(text for label, text in rows.items() if label != "Outcome")


def whole_finding(case: Case) -> Finding:
    """Every field is given."""
    contract = Contract.objects.create(
        project=case.project,
        key="currency",
        component="coder",
        clause="Checks currency.",
        valid_from=AT - timedelta(days=90),
    )
    category = Category.objects.create(
        project=case.project, key="retired", name="Retired", definition="Uses it."
    )
    candidate = make_candidate(case.run, step=2, actor="coder")
    return finding(
        note="A note.",
        misses=(Missed(2, contract.pk),),
        alternatives=(Rejected(0, "It asked."), Rejected(None, "Bad luck.")),
        evidence=(QUOTE, Quote("exposure", 3, 0, 0, 8, "410 Gone")),
        category=category.pk,
        phase="planning",
        tags=("a", "b"),
        unresolved_reason="contradiction",
        missing_observation="The log.",
        candidate=candidate.pk,
        revision_reason="The plan was first.",
    )

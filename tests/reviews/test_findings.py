"""Drafts hold anything; findings hold what can be used, and say what is missing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews import findings
from reviews.fields import PURPOSES, Missed, Quote, Rejected
from reviews.findings import Finding, Proposal, differences, missing_for
from reviews.models import Claim, Evidence

WHOLE: dict[str, Any] = {
    "note": "Uses v1.",
    "decisive_step": 11,
    "responsible": "actor",
    "actor": "planner",
    "state_change": "plan@3 to plan@4: interface = gateway.v1",
    "exposing_step": "58",
    "carriers": [37, 12, "21", 12],
    "evidence": [
        {"purpose": "origin", "step": 11, "part": 0, "start": 4, "end": 9, "text": "use v1"}
    ],
    "alternatives": [{"step": 10, "rejected_because": "It returned both."}],
    "misses": [{"step": 40, "contract": 3}],
    "counterfactual": "no",
    "evaluator": "ruled_out",
    "environment": "ruled_out",
    "task": "ruled_out",
    "harness": "not_ruled_out",
    "category": "7",
    "phase": "planning",
    "tags": ["retired interface", "retired interface", " "],
    "confidence": "high",
}
FINDING = Finding.from_fields(WHOLE)
UNRESOLVED = Finding.from_fields(
    {
        **dict.fromkeys(findings.APPARATUS, "ruled_out"),
        "unresolved_reason": "evidence_missing",
        "missing_observation": "The state of the file between the two writes.",
        "confidence": "low",
    }
)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"decisive_step": ""}, "Name the decisive step."),
        ({"responsible": "somebody"}, "Say who or what is responsible."),
        ({"actor": " "}, "Name the actor."),
        ({"state_change": ""}, "Say which state changed, and by which action."),
        ({"exposing_step": None}, "Say which observation exposed it."),
        ({"evidence": []}, "Quote the text that shows which action changed the state."),
        (
            {"evidence": [{**WHOLE["evidence"][0], "purpose": "state"}]},
            "Quote the text that shows which action changed the state.",
        ),
        (
            {"counterfactual": ""},
            "Answer whether the failure could still have followed had the step been right.",
        ),
        (
            {"counterfactual": "yes"},
            "The failure could still have followed, or you cannot tell: sign it as unresolved.",
        ),
        (
            {"counterfactual": "cannot_tell"},
            "The failure could still have followed, or you cannot tell: sign it as unresolved.",
        ),
        ({"evaluator": ""}, "Answer whether the evaluator is ruled out."),
        ({"environment": 1}, "Answer whether the environment is ruled out."),
        ({"task": "yes"}, "Answer whether the task is ruled out."),
        ({"harness": []}, "Answer whether the harness is ruled out."),
        ({"confidence": "certain"}, "Say how confident you are."),
        ({"responsible": "task"}, "You hold the task responsible and rule it out."),
        (
            {"alternatives": [{"step": 10, "rejected_because": ""}]},
            "Say why #10 is not it, or why it stays open.",
        ),
        ({"misses": [{"step": 40}]}, "Name the contract that owned the check at #40."),
    ],
)
def test_attributed_is_refused_while_one_thing_is_missing(
    change: dict[str, Any], sentence: str
) -> None:
    assert missing_for(Finding.from_fields(WHOLE | change), "attributed") == [sentence]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"unresolved_reason": ""}, "Say why the evidence cannot settle it."),
        ({"missing_observation": ""}, "Name the missing observation that would settle it."),
        ({"confidence": ""}, "Say how confident you are."),
        ({"harness": ""}, "Answer whether the harness is ruled out."),
        ({"responsible": "actor"}, "Name the actor."),
    ],
)
def test_unresolved_is_refused_while_one_thing_is_missing(
    change: dict[str, Any], sentence: str
) -> None:
    assert missing_for(replace(UNRESOLVED, **change), "unresolved") == [sentence]


def test_an_empty_draft_misses_everything() -> None:
    assert len(missing_for(Finding(), "attributed")) == 11
    assert len(missing_for(Finding(), "unresolved")) == 7


def test_whole_findings_miss_nothing() -> None:
    assert missing_for(FINDING, "attributed") == []
    assert missing_for(UNRESOLVED, "unresolved") == []


def test_unresolved_does_not_ask_the_counterfactual() -> None:
    told = replace(UNRESOLVED, counterfactual="cannot_tell")
    assert missing_for(told, "unresolved") == []


@pytest.mark.parametrize("responsible", ["coordination_rule", "harness"])
def test_only_an_actor_needs_a_name(responsible: str) -> None:
    finding = replace(FINDING, responsible=responsible)
    assert missing_for(finding, "attributed") == []
    assert finding.blamed_actor == ""


def test_fields_are_read_into_a_finding() -> None:
    assert FINDING.exposing_step == 58
    assert FINDING.carriers == (12, 21, 37)
    assert FINDING.evidence == (Quote("origin", 11, 0, 4, 9, "use v1"),)
    assert FINDING.alternatives == (Rejected(10, "It returned both."),)
    assert FINDING.misses == (Missed(40, 3),)
    assert FINDING.category == 7
    assert FINDING.tags == ("retired interface",)
    assert FINDING.steps == {10, 11, 12, 21, 37, 40, 58}


@pytest.mark.parametrize(
    "value",
    [None, "", "x", "1x", "-1", -1, True, 1.5, 2**31, "9" * 5000, "²", [], {}, "１"],
)
def test_what_is_no_number_counts_as_not_given(value: object) -> None:
    assert Finding.from_fields({"decisive_step": value}).decisive_step is None


@pytest.mark.parametrize(
    "change",
    [
        {"end": 4},
        {"start": 10},
        {"start": None},
        {"text": ""},
        {"text": 3},
        {"purpose": "proof"},
        {"step": "x"},
        {"part": -1},
    ],
)
def test_a_quote_without_a_whole_anchor_is_none(change: dict[str, Any]) -> None:
    quote = WHOLE["evidence"][0] | change
    assert Finding.from_fields({"evidence": [quote, None, 3]}).evidence == ()


def test_text_the_database_cannot_hold_is_cleaned() -> None:
    finding = Finding.from_fields({"note": "a\0b\ud800c", "tags": ["t" * 80]})
    assert finding.note == "abc"
    assert finding.tags == ("t" * 60,)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(list(WHOLE)), inner)
    ),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from(list(WHOLE)), JSON))
def test_any_draft_can_be_read(draft: dict[str, Any]) -> None:
    finding = Finding.from_fields(draft)
    assert hash(finding) == hash(Finding.from_fields(draft))
    assert missing_for(finding, "attributed")


def test_a_candidate_signed_as_it_stands_needs_no_quote_of_its_own() -> None:
    finding = replace(FINDING, candidate=5, evidence=())
    assert missing_for(finding, "attributed") == []
    assert missing_for(finding, "attributed", Proposal(11, "planner", "produced")) == []


def test_a_revised_candidate_needs_a_reason_and_a_quote() -> None:
    finding = replace(FINDING, candidate=5, evidence=())
    missing = missing_for(finding, "attributed", Proposal(10, "retriever", "produced"))
    assert missing == [
        "Quote the text that shows which action changed the state.",
        "Say why you revised the candidate: you differ in step and actor.",
    ]
    told = replace(FINDING, candidate=5, revision_reason="The answer was right.")
    assert missing_for(told, "attributed", Proposal(10, "retriever", "produced")) == []


@pytest.mark.parametrize(
    ("change", "proposal", "expected"),
    [
        ({}, Proposal(11, "planner", "produced"), []),
        ({}, Proposal(12, "planner", "produced"), ["step"]),
        ({}, Proposal(11, "coder", "produced"), ["actor"]),
        ({}, Proposal(11, "planner", "missed"), ["part"]),
        ({}, Proposal(11, "planner", "apparatus"), ["part"]),
        ({"misses": (Missed(11, 3),)}, Proposal(11, "planner", "missed"), []),
        ({"misses": (Missed(11, 3),)}, Proposal(11, "planner", "produced"), ["part"]),
        ({"responsible": "harness"}, Proposal(11, "ci", "apparatus", "harness"), []),
        ({"responsible": "harness"}, Proposal(11, "ci", "produced", "harness"), []),
        ({"responsible": "task"}, Proposal(11, "ci", "apparatus", "harness"), ["actor"]),
        ({"responsible": "coordination_rule"}, Proposal(11, "planner", "produced"), ["actor"]),
    ],
)
def test_differences_to_a_candidate(
    change: dict[str, Any], proposal: Proposal, expected: list[str]
) -> None:
    assert differences(replace(FINDING, **change), proposal) == expected


def test_the_words_are_those_the_database_accepts() -> None:
    assert list(findings.RESPONSIBLE) == Claim.Responsible.values
    assert list(findings.COUNTERFACTUAL) == Claim.Counterfactual.values
    assert list(findings.APPARATUS_ANSWERS) == Claim.Apparatus.values
    assert list(findings.PHASES) == Claim.Phase.values
    assert list(findings.CONFIDENCE) == Claim.Confidence.values
    assert list(findings.UNRESOLVED_REASONS) == Claim.UnresolvedReason.values
    assert list(PURPOSES) == Evidence.Purpose.values

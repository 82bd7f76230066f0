from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.facts import NAMES, Fact, fact_lines, facts, main_text, with_facts
from traces.formats.native import parts as native_parts
from traces.formats.native import v2
from traces.transcript import Part, PartKind

DECISION = v2.DecisionPart(
    text="Take their side.",
    chosen="merge-queue@2 rule 3",
    rejected=[v2.Rejected(option="by hand", reason="slow"), v2.Rejected(option="wait")],
    decided_by="planner@4",
)
DECIDED = (
    "Take their side.\n\n"
    "chosen: merge-queue@2 rule 3\n"
    "rejected: by hand (slow)\n"
    "rejected: wait\n"
    "decided by: planner@4"
)


@pytest.mark.parametrize("text", ["", "Take their side.", DECIDED + " ", "x" + DECIDED])
def test_a_text_that_does_not_end_in_its_facts_is_whole(text: str) -> None:
    part = Part(PartKind.DECISION, text, {"chosen": "v1"})
    assert main_text(part) == text
    assert facts(part) == [Fact("chosen", "v1", None)]


@pytest.mark.parametrize("given", ["v2", {"option": "v2"}, None, 7, ["v3", None]])
def test_rejected_options_of_another_shape_are_no_facts(given: Any) -> None:
    assert fact_lines({"rejected": given}) == []


def test_empty_values_and_unknown_names_are_no_facts() -> None:
    data = {"chosen": "", "accepted": None, "to": [], "secret": "no", "observed": 0}
    assert fact_lines(data) == [("observed", "0")]


def test_a_native_part_can_be_cited_to_its_facts() -> None:
    part = native_parts.part(DECISION)
    assert part.text == DECIDED
    assert main_text(part) == "Take their side."
    found = facts(part)
    assert [(fact.label, fact.value) for fact in found] == [
        ("chosen", "merge-queue@2 rule 3"),
        ("rejected", "by hand (slow)"),
        ("rejected", "wait"),
        ("decided by", "planner@4"),
    ]
    places = [DECIDED.index(fact.value, 18) for fact in found]
    assert [fact.start for fact in found] == places


def test_an_artifact_is_named_with_its_version_and_digest() -> None:
    made = v2.Artifact(name="quote.pdf", version="2", digest="sha256:0a")
    part = native_parts.part(
        v2.ToolResponsePart(status="ok", artifacts=[made, v2.Artifact(name="log")])
    )
    assert part.text == "artifact: quote.pdf 2 sha256:0a\nartifact: log"
    assert main_text(part) == ""
    assert [fact.start for fact in facts(part)] == [10, 42]


def test_what_a_speaker_claims_and_how_a_race_ended_can_be_cited() -> None:
    claim = v2.Claim(artifact="plan", version="plan@2")
    said = native_parts.part(
        v2.MessagePart(text="Fixed.", claims=[claim, v2.Claim(artifact="README")])
    )
    assert said.text == "Fixed.\n\nclaims: plan plan@2\nclaims: README"
    raced = native_parts.part(
        v2.StatePart(artifact="plan", change="v1", resolution="rejected", against=["s3", "s4"])
    )
    assert raced.text == ("v1\n\nartifact: plan\nresolution: rejected\nagainst: s3\nagainst: s4")
    for part in (said, raced):
        assert all(fact.start is not None for fact in facts(part))


@pytest.mark.parametrize("given", ["v2", {"artifact": "v2"}, None, 7, ["v3", None], [["s1"]]])
def test_claims_and_races_of_another_shape_are_no_crash(given: Any) -> None:
    assert fact_lines({"claims": given}) == []
    assert fact_lines({"against": given}) in ([], [("against", "v3")])


def test_a_part_without_facts_is_only_text() -> None:
    part = native_parts.part(v2.InputPart(text="Do it.\n\nto: me"))
    assert (main_text(part), facts(part)) == ("Do it.\n\nto: me", [])


@given(st.text(), st.dictionaries(st.sampled_from(NAMES), st.text()))
def test_what_is_put_together_comes_apart(text: str, data: dict[str, str]) -> None:
    part = Part(PartKind.STATE, with_facts(text, fact_lines(data)), data)
    assert main_text(part) == text
    for fact in facts(part):
        assert fact.start is not None
        assert part.text[fact.start : fact.start + len(fact.value)] == fact.value

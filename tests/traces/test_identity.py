"""A fact about a run that is missing says why, by whichever name the record calls it."""

from __future__ import annotations

import pytest

from traces.identity import facts_of
from traces.models import Run


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("task", "Task"),
        ("task/id", "Task"),
        ("task_id", "Task"),
        ("attempt", "Attempt"),
        ("attempt", "Reason for the attempt"),
        ("closed_at", "Record closed"),
        ("system", "System"),
    ],
)
def test_a_missing_fact_says_why(name: str, label: str) -> None:
    facts = {fact.label: fact for fact in facts_of(Run(capture={name: "not_in_schema"}))}
    assert (facts[label].missing, facts[label].state) == (True, "not_in_schema")
    assert facts["Started"].state == ""

"""A policy that says nothing sensible is refused with a sentence."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from traces.redaction import BadPolicy, policy_of
from traces.redaction.detectors import DETECTORS

RULE = {"name": "mail", "action": "redact", "detector": "emails"}


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        ({}, "A policy is a list of rules."),
        ([RULE] * 101, "at most 100 rules"),
        (["x"], "Rule 1 is not an object."),
        ([{**RULE, "name": ""}], "Rule 1 needs a name"),
        ([{**RULE, "name": "a\0b"}], "Rule 1 needs a name"),
        ([{**RULE, "colour": 1}], "Rule 'mail' has 'colour', which no rule has."),
        ([RULE, RULE], "Two rules are called 'mail'."),
        ([{**RULE, "action": "hide"}], "The action of rule 'mail' is one of restrict, encrypt"),
        ([{**RULE, "action": None}], "The action of rule 'mail' is one of"),
        ([{**RULE, "detector": "iris"}], "The detector of rule 'mail' is one of api_keys, jwt"),
        ([{**RULE, "detector": ["emails"]}], "The detector of rule 'mail' is one of"),
        ([{"name": "x", "action": "redact"}], "needs a detector, or fields, or both"),
        ([{**RULE, "fields": "a/b"}], "are not a list of selectors"),
        ([{**RULE, "fields": [1]}], "are not a list of selectors"),
        ([{**RULE, "fields": ["a//b"]}], "has an empty name in it"),
        ([{**RULE, "fields": [""]}], "has an empty name in it"),
        ([{**RULE, "fields": ["a/x*"]}], "* stands for a whole name or not at all"),
        ([{**RULE, "fields": ["a" * 401]}], "longer than 400 characters"),
        ([{**RULE, "fields": ["**/" * 6 + "a"]}], "'mail' has ** more than 5 times"),
        (
            [{**RULE, "name": str(n), "fields": ["a"] * 100} for n in range(4)],
            "at most 300 selectors; the rules of this one have 400 together",
        ),
        ([{**RULE, "fields": ["a\0"]}], "holds what cannot be printed"),
        ([{**RULE, "type": "e-mail"}], "is one word of capital letters"),
        ([{**RULE, "type": "A" * 30}], "is one word of capital letters"),
        ([{**RULE, "role": "viewer"}], "only the action restrict asks for"),
        ([{**RULE, "action": "restrict", "role": "boss"}], "is one of viewer, reviewer, lead"),
    ],
)
def test_a_bad_policy_is_refused_with_a_sentence(rules: Any, sentence: str) -> None:
    with pytest.raises(BadPolicy) as caught:
        policy_of(rules)
    assert sentence in str(caught.value)


def test_a_policy_without_rules_withholds_nothing() -> None:
    assert not policy_of([])


def test_a_rule_says_what_it_leaves_out() -> None:
    policy = policy_of(
        [
            RULE,
            {"name": "f", "action": "restrict", "fields": ["a/*"], "role": "viewer"},
            {"name": "g", "action": "encrypt", "fields": ["b"], "type": "PLACE_2"},
        ],
        version=4,
    )
    assert policy.version == 4
    assert [(rule.type, rule.role) for rule in policy.rules] == [
        ("EMAIL", "lead"),
        ("VALUE", "viewer"),
        ("PLACE_2", "lead"),
    ]


def test_the_example_and_the_detectors_of_the_guide_are_true() -> None:
    guide = (Path(__file__).parents[3] / "docs" / "redaction.md").read_text()
    assert policy_of(json.loads(guide.split("```json")[1].split("```")[0]))
    told = dict(re.findall(r"^\| `(\w+)` \| `([A-Z_]+)` \|", guide, re.MULTILINE))
    assert told == {detector.name: detector.type for detector in DETECTORS.values()}

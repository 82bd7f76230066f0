"""A policy: the rules of what is withheld, in order, checked before anything relies on them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from traces.redaction.detectors import DETECTORS, Detector
from traces.redaction.selectors import BadSelector, Selectors, State, segments_of

ACTIONS = ("restrict", "encrypt", "redact")
ROLES = ("viewer", "reviewer", "lead")
KNOWN = {"name", "action", "type", "detector", "fields", "role"}
TYPE = re.compile(r"[A-Z][A-Z0-9_]{0,28}")
MOST_RULES, MOST_FIELDS, LONGEST_NAME, LONGEST_FIELD = 100, 100, 80, 400
# All selectors are followed at once to every name, and each ** in one adds a place to look from.
MOST_SELECTORS, MOST_ANY = 300, 5


class BadPolicy(ValueError):
    """The message is the sentence that tells a lead what to change."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. With a detector it takes what that finds; without one, whole fields."""

    name: str
    action: str
    type: str
    detector: Detector | None = None
    fields: tuple[str, ...] = ()
    role: str = "lead"


@dataclass(frozen=True)
class Policy:
    """The rules of one version. A policy without rules withholds nothing."""

    rules: tuple[Rule, ...] = ()
    version: int = 0
    types: frozenset[str] = field(default=frozenset())

    @cached_property
    def selectors(self) -> Selectors:
        """Those of all rules, each owned by the rule's place in the policy."""
        return Selectors(
            [(number, path) for number, rule in enumerate(self.rules) for path in rule.fields]
        )

    @cached_property
    def wholes(self) -> dict[State, Rule | None]:
        return {}

    @cached_property
    def looks_into_fields(self) -> bool:
        """Whether a detector looks into some fields only."""
        return any(rule.detector and rule.fields for rule in self.rules)

    def __bool__(self) -> bool:
        return bool(self.rules)

    def taking(self, state: State) -> list[Rule]:
        """The rules with a selector that takes what stands here, in order."""
        return [self.rules[number] for number in sorted(self.selectors.owners(state))]

    def whole(self, state: State) -> Rule | None:
        """The first rule that takes the whole field."""
        if state not in self.wholes:
            taking = (rule for rule in self.taking(state) if not rule.detector)
            self.wholes[state] = next(taking, None)
        return self.wholes[state]

    def everywhere(self) -> list[Rule]:
        """The detecting rules that look at all text, wherever it stands."""
        return [rule for rule in self.rules if rule.detector and not rule.fields]


def policy_of(rules: Any, version: int = 0) -> Policy:
    """The policy that these JSON values say. Raises BadPolicy, with a sentence, if they do not."""
    if not isinstance(rules, list):
        raise BadPolicy("A policy is a list of rules.")
    if len(rules) > MOST_RULES:
        raise BadPolicy(f"A policy has at most {MOST_RULES} rules; this one has {len(rules)}.")
    read = tuple(rule_of(each, number) for number, each in enumerate(rules, start=1))
    selectors = sum(len(rule.fields) for rule in read)
    if selectors > MOST_SELECTORS:
        raise BadPolicy(
            f"A policy has at most {MOST_SELECTORS} selectors; the rules of this one have"
            f" {selectors} together."
        )
    names = [rule.name for rule in read]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise BadPolicy(f"Two rules are called {twice!r}.")
    return Policy(read, version, frozenset(rule.type for rule in read))


def rule_of(given: Any, number: int) -> Rule:
    if not isinstance(given, dict):
        raise BadPolicy(f"Rule {number} is not an object.")
    name = given.get("name")
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
        raise BadPolicy(f"Rule {number} needs a name of up to {LONGEST_NAME} characters.")
    unknown = sorted(str(key) for key in given.keys() - KNOWN)
    if unknown:
        raise BadPolicy(f"Rule {name!r} has {unknown[0]!r}, which no rule has.")
    detector = detector_of(given, name)
    fields = fields_of(given, name)
    if detector is None and not fields:
        raise BadPolicy(f"Rule {name!r} needs a detector, or fields, or both.")
    return Rule(
        name=name,
        action=one_of(ACTIONS, given.get("action"), f"The action of rule {name!r}"),
        type=type_of(given, name, detector),
        detector=detector,
        fields=fields,
        role=role_of(given, name),
    )


def detector_of(given: dict[str, Any], name: str) -> Detector | None:
    wanted = given.get("detector")
    if wanted in (None, ""):
        return None
    return DETECTORS[one_of(tuple(DETECTORS), wanted, f"The detector of rule {name!r}")]


def fields_of(given: dict[str, Any], name: str) -> tuple[str, ...]:
    fields = given.get("fields") or []
    if not isinstance(fields, list) or not all(isinstance(each, str) for each in fields):
        raise BadPolicy(f"The fields of rule {name!r} are not a list of selectors.")
    if len(fields) > MOST_FIELDS or any(len(each) > LONGEST_FIELD for each in fields):
        raise BadPolicy(
            f"Rule {name!r} has more than {MOST_FIELDS} selectors, or one that is longer than"
            f" {LONGEST_FIELD} characters."
        )
    for each in fields:
        if not each.isprintable():
            raise BadPolicy(f"A selector of rule {name!r} holds what cannot be printed.")
        try:
            names = segments_of(each)
        except BadSelector as error:
            raise BadPolicy(f"Rule {name!r}: {error}") from error
        if names.count("**") > MOST_ANY:
            raise BadPolicy(f"A selector of rule {name!r} has ** more than {MOST_ANY} times.")
    return tuple(fields)


def type_of(given: dict[str, Any], name: str, detector: Detector | None) -> str:
    wanted = given.get("type") or (detector.type if detector else "VALUE")
    if not isinstance(wanted, str) or not TYPE.fullmatch(wanted):
        raise BadPolicy(f"The type of rule {name!r} is one word of capital letters, such as EMAIL.")
    return wanted


def role_of(given: dict[str, Any], name: str) -> str:
    wanted = given.get("role") or "lead"
    if given.get("role") and given.get("action") != "restrict":
        raise BadPolicy(f"Rule {name!r} has a role, which only the action restrict asks for.")
    return one_of(ROLES, wanted, f"The role of rule {name!r}")


def one_of(known: Sequence[str], given: Any, what: str) -> str:
    if not isinstance(given, str) or given not in known:
        raise BadPolicy(f"{what} is one of {', '.join(known)}.")
    return given

"""The numbers of placeholders: one for each value of a type in a project, whoever sends it.

Everything here runs under the project's lock, so that a number is given once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Max

from traces.models import Action, Project, Withheld
from traces.redaction import Policy
from traces.redaction.documents import Search, Standing, Text, Value
from traces.redaction.matching import Lookalike, found_in
from traces.sealing import Key

# Rows of one query, and what a receipt tells singly; the rest is counted.
BATCH = 5_000
MOST_ENTRIES, MOST_VALUES = 200, 50
# True, false, and numbers of up to five signs.
SHORT = re.compile(r"true|false|(?=.{1,5}\Z)-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def given_before(project: Project, lookalikes: Collection[Lookalike]) -> set[Lookalike]:
    """Those that are placeholders of the project, and not merely read like some."""
    known: set[Lookalike] = set()
    for some in batches(sorted(lookalikes)):
        rows = Withheld.objects.filter(
            project=project,
            type__in={type_ for type_, _ in some},
            number__in=[number for _, number in some],
        )
        known |= set(rows.values_list("type", "number"))
    return known & set(lookalikes)


def standing(
    *, project: Project, key: Key, values: Iterable[Value], known: set[Lookalike], at: datetime
) -> Standing:
    """A number for each value: the one it has, or the next of its type."""
    hashes = {value: key.keyed_hash(value.text) for value in dict.fromkeys(values)}
    numbers = numbered(project, hashes.values())
    last = Counter(
        dict(
            Withheld.objects.filter(project=project, type__in={value.type for value in hashes})
            .values_list("type")
            .annotate(Max("number"))
        )
    )
    fresh = []
    for value, keyed_hash in hashes.items():
        place = (value.type, value.action, keyed_hash)
        if place not in numbers:
            last[value.type] += 1
            numbers[place] = last[value.type]
            fresh.append(row(project, key, value, keyed_hash, last[value.type], at))
    Withheld.objects.bulk_create(fresh, batch_size=BATCH)
    return Standing(
        {value: numbers[value.type, value.action, hash_] for value, hash_ in hashes.items()}, known
    )


def numbered(project: Project, hashes: Iterable[str]) -> dict[tuple[str, str, str], int]:
    """The numbers of values that were withheld before, by type, action and hash."""
    found: dict[tuple[str, str, str], int] = {}
    for some in batches(list(hashes)):
        rows = Withheld.objects.filter(project=project, keyed_hash__in=some)
        for type_, action, hash_, number in rows.values_list(
            "type", "action", "keyed_hash", "number"
        ):
            found[type_, action, hash_] = number
    return found


def row(
    project: Project, key: Key, value: Value, keyed_hash: str, number: int, at: datetime
) -> Withheld:
    return Withheld(
        project=project,
        type=value.type,
        number=number,
        keyed_hash=keyed_hash,
        length=told_length(value.text),
        action=value.action,
        role=value.role,
        sealed=None if value.action == Action.REDACT else key.sealed(value.text),
        made_at=at,
    )


def told_length(value: str) -> int:
    """The length, or 0 for a value of so few that its length would say which it is."""
    return 0 if SHORT.fullmatch(value) else len(value)


def batches(given: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(given), BATCH):
        yield given[start : start + BATCH]


def entries(search: Search, policy: Policy, key: Key, standing: Standing) -> list[dict[str, Any]]:
    """What a document's receipt says: for each rule and field how many values, and the first."""
    made: dict[tuple[str, str, str, str], dict[str, Any]] = {}
    fields: dict[str, str] = {}
    for (rule, value, field), count in search.counted(standing).items():
        shown = fields.setdefault(field, shown_field(field, policy))
        place = (rule, value.type, value.action, shown)
        if place not in made and len(made) >= MOST_ENTRIES:
            place = (rule, value.type, value.action, "(other fields)")
        entry = made.setdefault(place, new_entry(*place))
        entry["count"] += count
        if len(entry["values"]) < MOST_VALUES:
            number = standing.numbers[value]
            entry["values"].append(
                {
                    "placeholder": f"[{value.type}-{number}]",
                    "length": told_length(value.text),
                    "keyed_hash": key.keyed_hash(value.text),
                    "count": count,
                }
            )
    return list(made.values())


def counts(
    search: Search, policy: Policy, known: Collection[Lookalike]
) -> Iterator[dict[str, Any]]:
    """The same for a policy that is only tried: nothing has a number."""
    made: Counter[tuple[str, str, str, str]] = Counter()
    fields: dict[str, str] = {}
    for (rule, value, field), count in search.counted(Standing(known=known)).items():
        shown = fields.setdefault(field, shown_field(field, policy))
        made[rule, value.type, value.action, shown] += count
    for place, count in made.items():
        entry = new_entry(*place)
        del entry["values"]
        yield {**entry, "count": count}


def new_entry(rule: str, type_: str, action: str, field: str) -> dict[str, Any]:
    return {
        "rule": rule,
        "type": type_,
        "action": action,
        "field": field,
        "count": 0,
        "values": [],
    }


def shown_field(field: str, policy: Policy) -> str:
    """The path, with a * for whatever in it is itself withheld."""
    rules = [rule for rule in policy.rules if rule.detector]
    text = Text(field, [each for each in found_in(field, policy, rules) if each.rule])
    return text.replaced("*")

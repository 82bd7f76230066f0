"""The project's policy on spans: searched as a document is, before anything of them is stored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from django.conf import settings

from traces import audit, placeholders, redaction, sealing, storing, withholding, writing
from traces.formats.base import Limits, Unreadable
from traces.formats.files.cleaning import Cleaner
from traces.models import Project, Receipt, RedactionPolicy
from traces.otlp import joining
from traces.otlp.batches import Batch
from traces.redaction import Policy, Search

# JSON is larger than the protobuf that it was made from.
GROWTH = 8


class Unsearched(Exception):
    """What the policy withholds cannot be taken out. The message is the sentence people read."""


class Searched(NamedTuple):
    """A policy in force, and what it takes in a batch; None if there is no policy."""

    row: RedactionPolicy | None
    policy: Policy
    search: Search | None
    groups: list[joining.Group]


@dataclass(frozen=True, slots=True)
class Screened:
    """A batch without what is withheld, and what there is to say about it."""

    batch: Batch
    row: RedactionPolicy | None = None
    entries: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        return sum(entry["count"] for entry in self.entries)


def searches(project: Project, batch: Batch) -> Iterator[Searched]:
    """The batch searched by the policy in force: again for each try, as it may be changed."""
    for _ in range(withholding.MOST_TRIES):
        row = withholding.policy_in_force(project)
        policy = withholding.rules_of(row, project)
        if not policy:
            yield Searched(row, policy, None, [])
            continue
        groups = groups_of(batch)
        limits = Limits(size=GROWTH * settings.MAX_BATCH_BYTES)
        try:
            search = redaction.search(joining.joined(groups), policy, limits)
        except Unreadable as error:
            raise Unsearched(str(error)) from error
        yield Searched(row, policy, search, groups)


def groups_of(batch: Batch) -> list[joining.Group]:
    items: list[list[bytes]] = [[] for _ in batch.origins]
    for item in batch.items:
        items[item.origin].append(item.content)
    origins = zip(batch.origins, items, strict=True)
    return [joining.Group(batch.signal, origin, contents) for origin, contents in origins]


def screened(
    searched: Searched, project: Project, batch: Batch, *, at: datetime
) -> Screened | None:
    """The batch to store; None if another policy is in force by now.

    To be called inside the transaction that stores it, with the project held.
    """
    row, policy, search, groups = searched
    finds = search is not None and any(search.found())
    if finds:
        # Placeholders are numbered. Nobody else waits for whoever writes the project's runs.
        writing.lock(project)
    if withholding.policy_in_force(project) != row:
        return None
    if row is None or search is None or not finds:
        return Screened(batch, row)
    try:
        key = sealing.key_of(project, at=at)
    except sealing.KeyLost as error:
        raise Unsearched(str(error)) from error
    standing = storing.stand_in(search, project, key, at=at)
    entries = placeholders.entries(search, policy, key, standing)
    if not entries:
        return Screened(batch, row)
    written = joining.parted(search.written(standing), groups)
    cleaned = [{**entry, "field": Cleaner().text(entry["field"])} for entry in entries]
    return told(Screened(rebuilt(batch, written), row, cleaned))


def told(screened: Screened) -> Screened:
    assert screened.row  # noqa: S101 - only a policy withholds
    version = screened.row.version
    note = f"Withheld by version {version} of the policy: {screened.count} values."
    return replace(screened, notes=[note])


def rebuilt(batch: Batch, groups: list[joining.Group]) -> Batch:
    """The same batch with these contents. Origins that have become equal are one."""
    origins: dict[bytes, int] = {}
    numbers = [origins.setdefault(group.origin, len(origins)) for group in groups]
    contents = [iter(group.items) for group in groups]
    items = [
        item._replace(
            origin=numbers[item.origin],
            content=(content := next(contents[item.origin])),
            # Where the id itself is withheld, its bytes are no more than its digits.
            span_id=item.span_id if item.span_id.hex().encode() in content else b"",
        )
        for item in batch.items
    ]
    return replace(batch, origins=origins, items=items)


def leave_entry(receipt: Receipt, screened: Screened, at: datetime) -> None:
    if screened.row is None or not screened.entries:
        return
    audit.record(
        action="spans.redacted",
        subject=f"receipt:{receipt.pk}",
        at=at,
        project=receipt.project,
        data={"policy": screened.row.version, "count": screened.count},
    )

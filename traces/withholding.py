"""The project's policy at the door: what is withheld never reaches the record.

Every document passes `at_the_door` before it is stored. Values stay out of the stored bytes, and
so out of everything that is read from them; the receipt says how many, by which rule and where.
The same bytes are the same document, whatever the policy was when they first came: a newer one
is applied to what is stored by making a redacted copy, which is recorded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction

from traces import audit, placeholders, raw, redaction, sealing, writing
from traces.formats.base import Limits, Unreadable
from traces.formats.files.cleaning import Cleaner
from traces.models import Action, Membership, Project, RawDocument, RedactionPolicy, Role, Withheld
from traces.redaction import Policy, Search
from traces.redaction.documents import Text
from traces.sealing import KeyLost
from traces.storing import Original, Stored, kept, stand_in, stored_before, write

# How often a policy may be changed while one document is searched.
MOST_TRIES = 5

__all__ = ["KeyLost", "Stored"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a policy would newly withhold from a document, or why it cannot be searched."""

    document: RawDocument
    entries: tuple[dict[str, Any], ...] = ()
    refused: str = ""

    @property
    def count(self) -> int:
        return sum(entry["count"] for entry in self.entries)


def policy_in_force(project: Project) -> RedactionPolicy | None:
    """The newest version. None: nothing was ever said, and nothing is withheld."""
    return RedactionPolicy.objects.filter(project=project).order_by("-version").first()


def rules_of(row: RedactionPolicy | None, project: Project) -> Policy:
    """The rules of a version, which also know the placeholders of earlier ones."""
    if row is None:
        return Policy()
    return with_types(redaction.policy_of(row.rules, row.version), project)


def with_types(policy: Policy, project: Project) -> Policy:
    used = Withheld.objects.filter(project=project).values_list("type", flat=True).distinct()
    return replace(policy, types=policy.types | frozenset(used))


@transaction.atomic
def set_policy(
    *, project: Project, rules: list[dict[str, Any]], note: str, by: User | None, at: datetime
) -> RedactionPolicy:
    """Put a new version in force. Raises BadPolicy with a sentence if the rules are none."""
    redaction.policy_of(rules)
    # Stronger than the lock of the project's writers: it waits for documents on their way in.
    Project.objects.select_for_update().get(pk=project.pk)
    before = policy_in_force(project)
    version = before.version + 1 if before else 1
    row = RedactionPolicy.objects.create(
        project=project,
        version=version,
        rules=rules,
        note=Cleaner().text(note),
        made_by=by,
        made_at=at,
    )
    audit.record(
        action="redaction.policy_set",
        subject=f"project:{project.pk}",
        at=at,
        project=project,
        actor=by,
        data={"version": version, "rules": rules, "note": row.note},
    )
    return row


def limits() -> Limits:
    return Limits(size=settings.MAX_DOCUMENT_BYTES, steps=settings.MAX_STEPS)


def at_the_door(*, project: Project, content: bytes, at: datetime) -> Stored:
    """Store these bytes without what the policy in force withholds.

    Raises Unopened or TooLarge where bytes cannot be searched, and KeyLost where their values
    could not be kept: then nothing is stored.
    """
    original = Original(hashlib.sha256(content).hexdigest(), len(content))
    known = stored_before(project, original.sha256)
    if known:
        return Stored(known, known=True)
    for _ in range(MOST_TRIES):
        stored = tried(project=project, content=content, original=original, at=at)
        if stored:
            return stored
    raise Unreadable("The project's policy is being changed. Send the file again.")


def tried(*, project: Project, content: bytes, original: Original, at: datetime) -> Stored | None:
    """Search, then store under the project's lock; None if the policy was changed meanwhile."""
    row = policy_in_force(project)
    policy = rules_of(row, project)
    search = redaction.search(content, policy, limits()) if policy else None
    with transaction.atomic(), audit.together():
        if row is None or search is None:
            stored = kept(RawDocument(project=project, content=content, received_at=at, policy=row))
            # The new row holds its project: a policy waits for it, one that was quicker is seen.
            if policy_in_force(project) == row:
                return stored
            transaction.set_rollback(True)
            return None
        writing.lock(project)
        if policy_in_force(project) != row:
            return None
        return write(search, policy, row, content=content, original=original, at=at)


def name_at_the_door(*, project: Project, name: str, at: datetime) -> str:
    """A file's name, or a sentence that may quote one, without what the policy withholds."""
    policy = rules_of(policy_in_force(project), project)
    text = redaction.search_text(name, policy)
    if not text.found:
        return name
    search = Search((redaction.Member(Text(""), text),), is_bundle=False)
    try:
        with transaction.atomic():
            writing.lock(project)
            key = sealing.key_of(project, at=at)
            return text.written(stand_in(search, project, key, at=at))
    except KeyLost:
        return text.replaced("*")


def dry_run(*, project: Project, rules: Any, documents: Iterable[RawDocument]) -> Iterator[Finding]:
    """What these rules would newly withhold from each document. Nothing is written."""
    policy = with_types(redaction.policy_of(rules), project)
    for document in documents:
        try:
            search = redaction.search(raw.content(document.pk), policy, limits())
        except Unreadable as error:
            yield Finding(document, refused=str(error))
            continue
        known = placeholders.given_before(project, search.lookalikes())
        yield Finding(document, tuple(placeholders.counts(search, policy, known)))


def redacted_copy(*, document: RawDocument, row: RedactionPolicy, at: datetime) -> RawDocument:
    """The document as this policy would have it stored: another one, or the same if it agrees."""
    policy = rules_of(row, row.project)
    if not policy:
        return document
    content = raw.content(document.pk)
    search = redaction.search(content, policy, limits())
    original = Original(
        document.original_sha256 or document.sha256, document.original_size or document.size
    )
    with transaction.atomic(), audit.together():
        writing.lock(row.project)
        return write(search, policy, row, content=content, original=original, at=at).document


def role_for(withheld: Withheld) -> Role:
    """Who may see the value, if it is kept at all."""
    return Role(withheld.role) if withheld.action == Action.RESTRICT else Role.LEAD


@transaction.atomic
def reveal(*, withheld: Withheld, by: Membership, at: datetime) -> str:
    """The value behind a placeholder, for who may see it; that it was seen is recorded."""
    needed = role_for(withheld)
    if withheld.project_id != by.project_id or not by.may(needed):
        raise PermissionDenied(f"This needs the role {needed.label}.")
    if withheld.sealed is None:
        raise PermissionDenied("This value was redacted: it is kept nowhere.")
    value = sealing.existing_key_of(withheld.project).opened(bytes(withheld.sealed))
    audit.record(
        action="withheld.revealed",
        subject=f"withheld:{withheld.pk}",
        at=at,
        project=withheld.project,
        actor=by.user,
        data={"placeholder": withheld.placeholder, "action": withheld.action},
    )
    return value

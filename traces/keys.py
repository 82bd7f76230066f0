"""API keys: made once, kept as a hash, revoked for good."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from traces import audit
from traces.models import ApiKey, Project


def sha256_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def live(text: str) -> ApiKey | None:
    """The key with this text, unless it was revoked or its maker has left."""
    keys = ApiKey.objects.live().of_members().select_related("project", "created_by")
    return keys.filter(sha256=sha256_of(text), created_by__is_active=True).first()


@transaction.atomic
def create(
    *, project: Project, name: str, scopes: Iterable[str], by: User, at: datetime
) -> tuple[ApiKey, str]:
    """Make a key. Its text is returned this once; the database keeps the hash."""
    text = f"inq_{secrets.token_urlsafe(32)}"
    key = ApiKey.objects.create(
        project=project,
        name=name,
        prefix=text[:8],
        sha256=sha256_of(text),
        scopes=list(scopes),
        created_by=by,
        created_at=at,
    )
    _record(key, action="api_key.created", by=by, at=at)
    return key, text


@transaction.atomic
def revoke(*, key: ApiKey, by: User, at: datetime) -> None:
    """End a key. Revoking it again changes nothing."""
    if ApiKey.objects.live().filter(pk=key.pk).update(revoked_at=at):
        _record(key, action="api_key.revoked", by=by, at=at)


def _record(key: ApiKey, *, action: str, by: User, at: datetime) -> None:
    audit.record(
        action=action,
        subject=f"api_key:{key.pk}",
        at=at,
        project=key.project,
        actor=by,
        data={"name": key.name, "scopes": key.scopes},
    )

"""API keys: per project, hashed, with scopes. `Authorization: Bearer inq_…`."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser, User
from django.db import transaction
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from traces import audit
from traces.models import ApiKey, Project


def sha256_of(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def create_key(
    *, project: Project, name: str, scopes: Iterable[str], by: User, at: datetime
) -> tuple[ApiKey, str]:
    """Make a key. The text is returned this once; the database keeps its hash."""
    text = f"inq_{secrets.token_urlsafe(32)}"
    with transaction.atomic():
        key = ApiKey.objects.create(
            project=project,
            name=name,
            prefix=text[:8],
            sha256=sha256_of(text),
            scopes=list(scopes),
            created_by=by,
            created_at=at,
        )
        audit.record(
            action="api_key.created",
            subject=f"api_key:{key.pk}",
            at=at,
            project=project,
            actor=by,
            data={"name": name, "scopes": key.scopes},
        )
    return key, text


class ApiKeyAuthentication(BaseAuthentication):
    """Sets `request.auth` to the key; the user is the one who made it."""

    def authenticate(self, request: Request) -> tuple[AbstractBaseUser, ApiKey] | None:
        words = get_authorization_header(request).decode("latin-1").split()
        if len(words) != 2 or words[0].lower() != "bearer":
            return None
        key = (
            ApiKey.objects.live()
            .select_related("project", "created_by")
            .filter(sha256=sha256_of(words[1]))
            .first()
        )
        if key is None or not key.created_by.is_active:
            raise AuthenticationFailed("This API key is not known, or was revoked.")
        return key.created_by, key

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"

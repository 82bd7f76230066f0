"""API keys: per project, hashed, with scopes. `Authorization: Bearer inq_…`."""

from __future__ import annotations

from django.contrib.auth.models import AbstractBaseUser
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from traces import keys
from traces.models import ApiKey


class ApiKeyAuthentication(BaseAuthentication):
    """Sets `request.auth` to the key; the user is the one who made it."""

    def authenticate(self, request: Request) -> tuple[AbstractBaseUser, ApiKey] | None:
        words = get_authorization_header(request).decode("latin-1").split()
        if len(words) != 2 or words[0].lower() != "bearer":
            return None
        key = keys.live(words[1])
        if key is None:
            raise AuthenticationFailed("This API key is not known, or was revoked.")
        return key.created_by, key

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"

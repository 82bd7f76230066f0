"""Browsers for tests: signed in as somebody, as a person with plain forms or as our script."""

from __future__ import annotations

from django.test import Client

from tests.factories import make_user

SCRIPT = {"X-Inquest": "fragments"}


def signed_in(name: str, *, script: bool = False) -> Client:
    """A client signed in as this person; `script` asks for fragments, as our JavaScript does."""
    client = Client(headers=SCRIPT if script else None)
    client.force_login(make_user(name))
    return client

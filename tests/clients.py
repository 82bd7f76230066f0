"""Browsers for tests: signed in as somebody, as a person with plain forms or as our script."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib.messages import get_messages
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from reviews.models import Case
from tests.factories import make_user

SCRIPT = {"X-Inquest": "fragments"}


def signed_in(name: str, *, script: bool = False, **given: Any) -> Client:
    """A client signed in as this person; `script` asks for fragments, as our JavaScript does."""
    client = Client(headers=SCRIPT if script else None, **given)
    client.force_login(make_user(name))
    return client


def address(view: str, case: Case, *args: object) -> str:
    """Where this view of the case is: `address("mark", case)`."""
    return reverse(f"reviews:{view}", args=[case.project.slug, case.number, *args])


def told(response: HttpResponse) -> list[str]:
    """The messages that the next page will show."""
    return [str(message) for message in get_messages(response.wsgi_request)]  # type: ignore[attr-defined]


def ids_in(text: bytes, names: Iterable[str]) -> set[str]:
    """Which of these element ids stand in the answer."""
    return {name for name in names if f'id="{name}"'.encode() in text}

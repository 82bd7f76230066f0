"""Browsers for tests: signed in as somebody, as a person with plain forms or as our script."""

from __future__ import annotations

from html.parser import HTMLParser
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


class Outline(HTMLParser):
    """The ids of an answer's elements, and of those among them that stand at its top."""

    VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.roots: list[str] = []
        self.depth = 0
        self.feed(content.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = dict(attrs).get("id") or ""
        self.ids += [own] if own else []
        self.roots += [own] if self.depth == 0 else []
        self.depth += tag not in self.VOID

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An empty element of a drawing: nothing in it."""

    def handle_endtag(self, tag: str) -> None:
        self.depth -= tag not in self.VOID


def ids_of(content: bytes) -> set[str]:
    return set(Outline(content).ids)


def roots_of(content: bytes) -> list[str]:
    """The ids of the fragments in an answer to our script, in order."""
    return Outline(content).roots

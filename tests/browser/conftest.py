"""A real Chromium against a real server, worker and database."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.cache import cache
from django.db import connection
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page

from tests import chromium

# Playwright keeps an event loop in this thread; the ORM is used between its calls, not inside.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
ROOT = Path(__file__).parents[2]
# Milliseconds. A page that needs longer is broken, not slow.
PATIENCE = 30_000
# The words that only the server writes.
SAVED = re.compile(r"^saved \d\d:\d\d:\d\d UTC$")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.django_db(transaction=True))


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, object]:
    quiet = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")
    return {"executable_path": chromium.find(), "args": list(quiet)}


@pytest.fixture
def worker(transactional_db: None) -> Iterator[None]:
    """A Celery worker of its own on the test database."""
    keys = connection.settings_dict
    url = f"postgres://{keys['USER']}:{keys['PASSWORD']}@/{keys['NAME']}?host={keys['HOST']}"
    process = subprocess.Popen(
        [sys.executable, "-m", "celery", "-A", "config", "worker", "--pool=solo", "-l", "WARNING"],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": url},
    )
    yield
    process.terminate()
    process.wait(timeout=20)


class Person:
    """Somebody at a browser of their own, who complains about errors in the console."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.context, self.address = context, address
        self.page: Page = context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.complaints: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._listen)

    def _listen(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.complaints.append(f"{message.text} {message.location['url']}")

    def goes_to(self, path: str) -> None:
        self.page.goto(self.address + path)

    def presses(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def focuses(self, selector: str) -> None:
        """What Tab would reach in the end; it must be something the keyboard can reach."""
        target = self.page.locator(selector).first
        target.focus()
        assert target.evaluate("element => element === document.activeElement"), selector

    def follows(self, link: str) -> None:
        self.focuses(f"a:has-text('{link}')")
        self.presses("Enter")
        self.page.wait_for_load_state()

    def sees(self, text: str) -> None:
        self.page.get_by_text(text).first.wait_for()

    def sees_in(self, selector: str, text: str) -> None:
        self.page.locator(selector, has_text=text).first.wait_for()

    def sees_saved(self) -> None:
        self.page.locator("#saved", has_text=SAVED).wait_for()

    def signs_in(self, username: str) -> None:
        self.goes_to("/accounts/login/")
        # The page focuses it by itself, but not before the first keys may come.
        self.focuses("#id_login")
        self.page.keyboard.type(username)
        self.presses("Tab")
        self.page.keyboard.type("a long pass phrase")
        self.presses("Enter")
        self.page.wait_for_url(lambda url: "/accounts/" not in url)


@pytest.fixture
def people(browser: Browser, live_server: object) -> Iterator[object]:
    """Calling it opens another browser; at the end nobody may have seen an error."""
    # All tests sign in from one address: more often in a minute than the limit allows.
    cache.clear()
    opened: list[Person] = []

    def arrive(username: str, **options: object) -> Person:
        context = browser.new_context(viewport={"width": 1440, "height": 900}, **options)
        person = Person(context, str(live_server.url))  # type: ignore[attr-defined]
        person.signs_in(username)
        opened.append(person)
        return person

    yield arrive
    for person in opened:
        person.context.close()
    assert [person.complaints for person in opened] == [[] for _ in opened]

"""Who has a trace, and for how long: a worker that is slow, and one that cannot write."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.storage import InMemoryStorage

from tests.traces.otlp.spans import TRACE, request_of
from tests.traces.otlp.test_assembling import OTHER, QUIET, assemble, now, send
from traces.models import OpenTrace, Payload, Project, RawSpan, Receipt, Run
from traces.otlp import assembling, claiming

pytestmark = [pytest.mark.django_db, pytest.mark.database]
LARGE = "a text above the limit of a part " * 3_000
TURN = claiming.LEASE + timedelta(seconds=10)


class Down(InMemoryStorage):
    """A storage that does not answer until it is up."""

    up = False

    def exists(self, name: str) -> bool:
        if not Down.up:
            raise ConnectionError("The storage does not answer.")
        return super().exists(name)


@pytest.fixture
def _storage(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Down, "up", False)
    payloads = {"payloads": {"BACKEND": f"{__name__}.Down"}}
    settings.STORAGES = {**settings.STORAGES, **payloads}


@pytest.mark.usefixtures("_storage")
def test_a_storage_that_is_down_for_long_gives_no_trace_up(project: Project) -> None:
    for trace in (TRACE, OTHER):
        send(project, request_of("invoke_agent", "chat", trace_id=trace, text=LARGE))
    for turn in range(2 * claiming.MOST_TRIES):
        assemble(QUIET + turn * TURN)
        assert (Run.objects.count(), RawSpan.objects.count()) == (0, 4)
    Down.up = True
    assert assemble(QUIET + 20 * TURN) == 2
    assert (Run.objects.count(), RawSpan.objects.count()) == (2, 0)
    assert {receipt.status for receipt in Receipt.objects.all()} == {"read"}
    assert Payload.objects.exists()


@pytest.mark.usefixtures("_storage")
def test_what_cannot_be_written_is_left_alone_for_a_while(project: Project) -> None:
    send(project, request_of("invoke_agent", text=LARGE))
    at = now() + QUIET
    assert assembling.assemble(at=at) == 1
    assert OpenTrace.objects.get().tries == 1
    assert assembling.assemble(at=at + timedelta(seconds=60)) == 0


def test_a_trace_that_is_taken_late_is_held_from_then_on(project: Project) -> None:
    """A worker is at what was due for minutes: its last traces are as much its own as its first."""
    send(project, request_of("root"))
    due = now() + QUIET
    later = due + claiming.LEASE + timedelta(seconds=20)
    assert len(claiming.claim(project, due, since=later)) == 1
    assert claiming.claim(project, later + timedelta(seconds=60)) == []
    assert len(claiming.claim(project, later + TURN)) == 1

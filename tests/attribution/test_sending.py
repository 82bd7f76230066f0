from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest

from attribution import sending
from config.celery import app


@pytest.fixture(autouse=True)
def _fresh_broker(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sending, "_broker", sending._Broker())
    yield
    app.pool.force_close_all()


def use_broker(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    app.pool.force_close_all()
    monkeypatch.setattr(app.conf, "broker_url", url)
    monkeypatch.setattr(app.conf, "broker_write_url", url)
    monkeypatch.setattr(app.amqp, "_producer_pool", None)
    monkeypatch.setattr(app, "_pool", None)


def seconds_to_send() -> float:
    begun = time.monotonic()
    sending.send([1, 2, 3])
    return time.monotonic() - begun


@pytest.mark.parametrize("url", ["redis://127.0.0.1:{}/0", "amqp://guest:guest@127.0.0.1:{}//"])
def test_a_broker_that_refuses_costs_nothing_and_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, url: str
):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    use_broker(monkeypatch, url.format(port))

    assert seconds_to_send() < 1
    assert "the sweeper sends again" in caplog.text


@pytest.mark.parametrize("url", ["redis://127.0.0.1:{}/0", "amqp://guest:guest@127.0.0.1:{}//"])
def test_a_broker_that_does_not_answer_costs_two_seconds_once(
    monkeypatch: pytest.MonkeyPatch, url: str
):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        use_broker(monkeypatch, url.format(silent.getsockname()[1]))

        assert seconds_to_send() < 4
        assert seconds_to_send() < 0.1


def test_a_broker_is_asked_again_after_a_while(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    use_broker(monkeypatch, f"redis://127.0.0.1:{port}/0")
    monkeypatch.setattr(sending, "LEFT_ALONE", 0.0)

    seconds_to_send()
    seconds_to_send()

    assert caplog.text.count("the sweeper sends again") == 2


def test_the_task_that_messages_name_exists():
    app.loader.import_default_modules()

    assert sending.ANALYSE in app.tasks
    assert {entry["task"] for entry in app.conf.beat_schedule.values()} <= set(app.tasks)

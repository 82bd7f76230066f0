"""The web server of production for a measurement, on loopback and the measurement's database."""

from __future__ import annotations

import http.client
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from traces.bench.otlp_kill import database_url, free_port, started

# Seconds.
PATIENCE = 60
# As `manage.py up` starts it: see `config.embedded.application`.
GUNICORN = ("-m", "gunicorn", "config.wsgi", "--worker-class=gthread", "--workers=2", "--threads=4")


class NotServed(Exception):
    """The web server did not start: nothing was measured."""


@contextmanager
def served() -> Iterator[str]:
    """The address of the server, which is killed at the end. Messages to workers stay in it."""
    port = free_port()
    environment = {
        **os.environ,
        "DATABASE_URL": database_url(),
        "INQUEST_SECRET_KEY": settings.SECRET_KEY,
        "CELERY_BROKER_URL": "memory://localhost/",
    }
    process = started([*GUNICORN, f"--bind=127.0.0.1:{port}", "--no-control-socket"], environment)
    try:
        wait_for(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_for(port: int) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            client.request("GET", settings.STATIC_URL + "css/inquest.css")
            if client.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.1)
        finally:
            client.close()
    raise NotServed("The web server did not start.")

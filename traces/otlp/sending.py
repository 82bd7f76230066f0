"""Messages that say that traces may be due. They may be lost: beat sends the same every seconds."""

from __future__ import annotations

import logging
import time
from typing import Any

from celery import current_app
from django.conf import settings

logger = logging.getLogger(__name__)

ASSEMBLE = "traces.tasks.assemble"
# Seconds that a broker has to take the connection, and for which one that did not is left alone.
PATIENCE, LEFT_ALONE = 2, 30.0


class _Messages:
    """One message for all that comes within a quiet period: each finds whatever is due."""

    def __init__(self) -> None:
        self.next_at = 0.0

    def soon(self) -> None:
        now = time.monotonic()
        if now < self.next_at:
            return
        self.next_at = now + settings.TRACE_QUIET_SECONDS
        try:
            _publish(countdown=settings.TRACE_QUIET_SECONDS + 1)
        except Exception as error:
            self.next_at = now + LEFT_ALONE
            logger.warning("The broker did not take a message; beat sends it: %s", error)


def _publish(*, countdown: int) -> None:
    # The stubs take it for a pool of producers.
    pool: Any = current_app.pool
    with pool.acquire(block=True, timeout=PATIENCE) as connection:
        connection.connect_timeout = PATIENCE
        options = connection.transport_options or {}
        connection.transport_options = {**options, "socket_timeout": PATIENCE}
        connection.ensure_connection(max_retries=1, interval_start=0, timeout=PATIENCE)
        producer = current_app.amqp.Producer(connection, auto_declare=False)
        current_app.send_task(
            ASSEMBLE, countdown=countdown, producer=producer, retry=False, ignore_result=True
        )


_messages = _Messages()


def soon() -> None:
    """Have somebody look for due traces once a quiet period has passed. Never raises."""
    _messages.soon()


def forget() -> None:
    """Send with the next batch, whatever was sent before."""
    _messages.next_at = 0.0

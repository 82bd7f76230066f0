"""Messages to the workers. A broker that is down costs nobody more than one try.

The row in Postgres is the job; a message only says that there is one, and may be lost, come
twice or come late.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from typing import Any

from celery import current_app

logger = logging.getLogger(__name__)

ANALYSE = "attribution.tasks.analyse"
# Seconds that a broker has to take the connection; somebody waits for their upload to end.
PATIENCE = 2
# Seconds for which a broker that did not answer is left alone; the sweeper sends later.
LEFT_ALONE = 30.0


class _Broker:
    """What this process knows of the broker."""

    def __init__(self) -> None:
        self.quiet_until = 0.0

    def send(self, analysis_ids: Iterable[int]) -> None:
        if time.monotonic() < self.quiet_until:
            return
        try:
            _publish(analysis_ids)
        except Exception as error:
            self.quiet_until = time.monotonic() + LEFT_ALONE
            logger.warning("The broker did not take analyses; the sweeper sends again: %s", error)


def _publish(analysis_ids: Iterable[int]) -> None:
    # The stubs take it for a pool of producers.
    pool: Any = current_app.pool
    with pool.acquire(block=True, timeout=PATIENCE) as connection:
        connection.connect_timeout = PATIENCE
        options = connection.transport_options or {}
        connection.transport_options = {**options, "socket_timeout": PATIENCE}
        # Without this, the first use of a dead connection tries again for six seconds.
        connection.ensure_connection(max_retries=1, interval_start=0, timeout=PATIENCE)
        # With a connection instead, each message would open a channel of its own.
        producer = current_app.amqp.Producer(connection, auto_declare=False)
        for analysis_id in analysis_ids:
            current_app.send_task(
                ANALYSE,
                kwargs={"analysis_id": analysis_id},
                producer=producer,
                retry=False,
                ignore_result=True,
            )


_broker = _Broker()


def send(analysis_ids: Iterable[int]) -> None:
    """Tell the workers of these analyses. Never raises; to be called after the commit."""
    _broker.send(analysis_ids)

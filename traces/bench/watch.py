"""Measuring time: on the clock, and of the processor, which a busy machine disturbs less."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

import psutil


class Watch:
    """Adds up what passes inside `with watch:`.

    `wall` is on the clock, `own` is this process's processor time, and `server` that of one more
    process: the database's, if it is on this machine.
    """

    def __init__(self, server: psutil.Process | None = None) -> None:
        self._process = server
        self.wall = self.own = self.server = 0.0
        self._begun = (0.0, 0.0, 0.0)

    @property
    def cpu(self) -> float:
        return self.own + self.server

    def __enter__(self) -> Watch:
        self._begun = self._now()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        wall, own, server = self._now()
        self.wall += wall - self._begun[0]
        self.own += own - self._begun[1]
        self.server += server - self._begun[2]

    def _now(self) -> tuple[float, float, float]:
        server = 0.0
        if self._process is not None:
            times = self._process.cpu_times()
            server = times.user + times.system
        return time.perf_counter(), time.process_time(), server


def milliseconds(work: Callable[[], Any], *, times: int = 3) -> float:
    """Processor time of the quickest of several tries: others on the machine only add to it."""
    taken = []
    for _ in range(times):
        watch = Watch()
        with watch:
            work()
        taken.append(watch.own)
    return 1000 * min(taken)

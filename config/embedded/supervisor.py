"""Starts children, watches them, and stops them all when asked or when one dies."""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Self

from config.embedded import roster
from config.embedded.processes import Child, Program, log_file, log_tail, spawn, stop

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Seconds between two looks at the children.
GLANCE = 0.1
# Seconds within which two signals are one wish.
SAME_WISH = 1.0


class StopAsked(BaseException):
    """Ctrl-C or a signal to end: not a failure, and so nothing that `except Exception` stops."""


class ChildFailed(Exception):
    """A child did not do what it must. The message says which, and how its log ends."""

    def __init__(self, name: str, fault: str) -> None:
        log = f"The end of its log, {log_file(name)}:\n{log_tail(name)}"
        super().__init__(f"{name} {fault}. {log}")


class Supervisor:
    """Inside the `with` block signals are requests, and leaving it stops every child started.

    A signal never breaks off the start of a child, which would then be in no list; it is looked
    at between steps, or at once inside `interruptible`. A second one shortens the waiting.
    """

    def __init__(self) -> None:
        self.children: list[Child] = []
        self._asked_at = 0.0
        self._hurried = False
        self._interruptible = False

    def __enter__(self) -> Self:
        self._handlers = {number: signal.signal(number, self._note) for number in SIGNALS}
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._interruptible = False
        while self.children:
            stop(self.children[-1], hurried=lambda: self._hurried)
            self.children.pop()
            roster.write(self.children)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def start(self, program: Program) -> None:
        self.check()
        self.children.append(spawn(program))
        roster.write(self.children)

    def check(self) -> None:
        """Raise if we were asked to stop, or if a child has ended."""
        if self._asked_at:
            raise StopAsked
        for child in self.children:
            if child.exited():
                raise ChildFailed(child.name, "ended by itself")

    def wait_until(self, ready: Callable[[], bool], *, name: str, seconds: float) -> None:
        """Look again and again until the child of that name is ready."""
        deadline = time.monotonic() + seconds
        while not ready():
            self.check()
            if time.monotonic() > deadline:
                raise ChildFailed(name, f"was not ready after {seconds:.0f} seconds")
            time.sleep(GLANCE)

    def watch(self) -> None:
        """Stay until asked to stop. Raises `ChildFailed` if a child does not stay as long."""
        while True:
            self.check()
            time.sleep(GLANCE)

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """For work in this process: a signal breaks it off at once."""
        self.check()
        self._interruptible = True
        try:
            yield
        finally:
            self._interruptible = False

    def _note(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        self._asked_at = self._asked_at or now
        # `make` passes a signal on that the whole group got anyway: that is not impatience.
        self._hurried = now - self._asked_at > SAME_WISH
        if self._interruptible:
            self._interruptible = False
            raise StopAsked

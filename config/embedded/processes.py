"""Child processes: started in sessions of their own, with a log each, and stopped again.

The terminal's Ctrl-C reaches only their supervisor, which decides in which order they end.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from config.embedded.account import Account
from config.embedded.paths import installation, state_dir

# Set in the environment of all children, and so in that of theirs.
MARK = "INQUEST_CHILD_OF"
# Seconds between two looks at a process that is to end.
GLANCE = 0.05
# Seconds for each signal to work once somebody is impatient.
HURRIED_PATIENCE = 2.0


@dataclass(frozen=True)
class Program:
    """What to run and how to end it: the signals to send in turn, and seconds for each to work."""

    name: str
    command: Sequence[str | Path]
    place: Path
    environment: Mapping[str, str]
    account: Account | None = None
    files: Sequence[int] = ()
    stop: Sequence[int] = (signal.SIGTERM,)
    patience: float = 10.0


@dataclass(frozen=True)
class Child:
    """A running program, of this start or left by an earlier one."""

    name: str
    process: psutil.Process = field(repr=False)
    created: float
    stop: Sequence[int]
    patience: float

    def exited(self) -> bool:
        if isinstance(self.process, psutil.Popen):
            return self.process.poll() is not None
        try:
            return self.process.status() == psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return True


def log_file(name: str) -> Path:
    folder = state_dir() / "logs"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder / f"{name}.log"


def log_tail(name: str, *, lines: int = 15) -> str:
    """The end of what a program wrote since its last start."""
    return "\n".join(log_file(name).read_text(errors="replace").splitlines()[-lines:])


def spawn(program: Program) -> Child:
    """Start it with a fresh log; the log of the start before is kept beside it as `.log.1`."""
    log = log_file(program.name)
    if log.exists():
        log.replace(log.with_suffix(".log.1"))
    with open(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "wb") as output:
        process = psutil.Popen(
            program.command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=program.place,
            env={**program.environment, MARK: installation()},
            pass_fds=program.files,
            start_new_session=True,
            **(program.account.identity() if program.account else {}),
        )
    return Child(program.name, process, process.create_time(), program.stop, program.patience)


def stop(child: Child, *, hurried: Callable[[], bool]) -> None:
    """End it and all it started: its signals in turn, then SIGKILL. `hurried` cuts the waiting."""
    for number in child.stop:
        if not child.exited():
            child.process.send_signal(number)
            _wait(child, hurried=hurried)
    if not child.exited():
        child.process.kill()
        _wait(child, hurried=lambda: False)
    kill_session(child.process.pid)


def kill_session(leader: int) -> None:
    """Kill what is left of a session whose leader has gone, if it carries our mark."""
    for process in psutil.process_iter():
        try:
            if os.getsid(process.pid) == leader and process.environ().get(MARK) == installation():
                process.kill()
        except (ProcessLookupError, psutil.Error):
            continue


def _wait(child: Child, *, hurried: Callable[[], bool]) -> None:
    begun = time.monotonic()
    while not child.exited():
        patience = min(HURRIED_PATIENCE, child.patience) if hurried() else child.patience
        if time.monotonic() - begun > patience:
            return
        time.sleep(GLANCE)

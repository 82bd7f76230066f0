"""One start per state folder at a time."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from config.embedded.paths import StartRefused, state_dir


@contextmanager
def only_one() -> Iterator[TextIO]:
    """Hold the lock of this state folder, or refuse and say who holds it.

    The kernel drops the lock with its holder, so a file left behind by a killed start is no lock.
    """
    if state_dir().stat().st_uid != os.geteuid():
        raise StartRefused(
            f"{state_dir()} belongs to another user: run as that user, or set INQUEST_STATE_DIR."
        )
    with open(state_dir() / "up.lock", "a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise StartRefused(
                f"Inquest already runs from this folder: {_holder(file)}."
            ) from error
        file.truncate(0)
        yield file


def announce(file: TextIO, *, address: str) -> None:
    """Write down who holds the lock, for those who are refused."""
    json.dump({"pid": os.getpid(), "address": address}, file)
    file.flush()


def _holder(file: TextIO) -> str:
    file.seek(0)
    content = file.read()
    if not content:
        return "it is just starting"
    holder = json.loads(content)
    return f"process {holder['pid']}, {holder['address']}"

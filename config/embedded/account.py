"""The system user that runs the database for root, since PostgreSQL refuses to be root."""

import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from typing import TypedDict

from config.embedded.paths import StartRefused, runs_as_root

NAME = "inquest-postgres"
USERADD = ("--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent")


class Identity(TypedDict, total=False):
    """What subprocess needs to start a process as somebody else; empty to stay who we are."""

    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True)
class Account:
    uid: int
    gid: int

    def identity(self) -> Identity:
        if self.uid == os.geteuid():
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}


def server_account() -> Account:
    """Who the database server runs as: whoever asks, or for root a system user made once."""
    if not runs_as_root():
        return Account(os.geteuid(), os.getegid())
    found = _lookup() or _create()
    if found.uid == 0:
        raise StartRefused(f"The system user {NAME} has root's number, and PostgreSQL refuses it.")
    return found


def _lookup() -> Account | None:
    try:
        entry = pwd.getpwnam(NAME)
    except KeyError:
        return None
    return Account(entry.pw_uid, entry.pw_gid)


def _create() -> Account:
    useradd = shutil.which("useradd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if useradd is None:
        raise StartRefused(
            f"As root the database needs a system user {NAME}, and there is no useradd to make it:"
            " make that user yourself, run as an ordinary user, or set DATABASE_URL."
        )
    made = subprocess.run([useradd, *USERADD, NAME], capture_output=True, text=True, check=False)
    # Somebody else may have made it meanwhile, which is as good.
    found = _lookup()
    if found is None:
        raise StartRefused(f"The system user {NAME} could not be made: {made.stderr.strip()}")
    return found

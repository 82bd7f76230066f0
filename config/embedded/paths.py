"""Where an installation keeps its state, its data and its sockets."""

import os
import re
import secrets
import stat
import tempfile
from pathlib import Path

from config.embedded import records

# Root's databases live here: never below a private home, which their server could not enter.
ROOT_DATA = Path("/var/lib/inquest")
# Bytes. A Unix socket's whole path must fit 103 on the strictest system, and the name inside
# the folder takes 14 of them.
LONGEST_SOCKET_FOLDER = 85
# libpq takes a comma in a host for a list of hosts, and Valkey's file has its own quoting.
PLAIN_PATH = re.compile(r"[A-Za-z0-9._/-]+")


class StartRefused(Exception):
    """A start that cannot go on. The message is one sentence for the person at the terminal."""


def runs_as_root() -> bool:
    return os.geteuid() == 0


def checkout() -> Path:
    return Path(__file__).resolve().parents[2]


def state_dir() -> Path:
    """Passwords, logs, locks and (unless root) the database: INQUEST_STATE_DIR or `.inquest/`."""
    folder = Path(os.environ.get("INQUEST_STATE_DIR") or checkout() / ".inquest").absolute()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def data_dir() -> Path:
    """The folder above the database: the state folder, or for root one of its own in /var/lib.

    Root's is named by a random mark that the state folder keeps, so it is found again when the
    checkout moves, and a new clone at an old path does not meet the old clone's database.
    """
    return ROOT_DATA / installation() if runs_as_root() else state_dir()


def installation() -> str:
    """A random name for this state folder: 16 hexadecimal digits."""
    return records.read_or_create(state_dir() / "installation", lambda: secrets.token_hex(8))


def socket_dir() -> Path:
    """The folder of both sockets, beside the data where its path is short and plain enough."""
    beside = data_dir() / "sockets"
    if fits_socket(beside):
        return beside
    recorded = records.read(state_dir() / "socket_dir")
    return Path(recorded) if recorded and is_private(Path(recorded)) else _temporary_socket_dir()


def fits_socket(folder: Path) -> bool:
    plain = PLAIN_PATH.fullmatch(str(folder)) is not None
    return plain and len(os.fsencode(folder)) <= LONGEST_SOCKET_FOLDER


def is_private(folder: Path) -> bool:
    """Whether it is a real folder (no symbolic link) that is ours and nobody else can enter."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    ours = found.st_uid == os.geteuid() and not stat.S_IMODE(found.st_mode) & 0o077
    return stat.S_ISDIR(found.st_mode) and ours


def claim_socket_dir() -> Path:
    """Make the folder for the sockets, and remember it for processes with another environment."""
    folder = socket_dir()
    folder.mkdir(mode=0o700, exist_ok=True)
    if not is_private(folder):
        raise StartRefused(f"The folder for the sockets, {folder}, is open to other users.")
    records.write(state_dir() / "socket_dir", str(folder))
    return folder


def _temporary_socket_dir() -> Path:
    bases = (os.environ.get("XDG_RUNTIME_DIR") or "/run/user", tempfile.gettempdir(), "/tmp")
    # The name cannot be guessed, so nobody can make the folder before us.
    folders = [Path(base) / f"inquest-{installation()}" for base in bases]
    usable = (each for each in folders if fits_socket(each) and os.access(each.parent, os.W_OK))
    return next(usable, folders[-1])

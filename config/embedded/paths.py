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
# Where TMPDIR and XDG_RUNTIME_DIR are of no use; only ever for a private folder of ours in it.
SHORTEST_TEMP = "/tmp"  # noqa: S108
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

    Root's is named by a mark in the state folder, so it is found again when the checkout moves,
    and a new clone at an old path does not meet the old clone's database.
    """
    return ROOT_DATA / installation() if runs_as_root() else state_dir()


def installation() -> str:
    """A random name for this state folder, 16 hexadecimal digits: kept by a move, not by a copy."""
    file, here = state_dir() / "installation", str(state_dir())
    mark, _, home = records.read_or_create(file, lambda: f"{_new_mark()} {here}").partition(" ")
    if home == here:
        return mark
    copied = records.read(Path(home, "installation")).startswith(mark)
    # Two state folders of one name would share sockets, and root's also the database.
    mark = _new_mark() if copied else mark
    records.write(file, f"{mark} {here}")
    return mark


def _new_mark() -> str:
    return secrets.token_hex(8)


def socket_dir() -> Path:
    """The folder of our sockets, beside the data where its path is short and plain enough.

    Raises `StartRefused` if somebody else has made it: a password would be sent to them.
    """
    beside = data_dir() / "sockets"
    if fits_socket(beside):
        return beside
    # Remembered, since another shell may name another folder for temporary files.
    recorded = Path(records.read(state_dir() / "socket_dir"))
    mine = recorded.name == f"inquest-{installation()}" and is_private(recorded)
    folder = recorded if mine else _temporary_socket_dir()
    if os.path.lexists(folder) and not is_private(folder):
        raise StartRefused(f"The folder for the sockets, {folder}, is open to other users.")
    return folder


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


def _temporary_socket_dir() -> Path:
    bases = (os.environ.get("XDG_RUNTIME_DIR") or "/run/user", tempfile.gettempdir(), SHORTEST_TEMP)
    # The name cannot be guessed, so nobody can make the folder before us.
    folders = [Path(base, f"inquest-{installation()}") for base in bases]
    usable = (each for each in folders if fits_socket(each) and os.access(each.parent, os.W_OK))
    return next(usable, folders[-1])

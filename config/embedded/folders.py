"""Making the folders of an installation, and refusing those that somebody else could change."""

import os
import stat
from pathlib import Path

from config.embedded import paths, records
from config.embedded.account import Account


def make_folder(folder: Path, *, mode: int, account: Account | None = None) -> None:
    """Make it if it is not there, with that mode whatever the umask, for that account.

    A folder that is there already is somebody's: neither its mode nor its owner is changed.
    """
    try:
        folder.mkdir(mode=mode)
    except FileExistsError:
        return
    folder.chmod(mode)
    if account is not None and account.identity():
        os.chown(folder, account.uid, account.gid)


def make_root_folder(folder: Path) -> None:
    """Make a folder of root's that everybody may enter, or accept one that only root can change."""
    make_folder(folder, mode=0o755)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != 0 or found.st_mode & 0o022:
        raise paths.StartRefused(f"{folder} must be a folder of root's that only root can change.")


def claim_data_dir() -> Path:
    """Make the folder above the data and the sockets."""
    folder = paths.data_dir()
    if paths.runs_as_root():
        make_root_folder(paths.ROOT_DATA)
        make_root_folder(folder)
    return folder


def claim_socket_dir() -> Path:
    """Make the folder of our sockets and remember it. Refuses one that others can enter."""
    claim_data_dir()
    folder = paths.socket_dir()
    folder.mkdir(mode=0o700, exist_ok=True)
    if not paths.is_private(folder):
        raise paths.StartRefused(f"The folder for the sockets, {folder}, is open to other users.")
    records.write(paths.state_dir() / "socket_dir", str(folder))
    return folder

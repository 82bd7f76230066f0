"""Small private files that one process writes and others read whole or not at all."""

import os
import secrets
from collections.abc import Callable
from pathlib import Path


def read(path: Path) -> str:
    """The content without its line end; empty if there is no such file."""
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        return ""


def write(path: Path, content: str) -> None:
    """Replace the file in one step. Only its owner can read it (mode 0600)."""
    os.replace(_draft(path, content), path)


def read_or_create(path: Path, make: Callable[[], str]) -> str:
    """The content, made by the first caller of all: whoever loses the race reads the winner's."""
    content = read(path)
    if content:
        return content
    draft = _draft(path, make())
    try:
        # A hard link appears with its content and fails if the name exists: no half-written
        # password is ever read, and none is ever replaced.
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
    return read(path)


def _draft(path: Path, content: str) -> Path:
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(file, "w") as stream:
        stream.write(f"{content}\n")
    return draft

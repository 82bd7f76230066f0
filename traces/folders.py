"""Files on disk that may be traces: named ones always, those found in folders with judgement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from traces.formats.bystanders import why_no_trace


@dataclass(frozen=True, slots=True)
class Found:
    """A file to take, or why not: `skipped` if it is no trace, `trouble` if it cannot be read."""

    path: str
    content: bytes = b""
    skipped: str = ""
    trouble: str = ""


def found(paths: Iterable[str], *, limit: int) -> Iterator[Found]:
    """Each named file, and all files below each named folder, in order of their names.

    At most one byte more than `limit` is read of a file: enough to see that it is too large.
    """
    for name in paths:
        path = Path(name)
        if not name:
            # Path("") is the current folder, which nobody meant.
            yield Found(name, trouble="A path must not be empty.")
        elif path.is_dir():
            yield from found_below(path, limit=limit)
        elif path.exists():
            yield opened(path, limit=limit)
        else:
            yield Found(name, trouble="There is no such file.")


def found_below(folder: Path, *, limit: int) -> Iterator[Found]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    taken = False
    for path in files:
        each = opened(path, limit=limit)
        skipped = why_no_trace(str(path.relative_to(folder)), each.content)
        if skipped and not each.trouble:
            yield Found(str(path), skipped=skipped)
        else:
            taken = True
            yield each
    if not taken:
        what = f"none of its {len(files)} files is one" if files else "it is empty"
        yield Found(str(folder), trouble=f"There is no trace in this folder: {what}.")


def opened(path: Path, *, limit: int) -> Found:
    if not path.is_file():
        return Found(str(path), trouble="This is neither a file nor a folder.")
    try:
        with path.open("rb") as file:
            return Found(str(path), content=file.read(limit + 1))
    except OSError as error:
        return Found(str(path), trouble=f"It cannot be read: {error.strerror or error}.")

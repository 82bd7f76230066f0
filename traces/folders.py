"""Files on disk that may be traces: named ones always, those found in folders with judgement.

A folder is a bundle as a zip is: files that belong together become one document. One that would
be too large for a bundle is taken folder by folder, and at last file by file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from traces.formats.base import Limits, Recognised, Unreadable
from traces.formats.files import bundles, containers
from traces.formats.files.bystanders import why_no_trace


@dataclass(frozen=True, slots=True)
class Found:
    """A file to take, or why not: `skipped` if it is no trace, `trouble` if it cannot be read.

    `parts` are the other files that its content holds as well, if it is the main one of a group.
    """

    path: str
    content: bytes = b""
    skipped: str = ""
    trouble: str = ""
    parts: tuple[str, ...] = ()


def found(paths: Iterable[str], *, limit: int, wanted: str = "") -> Iterator[Found]:
    """Each named file, and all files below each named folder, in order of their names.

    At most one byte more than `limit` is read of a file: enough to see that it is too large.
    `wanted` is the one format that all are in, if that is known.
    """
    for name in paths:
        path = Path(name)
        if not name:
            # Path("") is the current folder, which nobody meant.
            yield Found(name, trouble="A path must not be empty.")
        elif path.is_dir():
            yield from found_below(path, Limits(size=limit), wanted)
        elif path.exists():
            yield opened(path, limit=limit)
        else:
            yield Found(name, trouble="There is no such file.")


def found_below(folder: Path, limits: Limits, wanted: str) -> Iterator[Found]:
    count, taken = 0, False
    for each in parted(folder, limits, wanted):
        count += 1
        taken = taken or not each.skipped
        yield each
    if not taken:
        what = f"none of its {count} files is one" if count else "it is empty"
        yield Found(str(folder), trouble=f"There is no trace in this folder: {what}.")


def parted(folder: Path, limits: Limits, wanted: str) -> Iterator[Found]:
    """All files below a folder, as one bundle, or as several if that would be too large."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    if fits(files, limits):
        yield from bundled(folder, files, limits, wanted)
        return
    inside = [path for path in files if path.parent == folder]
    if fits(inside, limits):
        yield from bundled(folder, inside, limits, wanted)
    else:
        yield from (alone(folder, path, limits) for path in inside)
    for below in sorted(path for path in folder.iterdir() if real_folder(path)):
        yield from parted(below, limits, wanted)


def real_folder(path: Path) -> bool:
    """Not a link to one, which could lead round and round."""
    return path.is_dir() and not path.is_symlink()


def fits(files: Sequence[Path], limits: Limits) -> bool:
    return len(files) <= limits.members and sum(map(size, files)) <= limits.size


def size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def alone(folder: Path, path: Path, limits: Limits) -> Found:
    each = opened(path, limit=limits.size)
    skipped = why_no_trace(str(path.relative_to(folder)), each.content)
    return Found(str(path), skipped=skipped) if skipped and not each.trouble else each


def bundled(folder: Path, files: Sequence[Path], limits: Limits, wanted: str) -> Iterator[Found]:
    """The files of a bundle: those of a group at the place of its main one, the rest alone."""
    names = [path.relative_to(folder).as_posix() for path in files]
    given = [glimpse(name, path, limits) for name, path in zip(names, files, strict=True)]
    groups = {group.indexes[0]: group for group in bundles.groups(given, wanted)}
    claimed = {index for group in groups.values() for index in group.indexes}
    for index, path in enumerate(files):
        if index in groups:
            indexes = groups[index].indexes
            contents = [files[each].read_bytes() for each in indexes]
            document = bundles.together([names[each] for each in indexes], contents)
            yield Found(str(path), document, parts=tuple(str(files[i]) for i in indexes[1:]))
        elif index not in claimed:
            yield alone(folder, path, limits)


def glimpse(name: str, path: Path, limits: Limits) -> Recognised:
    """What a file is, as far as it takes to see what it belongs to. A zip is its own bundle."""
    content = opened(path, limit=limits.size).content
    member = containers.Member(content, name)
    if content.startswith((containers.ZIP, containers.EMPTY_ZIP)) or hidden(name):
        return Recognised(bundles.unread(containers.Member(b"", name)), "", "")
    try:
        member = replace(containers.plain(content, limits), name=name)
    except Unreadable:
        return Recognised(bundles.unread(member), "", "")
    return bundles.glimpsed(bundles.recognised(member, limits))


def hidden(name: str) -> bool:
    return any(part.startswith(".") for part in name.split("/"))


def opened(path: Path, *, limit: int) -> Found:
    if not path.is_file():
        return Found(str(path), trouble="This is neither a file nor a folder.")
    try:
        with path.open("rb") as file:
            return Found(str(path), content=file.read(limit + 1))
    except OSError as error:
        return Found(str(path), trouble=f"It cannot be read: {error.strerror or error}.")

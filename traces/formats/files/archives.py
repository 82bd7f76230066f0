"""The files in a zip archive, within limits. Nothing is written to disk, no name becomes a path.

An archive whose directory is missing was cut while it was written or sent; what can still be
read of it is read by the headers that stand before each file.
"""

from __future__ import annotations

import lzma
import re
import struct
import sys
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO

import zstandard

from traces.formats.base import Limits, Unreadable
from traces.formats.files import salvage
from traces.formats.files.sizes import TooLarge, check_size

if sys.version_info < (3, 14):
    # Teaches zipfile method 93 when it is imported, as later versions of Python know it.
    import zipfile_zstd  # type: ignore[import-untyped]  # noqa: F401

ZIP, EMPTY_ZIP = b"PK\x03\x04", b"PK\x05\x06"
MIB = 2**20
# What the standard library raises of archives; the last but one of a way of packing it knows not.
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    zstandard.ZstdError,
    struct.error,
    EOFError,
    OSError,
    NotImplementedError,
    ValueError,
)
ENCRYPTED = 0x1
# "..", a root, a drive: names that lead elsewhere when somebody unpacks the archive.
LEADS_OUT = re.compile(r"(?:^|[\\/])\.\.(?:[\\/]|$)|^[\\/]|^[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class Packed:
    """A file of an archive: its bytes, or why there are none. `damage` is told of good bytes."""

    name: str
    content: bytes = b""
    refused: str = ""
    damage: str = ""


def unpacked(content: bytes, limits: Limits) -> tuple[list[Packed], str]:
    """The files, and what is wrong with the archive as a whole. Raises Unreadable, TooLarge."""
    try:
        archive = zipfile.ZipFile(BytesIO(content))
    except DAMAGE as error:
        return salvaged(content, f"The zip archive is damaged: {error}.", limits)
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    check_directory(entries, limits)
    names = told_apart(entry.filename for entry in entries)
    return [opened(archive, entry, name) for name, entry in zip(names, entries, strict=True)], ""


def salvaged(content: bytes, damage: str, limits: Limits) -> tuple[list[Packed], str]:
    """What the headers before each file still give, when the directory is of no use."""
    found = [each for each in salvage.files(content, limits) if not each.name.endswith("/")]
    if not any(each.content for each in found):
        raise Unreadable(damage)
    names = told_apart(each.name for each in found)
    files = [
        Packed(name, each.content, refused_name(name) or each.refused, each.damage)
        for name, each in zip(names, found, strict=True)
    ]
    return files, f"{damage} {len(files):,} files were found without its directory."


def told_apart(given: Iterable[str]) -> Iterator[str]:
    """A name for each file. A zip may hold several of one name: the later ones are numbered."""
    names = list(given)
    original, used = set(names), set[str]()
    numbers: Counter[str] = Counter()
    for first in names:
        name = first
        while name in used or (name != first and name in original):
            numbers[first] += 1
            name = f"{first}#{numbers[first] + 1}"
        used.add(name)
        yield name


def check_directory(entries: list[zipfile.ZipInfo], limits: Limits) -> None:
    """Refuse an archive for what its directory says, before anything is inflated."""
    if not entries:
        raise Unreadable("The zip archive holds no files.")
    if len(entries) > limits.members:
        raise TooLarge(
            f"The zip archive holds {len(entries):,} files; the limit is {limits.members:,}."
        )
    for entry in entries:
        if entry.file_size > max(MIB, limits.ratio * entry.compress_size):
            raise TooLarge(
                f"{entry.filename} would grow from {entry.compress_size:,} to"
                f" {entry.file_size:,} bytes: this looks like a zip bomb."
            )
    check_size(sum(entry.file_size for entry in entries), limits)


def refused_name(name: str) -> str:
    return "Its name leads out of the archive." if LEADS_OUT.search(name) else ""


def opened(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str) -> Packed:
    if refused := refused_name(entry.filename):
        return Packed(name, refused=refused)
    if entry.flag_bits & ENCRYPTED:
        return Packed(name, refused="This file is encrypted.")
    try:
        with archive.open(entry) as file:
            # The directory may lie about the size: read no more than it says, and one byte.
            content = file.read(entry.file_size + 1)
    except DAMAGE as error:
        return Packed(name, refused=f"This file is damaged: {error}.")
    if len(content) > entry.file_size:
        return Packed(name, refused="This file is larger than the archive's directory says.")
    return Packed(name, content)

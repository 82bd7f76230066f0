"""From a file's bytes to the bytes of documents: gzip and zip opened with limits, by magic bytes.

Nothing is written to disk and no name inside an archive is ever used as a path.
"""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO

from traces.formats.base import Limits, Refusal, Unreadable

GZIP, ZIP, EMPTY_ZIP = b"\x1f\x8b", b"PK\x03\x04", b"PK\x05\x06"
PIECE = 2**16
MIB = 2**20
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    NotImplementedError,
    ValueError,
)
ENCRYPTED = 0x1

PICKLE = "This is a Python pickle; opening one could run foreign code. Export the runs as JSON."
NEVER = {
    b"SQLite format 3\x00": (
        "This is an SQLite database; Inquest opens no databases. Export the runs as JSON."
    ),
    b"\x80\x02": PICKLE,
    b"\x80\x03": PICKLE,
    b"\x80\x04": PICKLE,
    b"\x80\x05": PICKLE,
    b"\x28\xb5\x2f\xfd": "This is compressed with zstd. Send it as it is, or with gzip.",
    ZIP: "This is a zip archive inside another container. Unpack the outer one first.",
}


class TooLarge(Unreadable):
    """The document holds more than the limits allow."""


@dataclass(frozen=True, slots=True)
class Member:
    """The bytes of one document. `name` is empty but for members of a bundle."""

    content: bytes
    name: str = ""
    damage: str = ""


def opened(content: bytes, limits: Limits) -> tuple[list[Member], list[Refusal]]:
    """The documents in these bytes, and the members of a bundle that could not be opened."""
    if content.startswith((ZIP, EMPTY_ZIP)):
        return unzipped(content, limits)
    return [plain(content, limits)], []


def measure(content: bytes, limits: Limits) -> None:
    """Raise TooLarge if the bytes hold more than the limits allow, whatever else is wrong."""
    try:
        opened(content, limits)
    except TooLarge:
        raise
    except Exception:  # whatever it is, the bytes are kept first, and reading them will say it
        return


def plain(content: bytes, limits: Limits, name: str = "") -> Member:
    """One document, inflated if it is gzip, up to three times over."""
    check_size(len(content), limits)
    damage = ""
    for _ in range(3):
        if not content.startswith(GZIP):
            break
        content, damage = gunzipped(content, limits)
    refuse_what_is_no_text(content)
    return Member(content=content, name=name, damage=damage)


def refuse_what_is_no_text(content: bytes) -> None:
    for magic, sentence in NEVER.items():
        if content.startswith(magic):
            raise Unreadable(sentence)


def check_size(size: int, limits: Limits) -> None:
    if size > limits.size:
        raise TooLarge(
            f"The document holds {size:,} bytes or more; the limit is {limits.size:,}"
            " (INQUEST_MAX_DOCUMENT_BYTES)."
        )


def gunzipped(content: bytes, limits: Limits) -> tuple[bytes, str]:
    """The inflated bytes, and what was wrong at their end. The limit holds while inflating."""
    pieces: list[bytes] = []
    size = 0
    try:
        for piece in inflated(content):
            size += len(piece)
            check_size(size, limits)
            pieces.append(piece)
    except zlib.error as error:
        if not pieces:
            raise Unreadable(f"The gzip data is damaged: {error}.") from error
        return b"".join(pieces), f"The gzip data is damaged after {size:,} bytes."
    except EOFError:
        return b"".join(pieces), f"The gzip data was cut after {size:,} bytes."
    return b"".join(pieces), ""


def inflated(content: bytes) -> Iterator[bytes]:
    """Pieces of all gzip members in turn. Raises EOFError when the last one is cut."""
    while content.startswith(GZIP):
        stream = zlib.decompressobj(wbits=31)
        while not stream.eof:
            piece = stream.decompress(content, PIECE)
            content = stream.unconsumed_tail
            if piece:
                yield piece
            elif not content and not stream.eof:
                raise EOFError
        content = stream.unused_data


def unzipped(content: bytes, limits: Limits) -> tuple[list[Member], list[Refusal]]:
    try:
        archive = zipfile.ZipFile(BytesIO(content))
    except DAMAGE as error:
        raise Unreadable(f"The zip archive is damaged: {error}.") from error
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    check_bundle(entries, limits)
    members, refusals = [], []
    for name, entry in zip(told_apart(entries), entries, strict=True):
        try:
            members.append(plain(unpacked(archive, entry), limits, name))
            check_size(sum(len(member.content) for member in members), limits)
        except TooLarge:
            raise
        except Unreadable as error:
            refusals.append(Refusal.of(error, name))
    return members, refusals


def told_apart(entries: list[zipfile.ZipInfo]) -> Iterator[str]:
    """A name for each member. A zip may hold several of one name: the later ones are numbered."""
    given = {entry.filename for entry in entries}
    used: set[str] = set()
    numbers: Counter[str] = Counter()
    for entry in entries:
        name = entry.filename
        while name in used or (name != entry.filename and name in given):
            numbers[entry.filename] += 1
            name = f"{entry.filename}#{numbers[entry.filename] + 1}"
        used.add(name)
        yield name


def check_bundle(entries: list[zipfile.ZipInfo], limits: Limits) -> None:
    """Refuse a bundle for what its directory says, before anything is inflated."""
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


def unpacked(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    if entry.flag_bits & ENCRYPTED:
        raise Unreadable("This file is encrypted.")
    try:
        with archive.open(entry) as file:
            # The directory may lie about the size: read no more than it says, and one byte.
            content = file.read(entry.file_size + 1)
    except DAMAGE as error:
        raise Unreadable(f"This file is damaged: {error}.") from error
    if len(content) > entry.file_size:
        raise Unreadable("This file is larger than the archive's directory says.")
    return content

"""Files out of a zip archive that has lost its directory, by the header before each of them."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from traces.formats.base import Limits
from traces.formats.files import compression
from traces.formats.files.sizes import TooLarge, measured

HEADER = struct.Struct("<4s5H3L2H")
START, DESCRIPTOR = b"PK\x03\x04", b"PK\x07\x08"
# What may stand behind the bytes of a file.
BEHIND = (START, DESCRIPTOR, b"PK\x01\x02", b"PK\x05\x06")
ENCRYPTED, SIZES_FOLLOW, UTF_8 = 0x1, 0x8, 0x800
UNKNOWN = 0xFFFFFFFF
RAW_WINDOW = -15


@dataclass(frozen=True, slots=True)
class Salvaged:
    """A file: its bytes or why there are none, and what is wrong with them.

    `end` is where the next file may begin.
    """

    name: str
    end: int
    content: bytes = b""
    refused: str = ""
    damage: str = ""


@dataclass(frozen=True, slots=True)
class Header:
    name: str
    flags: int
    method: int
    size: int
    start: int

    @property
    def size_known(self) -> bool:
        return not self.flags & SIZES_FOLLOW and self.size != UNKNOWN


def files(content: bytes, limits: Limits) -> Iterator[Salvaged]:
    """Each file that begins in these bytes. What cannot be inflated any further is damaged."""
    place, used, count = content.find(START), 0, 0
    while place >= 0 and (header := header_at(content, place)):
        count += 1
        if count > limits.members:
            raise TooLarge(f"The zip archive holds more than {limits.members:,} files.")
        file = read(content, header, limits, used)
        used += len(file.content)
        yield file
        place = content.find(START, max(file.end, header.start))


def header_at(content: bytes, place: int) -> Header | None:
    """The header of a file, unless it is cut."""
    if place + HEADER.size > len(content):
        return None
    fields = HEADER.unpack_from(content, place)
    _, _, flags, method, _, _, _, size, _, name_length, extra_length = fields
    begin = place + HEADER.size
    name = content[begin : begin + name_length]
    start = begin + name_length + extra_length
    if start > len(content):
        return None
    encoding = "utf-8" if flags & UTF_8 else "cp437"
    return Header(name.decode(encoding, "replace"), flags, method, size, start)


def read(content: bytes, header: Header, limits: Limits, used: int) -> Salvaged:
    end = header.start + header.size if header.size_known else header.start
    if header.flags & ENCRYPTED:
        return Salvaged(header.name, end, refused="This file is encrypted.")
    if header.method not in STREAMS:
        return Salvaged(header.name, end, refused="This file is compressed in an unknown way.")
    pieces: list[bytes] = []
    damage = ""
    try:
        pieces.extend(measured(STREAMS[header.method](content, header), limits, used=used))
    except (EOFError, *compression.FAULTS):
        damage = f"This file breaks off after {compression.length(pieces):,} bytes."
    content = b"".join(pieces)
    if not content:
        return Salvaged(header.name, end, refused=damage or "This file is empty.")
    return Salvaged(header.name, end, content, damage=damage)


def stored(content: bytes, header: Header) -> Iterator[bytes]:
    """As many bytes as the header says, or else up to what looks like the next header."""
    if not header.size_known:
        ends = [at for mark in BEHIND if (at := content.find(mark, header.start)) >= 0]
        yield content[header.start : min(ends, default=without_cut_mark(content))]
        whole = bool(ends)
    else:
        piece = content[header.start : header.start + header.size]
        yield piece
        whole = len(piece) == header.size
    if not whole:
        raise EOFError


def without_cut_mark(content: bytes) -> int:
    """Where these bytes end, but for what may be the begin of a header that was cut."""
    cut = (size for size in (3, 2, 1) if content.endswith(tuple(mark[:size] for mark in BEHIND)))
    return len(content) - next(cut, 0)


def deflated(content: bytes, header: Header) -> Iterator[bytes]:
    return compression.deflated(content, header.start, window=RAW_WINDOW)


def unzstded(content: bytes, header: Header) -> Iterator[bytes]:
    return compression.unzstded(content, header.start)


STREAMS = {0: stored, 8: deflated, 93: unzstded}

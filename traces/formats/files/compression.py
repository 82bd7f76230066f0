"""Compressed bytes, known by how they begin: gzip, zlib and zstd, in one member or several.

Limits hold while inflating: no stream is ever asked for more than a few pieces beyond them.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Generator

import zstandard

from traces.formats.base import Limits, Unreadable
from traces.formats.files.sizes import measured

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
# The second byte holds a level and a check on both.
ZLIB = (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
# zstd's frames of other programs' data, which readers skip.
SKIPPABLE = tuple(bytes([first]) + b"\x2a\x4d\x18" for first in range(0x50, 0x60))
MAGIC = (GZIP, *ZLIB, ZSTD, *SKIPPABLE)
PIECE = 2**16
# A block of zstd takes four bytes and may grow to 128 KiB: what this much can become is bounded.
ZSTD_PIECE = 512
GZIP_WINDOW, ZLIB_WINDOW = 31, 15

# Pieces, and at last the place behind the stream.
Stream = Generator[bytes, None, int]
FAULTS = (zlib.error, zstandard.ZstdError)


def inflated(content: bytes, limits: Limits) -> tuple[bytes, str]:
    """The inflated bytes, and in a sentence what was wrong at their end."""
    name, stream = reader_of(content)
    pieces: list[bytes] = []
    try:
        pieces.extend(measured(stream(content), limits))
    except FAULTS as error:
        if not pieces:
            raise Unreadable(f"The {name} data is damaged: {error}.") from error
        return b"".join(pieces), f"The {name} data is damaged after {length(pieces):,} bytes."
    except EOFError:
        return b"".join(pieces), f"The {name} data was cut after {length(pieces):,} bytes."
    return b"".join(pieces), ""


def length(pieces: list[bytes]) -> int:
    return sum(map(len, pieces))


def reader_of(content: bytes) -> tuple[str, Callable[[bytes], Stream]]:
    if content.startswith(GZIP):
        return "gzip", gunzipped
    if content.startswith(ZLIB):
        return "zlib", unzlibbed
    return "zstd", unzstded


def gunzipped(content: bytes) -> Stream:
    """Pieces of all gzip members in turn. Raises EOFError when the last one is cut."""
    start = 0
    while content.startswith(GZIP, start):
        start = yield from deflated(content, start, window=GZIP_WINDOW)
    return start


def unzlibbed(content: bytes) -> Stream:
    return deflated(content, 0, window=ZLIB_WINDOW)


def deflated(content: bytes, start: int, *, window: int) -> Stream:
    """Pieces of one stream. Raises EOFError when it is cut."""
    stream = zlib.decompressobj(wbits=window)
    while not stream.eof:
        if start >= len(content):
            raise EOFError
        piece = stream.decompress(content[start : start + PIECE], PIECE)
        start = min(start + PIECE, len(content))
        while piece:
            yield piece
            # What it holds back has to be asked for even when all input was taken.
            piece = b"" if stream.eof else stream.decompress(stream.unconsumed_tail, PIECE)
    return start - len(stream.unused_data)


def unzstded(content: bytes, start: int = 0) -> Stream:
    """Pieces of all zstd frames in turn. Raises EOFError when the last one is cut."""
    while content.startswith((ZSTD, *SKIPPABLE), start):
        if content.startswith(SKIPPABLE, start):
            start += 8 + int.from_bytes(content[start + 4 : start + 8], "little")
        else:
            start = yield from unframed(content, start)
    return start


def unframed(content: bytes, start: int) -> Stream:
    stream = zstandard.ZstdDecompressor().decompressobj()
    while not stream.eof:
        if start >= len(content):
            raise EOFError
        piece = stream.decompress(content[start : start + ZSTD_PIECE])
        start = min(start + ZSTD_PIECE, len(content))
        if piece:
            yield piece
    return start - len(stream.unused_data)

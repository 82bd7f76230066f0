"""A request's body without its compression, whatever its headers say, and no larger than allowed.

Headers lie both ways: a proxy may have inflated what they call gzip, and some exporters
compress without saying so. So the first bytes decide; raw deflate alone has none to know it by.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import zstandard

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
PIECE, ZSTD_PIECE = 2**16, 2**9
# Compressed by an exporter, and again by a proxy.
MOST_LAYERS = 3
KNOWN = {"", "identity", "gzip", "x-gzip", "deflate", "zstd"}


class TooLarge(ValueError):
    """The body is above the limit, once inflated."""


class Damaged(ValueError):
    """The compressed data cannot be read to its end."""


class Unsupported(ValueError):
    """The body is compressed in a way that is not known here."""


def plain(body: bytes, encoding: str, *, limit: int) -> bytes:
    """The inflated body. Raises TooLarge, Damaged or Unsupported with a sentence."""
    named = [name.strip() for name in encoding.lower().split(",")]
    unknown = [name for name in named if name not in KNOWN]
    if unknown:
        raise Unsupported("The body's encoding is not known here. Known are gzip, deflate, zstd.")
    if "deflate" in named and opened(body) is None:
        return bare(body, limit)
    for _ in range(MOST_LAYERS):
        stream = opened(body)
        if stream is None:
            break
        body = collected(stream, limit)
    return body


def bare(body: bytes, limit: int) -> bytes:
    """The body of a deflate stream without a frame; or as it is, if it is none."""
    try:
        return collected(deflated(body, -zlib.MAX_WBITS), limit)
    except Damaged:
        return body


def opened(body: bytes) -> Iterator[bytes] | None:
    """Pieces of the inflated body, or None if it is not compressed."""
    if body.startswith(GZIP):
        return unzipped(body)
    if body.startswith(ZSTD):
        return unpacked(body)
    if is_zlib(body):
        return deflated(body, zlib.MAX_WBITS)
    return None


def is_zlib(body: bytes) -> bool:
    """No message and no JSON begins like this."""
    return body[:1] == b"x" and len(body) > 2 and int.from_bytes(body[:2]) % 31 == 0


def unzipped(body: bytes) -> Iterator[bytes]:
    """All members of a gzip body in turn."""
    while body.startswith(GZIP):
        stream = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
        yield from pieces_of(stream, body)
        body = stream.unused_data


def unpacked(body: bytes) -> Iterator[bytes]:
    """All frames of a zstd body. It is fed little by little: four bytes may become 128 kB."""
    while body.startswith(ZSTD):
        stream = zstandard.ZstdDecompressor().decompressobj()
        done = 0
        while not stream.eof:
            if done >= len(body):
                raise EOFError
            yield stream.decompress(body[done : done + ZSTD_PIECE])
            done += ZSTD_PIECE
        body = stream.unused_data + body[done:]


def deflated(body: bytes, bits: int) -> Iterator[bytes]:
    """One stream, behind which nothing may come."""
    stream = zlib.decompressobj(wbits=bits)
    yield from pieces_of(stream, body)
    if stream.unused_data:
        raise EOFError


def pieces_of(stream: zlib._Decompress, body: bytes) -> Iterator[bytes]:
    """Raises EOFError if the stream does not end."""
    while not stream.eof:
        piece = stream.decompress(body, PIECE)
        body = stream.unconsumed_tail
        if piece:
            yield piece
        elif not body and not stream.eof:
            raise EOFError


def collected(stream: Iterator[bytes], limit: int) -> bytes:
    pieces, size = [], 0
    try:
        for piece in stream:
            size += len(piece)
            if size > limit:
                raise TooLarge(too_large(limit))
            pieces.append(piece)
    except (zlib.error, zstandard.ZstdError, EOFError) as error:
        raise Damaged("The compressed data is damaged, or was cut.") from error
    return b"".join(pieces)


def too_large(limit: int) -> str:
    return f"The body holds more than {limit:,} bytes (INQUEST_MAX_BATCH_BYTES). Send less at once."

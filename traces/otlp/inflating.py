"""A request's body without its compression, whatever its headers say, and no larger than allowed.

Headers lie both ways: a proxy may have inflated what they call gzip, and some exporters
compress without saying so. So the first bytes decide; raw deflate alone has none to know it by.
"""

from __future__ import annotations

from collections.abc import Iterator

from traces.formats.files import compression

NO_FRAME = -15
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
        return collected(entire(compression.deflated(body, 0, window=NO_FRAME), body), limit)
    except Damaged:
        return body


def opened(body: bytes) -> Iterator[bytes] | None:
    """Pieces of the inflated body, or None if it is not compressed."""
    if not body.startswith(compression.MAGIC):
        return None
    _, stream = compression.reader_of(body)
    return entire(stream(body), body) if body.startswith(compression.ZLIB) else stream(body)


def entire(stream: compression.Stream, body: bytes) -> Iterator[bytes]:
    """The same pieces. Raises EOFError if anything comes behind their stream."""
    if (yield from stream) < len(body):
        raise EOFError


def collected(stream: Iterator[bytes], limit: int) -> bytes:
    pieces, size = [], 0
    try:
        for piece in stream:
            size += len(piece)
            if size > limit:
                raise TooLarge(too_large(limit))
            pieces.append(piece)
    except (*compression.FAULTS, EOFError) as error:
        raise Damaged("The compressed data is damaged, or was cut.") from error
    return b"".join(pieces)


def too_large(limit: int) -> str:
    return f"The body holds more than {limit:,} bytes (INQUEST_MAX_BATCH_BYTES). Send less at once."

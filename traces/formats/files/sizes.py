"""How large a document may be, asked while it is being unpacked and never only afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from traces.formats.base import Limits, Unreadable


class TooLarge(Unreadable):
    """The document holds more than the limits allow."""


def check_size(size: int, limits: Limits) -> None:
    if size > limits.size:
        raise TooLarge(
            f"The document holds {size:,} bytes or more; the limit is {limits.size:,}"
            " (INQUEST_MAX_DOCUMENT_BYTES)."
        )


def measured(pieces: Iterable[bytes], limits: Limits, *, used: int = 0) -> Iterator[bytes]:
    """The same pieces, until they and what was used before are more than the limits allow."""
    for piece in pieces:
        used += len(piece)
        check_size(used, limits)
        yield piece

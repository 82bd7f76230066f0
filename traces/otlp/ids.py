"""Trace and span ids, however they were spelled: by their length, hex first."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error, hexlify, unhexlify

TRACE, SPAN = 16, 8
# Characters of as many bytes in base64 with its padding.
BASE64 = {TRACE: 24, SPAN: 12}
URL_SAFE = str.maketrans("-_", "+/")


def of_text(given: object, size: int) -> bytes | None:
    """The bytes of an id of this size; None if it is none.

    32 hex digits are base64 as well, of 24 bytes: so hex is tried first.
    """
    if not isinstance(given, str):
        return None
    text = given.strip().removeprefix("0x").removeprefix("0X")
    try:
        if len(text) == 2 * size:
            return unhexlify(text)
        if len(text) == BASE64[size]:
            found = b64decode(text.translate(URL_SAFE), validate=True)
            return found if len(found) == size else None
    except (Error, ValueError):
        pass
    return None


def hex_or_same(given: object, size: int) -> object:
    """The id as hex, empty if it is all zero. What is no id stays as it came: it is not lost."""
    found = of_text(given, size)
    if found is None:
        return given
    return hexlify(found).decode() if any(found) else ""


def wrong(found: bytes | None, what: str, size: int) -> str:
    """Why this is no id, as a sentence, or nothing."""
    if found is None or len(found) != size:
        return f"The {what} is not {size} bytes, as {2 * size} hex digits or base64."
    return "" if any(found) else f"The {what} is all zero."

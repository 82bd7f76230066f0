"""What people read in a part in place of the content that was moved out of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Characters of a moved text that stay to be read and cited, and how far a line's end may be.
HEAD, TAIL, NEAR = 6_000, 2_000, 500
DIGEST_SHOWN = 12


def stand_in(reference: Mapping[str, Any]) -> str:
    """What stands in a text for binary content that was taken out of it."""
    size, digest = reference["size"], reference["sha256"][:DIGEST_SHOWN]
    return f"[payload {reference['media_type']}, {size:,} bytes, sha256 {digest}]"


def preview(text: str, sha256: str) -> str:
    """Head and tail of a text, cut at the end of a line if one is near; its middle is counted.

    The digest stands in between: texts that differ in the middle only are not shown as alike.
    """
    if len(text) <= HEAD + TAIL:
        return text
    end = text.rfind("\n", HEAD - NEAR, HEAD) + 1 or HEAD
    start = text.find("\n", len(text) - TAIL, len(text) - TAIL + NEAR) + 1 or len(text) - TAIL
    return f"{text[:end]}\n{left_out(start - end, sha256)}\n{text[start:]}"


def left_out(count: int, sha256: str) -> str:
    return f"[… {count:,} characters are in the payload with sha256 {sha256[:DIGEST_SHOWN]} …]"

"""What a page says of a payload, from its reference alone: nothing of it is loaded."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from traces.display import visible

PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
DIGEST = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True)
class PayloadView:
    """What is said of a payload; `stored` if its bytes are here."""

    media_type: str
    size: str
    sha256: str
    stored: bool

    @property
    def is_picture(self) -> bool:
        """Whether it says to be of a kind that a page may show."""
        return self.media_type.partition(";")[0].strip().lower() in PICTURES


def payload_view(reference: Mapping[str, Any]) -> PayloadView:
    """As the record says; an address is made of nothing but a digest."""
    size, sha256 = reference.get("size"), reference["sha256"]
    return PayloadView(
        media_type=visible(str(reference.get("media_type") or "unknown type"))[:100],
        size=f"{size:,} bytes" if isinstance(size, int) else "size unknown",
        sha256=visible(sha256[:64]),
        stored=reference.get("stored") is True and DIGEST.fullmatch(sha256) is not None,
    )

"""The whole of a part of which something was moved to a payload."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from traces import payload_store
from traces.models import Run
from traces.payloads import references
from traces.transcript import Part

# Bytes of one payload that are read for a page.
MOST = 32 * 2**20


def text_of(run: Run, part: Part) -> str:
    """The part's whole text. Raises Unavailable if it was moved and cannot be had."""
    content = _moved(run, part, "text")
    return part.text if content is None else content.decode()


def data_of(run: Run, part: Part) -> Mapping[str, Any]:
    """The part's whole data; what the part kept of it if the rest cannot be had."""
    try:
        content = _moved(run, part, "data")
        found = json.loads(content) if content else part.data
    except (payload_store.Unavailable, ValueError):
        return part.data
    return found if isinstance(found, dict) else part.data


def _moved(run: Run, part: Part, of: str) -> bytes | None:
    """What was moved out of this field; None if nothing was. Raises Unavailable."""
    named = [found["sha256"] for found in references(part) if found.get("of") == of]
    if not named:
        return None
    payload = payload_store.used(run, named[0])
    if payload is None:
        return None
    if payload.size > MOST:
        raise payload_store.Unavailable("The whole of it is too large for a page.")
    return payload_store.content_of(payload)

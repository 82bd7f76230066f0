"""What stands at a pointer in a run's document, laid out for a page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from traces import display, ingest, raw
from traces.display import Piece
from traces.formats.files import pointers
from traces.models import Run


@dataclass(frozen=True)
class Excerpt:
    """The value as indented JSON, where it was found, and how many characters are not shown."""

    place: str
    pieces: Sequence[Piece]
    more: int


def excerpt(run: Run, pointer: str) -> Excerpt:
    """Reads the whole document. Raises traces.formats.base.Unreadable."""
    content = raw.content(run.document_id)
    found = pointers.found(content, pointer, run=run.pointer, limits=ingest.limits())
    text = json.dumps(found.value, ensure_ascii=False, indent=2)
    cut = text[: display.MOST]
    pieces = display.pieces(cut, start=0, end=len(cut), cited=())
    return Excerpt(found.pointer, pieces, len(text) - len(cut))

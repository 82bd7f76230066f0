"""The forms a postmortem can be handed out in. Each is made of the envelope's bytes alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reviews.postmortems.markdown import render_markdown
from reviews.postmortems.page import render_html


@dataclass(frozen=True, slots=True)
class Export:
    """A form: its file ending, its media type, and how a browser takes it."""

    ending: str
    media_type: str
    disposition: str
    render: Callable[[bytes], bytes]


FORMATS = {
    "json": Export("json", "application/json", "attachment", bytes),
    "markdown": Export(
        "md",
        "text/markdown; charset=utf-8",
        "attachment",
        lambda envelope: render_markdown(envelope).encode(),
    ),
    "html": Export(
        "html",
        "text/html; charset=utf-8",
        "inline",
        lambda envelope: render_html(envelope).encode(),
    ),
}
BY_ENDING = {export.ending: export for export in FORMATS.values()}
# The exported page has its style in it, and nothing else that runs or loads.
PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

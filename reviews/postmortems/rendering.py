"""The exports of a postmortem, each made from the signed envelope alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reviews.postmortems.markdown import render_markdown
from reviews.postmortems.page import render_html


@dataclass(frozen=True, slots=True)
class Export:
    content_type: str
    disposition: str
    render: Callable[[bytes], str]


# By file ending. The page is read in the browser, the others are kept.
EXPORTS = {
    "json": Export("application/json", "attachment", lambda envelope: envelope.decode()),
    "md": Export("text/markdown; charset=utf-8", "attachment", render_markdown),
    "html": Export("text/html; charset=utf-8", "inline", render_html),
}
# The exported page has its style in it, and nothing else that runs or loads.
PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

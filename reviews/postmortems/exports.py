"""The forms a postmortem can be handed out in. Each is made of the envelope's bytes alone."""

from __future__ import annotations

from collections.abc import Callable

from reviews.postmortems.markdown import render_markdown
from reviews.postmortems.page import render_html

FORMATS: dict[str, Callable[[bytes], bytes]] = {
    "json": bytes,
    "markdown": lambda envelope: render_markdown(envelope).encode(),
    "html": lambda envelope: render_html(envelope).encode(),
}

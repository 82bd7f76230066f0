"""A signed postmortem as one printable page: no script, nothing loaded from anywhere."""

from __future__ import annotations

from django.template.loader import render_to_string

from reviews.postmortems.outline import outline_of


def render_html(envelope: bytes) -> str:
    """The page, from the signed envelope alone. Raises verify.Fault for anything else."""
    return render_to_string("reviews/postmortem.html", {"outline": outline_of(envelope)})

"""A signed postmortem as Markdown in which nothing from a trace can become live.

Plain Python. Every text from outside stands in a code span or a fence that is longer than any
run of backticks in it, so that neither links, images, HTML nor bare addresses are picked up. Our
own words stand as they are; what could be markup in them all the same is escaped.
"""

from __future__ import annotations

import re

from reviews.postmortems.outline import Outline, outline_of
from reviews.postmortems.rows import Row, Section
from traces.display import visible

# Markup, and what readers turn into links by themselves: addresses with a colon, an @ or www.
LIVE = re.compile(r"[\\`*_~\[\]<>&|!@]|:(?=//)|(?<=www)\.", re.IGNORECASE)


def render_markdown(envelope: bytes) -> str:
    """The document, from the signed envelope alone. Raises verify.Fault for anything else."""
    outline = outline_of(envelope)
    parts = [f"# {_escaped(outline.title)}", *map(_section, outline.sections), _proof(outline)]
    return "\n\n".join(parts) + "\n"


def _section(section: Section) -> str:
    return "\n\n".join([f"## {_escaped(section.title)}", *map(_row, section.rows)])


def _row(row: Row) -> str:
    text, label = visible(row.text), _escaped(row.label)
    if row.own:
        return f"**{label}:** {_escaped(row.text)}"
    if row.quote or "\n" in text:
        anchor = f"\n\n{_escaped(row.anchor)}" if row.anchor else ""
        return f"**{label}:**\n\n{_fence(text)}{anchor}"
    return f"**{label}:** {_span(text)}"


def _proof(outline: Outline) -> str:
    return "\n\n".join(
        [
            "## How to verify",
            f"This page is a reading of a signed file with the sha256 `{outline.sha256}`, "
            f"signed with the key `{outline.keyid}`. Only that file counts. Check it with",
            "```\nmanage.py verify_postmortem FILE --key PUBLIC_KEY.pem\n```",
        ]
    )


def _escaped(text: str) -> str:
    return LIVE.sub(lambda found: f"\\{found.group()}", " ".join(visible(text).split()))


def _span(text: str) -> str:
    line = " ".join(visible(text).splitlines())
    ticks = "`" * (_longest_run(line) + 1)
    # A space on both sides is taken off again; it keeps backticks and spaces at the ends.
    pad = " " if line.strip("` ") != line or not line else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def _fence(text: str) -> str:
    ticks = "`" * max(3, _longest_run(text) + 1)
    return f"{ticks}text\n{text}\n{ticks}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)

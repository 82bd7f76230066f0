"""The kinds of gaps as a page of documentation."""

from __future__ import annotations

from traces.gaps import THEMES
from traces.gaps.kind import Kind

HEAD = """# Gaps

What a record lacks or contradicts is a gap. Gaps are found when a run is taken in, are always
shown, and are never repaired. Each kind says what it means for a reviewer and how to record the
next run so that it does not come up again. `traces/samples/gaps/` holds small bad records that
show each kind.

A fault that most steps of a run have is one gap of the run, not one of each step.

This page is made from `traces/gaps/`; a test keeps the two equal.
"""


def page() -> str:
    return HEAD + "".join(section(title, kinds) for title, kinds in THEMES.items())


def section(title: str, kinds: dict[str, Kind]) -> str:
    rows = [f"| `{name}` | {' | '.join(kind)} |" for name, kind in kinds.items()]
    head = "| kind | title | what it means | how to record it |\n|---|---|---|---|\n"
    return f"\n## {title}\n\n{head}" + "\n".join(rows) + "\n"

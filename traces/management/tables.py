"""What became of the files that a command took in, as a table for people at a terminal.

It is short: the whole of what is shortened here is in the JSON answer and on the receipt.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from traces.display import visible
from traces.outcomes import Outcome

# Where there is no terminal.
WIDTH = 160
LEFT_OUT = "…"


def table(outcomes: Sequence[Outcome], paths: Sequence[str], *, width: int = 0) -> str:
    """A row a file, and below it each note and refused place."""
    console = console_of(width)
    most = console.width * 2 // 5 - 2
    shown = Table(box=None, header_style="bold")
    shown.add_column("File", no_wrap=True)
    shown.add_column("What became of it")
    for column in ("Runs", "Folded", "Gaps"):
        shown.add_column(column, justify="right", no_wrap=True)
    for outcome in outcomes:
        gaps = sum(run.gap_count for run in outcome.runs)
        numbers = (len(outcome.runs), outcome.folded, gaps)
        path = shortened(visible(named(outcome.path, paths)), most)
        shown.add_row(plain(path), plain(what(outcome, most)), *map(str, numbers))
        for line in below(outcome):
            shown.add_row("", line)
    return printed(shown, console)


def what(outcome: Outcome, most: int) -> str:
    if outcome.status == "part":
        # The row of the main file tells of the runs.
        main, _, _ = outcome.reason.removeprefix("of ").partition(", run ")
        return f"part: of {shortened(Path(main).name, most)}"
    reason = outcome.account.receipt.reason if outcome.account else outcome.reason
    return f"{outcome.status}: {reason}" if reason else outcome.status


def below(outcome: Outcome) -> list[Text]:
    """Further lines on a file: how it begins if it was refused, notes, refused places."""
    account = outcome.account
    if account is None:
        return []
    lines = [excerpt(account.receipt.excerpt)] if account.receipt.excerpt else []
    lines += [plain(note) for note in outcome.notes]
    for place in account.refused:
        lines.append(plain(f"{place['position']} {place['reason']}".strip()))
        if place.get("excerpt"):
            lines.append(excerpt(place["excerpt"]))
    if account.refused_unshown:
        lines.append(plain(f"and {account.refused_unshown} more"))
    return lines


def named(path: str, paths: Sequence[str]) -> str:
    """A file's path below the folder that was named; with that folder's name if there are more."""
    for given in paths:
        folder = Path(given)
        if given and path != given and Path(path).is_relative_to(folder):
            below_it = str(Path(path).relative_to(folder))
            return below_it if len(paths) == 1 else str(Path(folder.name) / below_it)
    return path


def shortened(text: str, most: int) -> str:
    """The beginning and the end, of which the end tells more."""
    if len(text) <= most:
        return text
    head = (most - len(LEFT_OUT)) // 3
    return text[:head] + LEFT_OUT + text[head + len(LEFT_OUT) - most :]


def summary(sums: dict[str, int]) -> str:
    """The sums over all files in a line."""
    words = ", ".join(f"{sums[name]} {name}" for name in sums if name != "file_count")
    files = sums["file_count"]
    return f"{files} file{'' if files == 1 else 's'}: {words}."


def console_of(width: int) -> Console:
    return Console(width=width or (None if sys.stdout.isatty() else WIDTH))


def printed(shown: Table, console: Console) -> str:
    with console.capture() as captured:
        console.print(shown)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def plain(text: str) -> Text:
    """Foreign text for a terminal: no markup, no control sequences."""
    return Text(visible(text).replace("\n", " "), overflow="fold")


def excerpt(text: str) -> Text:
    """One line of foreign text, as much as there is room for."""
    words = visible(" ".join(text.split()))
    return Text(words, style="dim", no_wrap=True, overflow="ellipsis")

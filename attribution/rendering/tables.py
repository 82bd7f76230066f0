"""Tables that surely are some: tab- or comma-separated lines, and lists of flat JSON objects."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from attribution.rendering.cutting import Budget
from attribution.rendering.safe import Html, escaped
from attribution.rendering.structure import Literal, children, is_object
from attribution.rendering.tree import literal

COLUMNS = 16
# Rows of JSON objects that are kept to be drawn: more than any page has room for.
KEPT = 1_000
# Characters of one cell. A sentence with commas in it is no row.
WIDEST, PROSE = 300, 60
SENTENCE = re.compile(r"[.!?:;]$")


@dataclass(frozen=True, slots=True)
class Table:
    """`total` counts the rows of the whole table, of which `rows` may be the first."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    total: int


def separated(text: str) -> Table | None:
    """A table from lines that a tab or comma parts into as many cells each."""
    first = text[: text.find("\n")] if "\n" in text else ""
    for delimiter, fewest in (("\t", 2), (",", 3), (";", 3)):
        if first.count(delimiter) >= fewest - 1:
            return _read(text, delimiter)
    return None


def _read(text: str, delimiter: str) -> Table | None:
    source = io.StringIO(text.replace("\r\n", "\n"), newline="")
    try:
        rows = [tuple(row) for row in csv.reader(source, delimiter=delimiter, strict=True) if row]
    except csv.Error:
        return None
    if len(rows) < 3 or len({len(row) for row in rows}) > 1 or not _is_head(rows[0]):
        return None
    cells = [cell for row in rows for cell in row]
    spaced = sum(cell.startswith(" ") for cell in cells)
    if max(map(len, cells)) > WIDEST or (delimiter != "\t" and spaced * 4 > len(cells)):
        return None
    return Table(rows[0], tuple(rows[1:]), len(rows) - 1)


def _is_head(row: tuple[str, ...]) -> bool:
    """Names of columns: there, short, each once, and no sentence."""
    names = [name.strip() for name in row]
    return (
        2 <= len(names) <= 60
        and all(0 < len(name) <= PROSE and not SENTENCE.search(name) for name in names)
        and len(set(names)) == len(names)
        and not any(name.replace(".", "").isdigit() for name in names)
    )


def of_objects(value: Any) -> Table | None:
    """A table from a list of at least two objects of scalars that have most keys in common."""
    items = children(value)
    if items is None or is_object(value) or len(items) < 2:
        return None
    rows = [children(item) if is_object(item) else None for _, item in items]
    head: dict[str, None] = {}
    for row in rows:
        if not row or len(row) > COLUMNS or any(children(cell) is not None for _, cell in row):
            return None
        head.update(dict.fromkeys(name for name, _ in row))
    filled = sum(len(row or ()) for row in rows)
    repeats = any(len(dict(row or ())) != len(row or ()) for row in rows)
    if not head or len(head) > COLUMNS or repeats or filled * 3 < 2 * len(head) * len(rows):
        return None
    drawn = tuple(_cells(dict(row or ()), tuple(head)) for row in rows[:KEPT])
    return Table(tuple(head), drawn, len(rows))


def _cells(row: dict[str, Any], head: Sequence[str]) -> tuple[str, ...]:
    return tuple(_cell(row[name]) if name in row else "" for name in head)


def _cell(value: Any) -> str:
    is_text = isinstance(value, str) and not isinstance(value, Literal)
    return str(value) if is_text else literal(value)


def drawn(table: Table, budget: Budget) -> tuple[Html, int]:
    """As HTML, and how many rows are not in it."""
    columns = min(len(table.head), COLUMNS, max(1, budget.elements // 4))
    fitting = max(1, budget.elements // (columns + 1) - 1)
    rows = table.rows[: min(fitting, budget.lines)]
    width = max(20, budget.characters // ((len(rows) + 1) * columns))
    beyond = len(table.head) - columns
    more = f"<th>{beyond} more</th>" if beyond else ""
    head = "".join(f"<th>{_short(name, width)}</th>" for name in table.head[:columns])
    body = "".join(
        f"<tr>{''.join(f'<td>{_short(cell, width)}</td>' for cell in row[:columns])}</tr>"
        for row in rows
    )
    html = f'<table class="cells"><thead><tr>{head}{more}</tr></thead><tbody>{body}</tbody></table>'
    return Html(html), table.total - len(rows)


def _short(text: str, width: int) -> Html:
    return escaped(text if len(text) <= width else f"{text[:width]}…")

"""Figures of the same measure on several things, as one table with a column for each of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.table import Table

from traces.bench.figures import Figure

MET = {True: "yes", False: "NO", None: "–"}


def matrix(figures: Sequence[Figure], shown: Callable[[float], str]) -> Table:
    """One row a name, in the order in which they came. A cell that misses its target is marked."""
    things = list(dict.fromkeys(figure.of for figure in figures))
    rows: dict[str, dict[str, Figure]] = {}
    for figure in figures:
        rows.setdefault(figure.name, {})[figure.of] = figure
    table = Table("Figure", *things, "Unit", "Target", "Met", box=None)
    for column in table.columns[1 : 1 + len(things)]:
        column.justify = "right"
    for name, cells in rows.items():
        first = next(iter(cells.values()))
        values = [cell(cells.get(thing), shown) for thing in things]
        table.add_row(name, *values, first.unit, first.target, met(list(cells.values())))
    return table


def cell(figure: Figure | None, shown: Callable[[float], str]) -> str:
    if figure is None:
        return ""
    return f"{shown(figure.value)}!" if figure.met is False else shown(figure.value)


def met(figures: Sequence[Figure]) -> str:
    """Whether all of them meet it."""
    if not figures[0].target:
        return ""
    known = [figure.met for figure in figures if figure.met is not None]
    return MET[all(known) if known else None]

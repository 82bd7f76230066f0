"""`manage.py bench [NAME...]`: how fast Inquest is on this machine, in a database of its own."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from typing import Any

from django.core.management import CommandError
from rich.console import Console
from rich.table import Table

from reviews.bench.matrix import MET, matrix
from reviews.bench.register import BENCHES
from reviews.management.database import DatabaseCommand
from traces.bench import database
from traces.bench.figures import Figure

Measured = list[tuple[str, Figure]]


class Command(DatabaseCommand):
    help = "Measure speed in a new database that is deleted afterwards; the real one is not used."

    def add_arguments(self, parser: ArgumentParser) -> None:
        known = ", ".join(BENCHES)
        parser.add_argument("names", nargs="*", metavar="NAME", help=f"all, or some of: {known}")
        parser.add_argument("--json", action="store_true", help="print one JSON document")
        parser.add_argument("--quick", action="store_true", help="less of everything, less exact")
        parser.add_argument("--strict", action="store_true", help="exit with 1 if one is missed")

    def handle(self, *, names: list[str], quick: bool, **options: Any) -> None:
        chosen = chosen_names(names)
        try:
            with database.throw_away():
                figures = list(measured(chosen, quick=quick, tell=self.tell))
        except KeyboardInterrupt:
            raise CommandError("Stopped. The database of the measurement is deleted.") from None
        if options["json"]:
            self.stdout.write(json.dumps(document(figures, quick=quick), indent=1))
        else:
            self.stdout.write(table(figures))
        if options["strict"] and missed(figures):
            sys.exit(1)

    def tell(self, line: str) -> None:
        """Say how far it is, beside the figures and not among them."""
        self.stderr.write(line, style_func=str)


def chosen_names(names: list[str]) -> list[str]:
    unknown = [name for name in names if name not in BENCHES]
    if unknown:
        raise CommandError(f'There is no bench "{unknown[0]}". Known: {", ".join(BENCHES)}.')
    return names or list(BENCHES)


def measured(
    names: list[str], *, quick: bool, tell: Callable[[str], None]
) -> Iterator[tuple[str, Figure]]:
    """One bench after the other. It tells which one runs, and each figure it has."""
    for number, name in enumerate(names, 1):
        tell(f"Measuring {name}, {number} of {len(names)}.")
        for figure in BENCHES[name](quick=quick):
            tell(f"  {figure.name}" + (f", {figure.of}" if figure.of else ""))
            yield name, figure


def command(name: str, *, quick: bool) -> str:
    return f"manage.py bench {name}" + (" --quick" if quick else "")


def missed(figures: Measured) -> list[str]:
    return [figure.name for _, figure in figures if figure.met is False]


def document(figures: Measured, *, quick: bool) -> dict[str, Any]:
    return {
        "quick": quick,
        "figures": [
            {
                "bench": bench,
                "name": figure.name,
                "of": figure.of,
                "value": round(figure.value, 4),
                "unit": figure.unit,
                "target": figure.target,
                "met": figure.met,
                "command": command(bench, quick=quick),
            }
            for bench, figure in figures
        ],
    }


def judged(figure: Figure) -> str:
    """A dash stands for a target that is for more than was measured."""
    return "" if not figure.target else MET[figure.met]


def table(figures: Measured) -> str:
    """One table of single figures, and for each bench that measures several things one of them."""
    single = [(bench, figure) for bench, figure in figures if not figure.of]
    several = list(dict.fromkeys(bench for bench, figure in figures if figure.of))
    tables = [list_of(single)] if single else []
    for name in several:
        compared = [figure for bench, figure in figures if bench == name and figure.of]
        tables.append(matrix(compared, number))
    console = Console(width=None if sys.stdout.isatty() else 160)
    with console.capture() as captured:
        console.print(*tables, sep="\n")
    return captured.get().rstrip()


def list_of(figures: Measured) -> Table:
    shown = Table("Bench", "Figure", "Value", "Unit", "Target", "Met", box=None)
    shown.columns[2].justify = "right"
    for bench, figure in figures:
        value = number(figure.value)
        shown.add_row(bench, figure.name, value, figure.unit, figure.target, judged(figure))
    return shown


def number(value: float) -> str:
    return f"{value:,.3f}" if value < 100 else f"{value:,.0f}"

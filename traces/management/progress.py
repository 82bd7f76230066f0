"""How far a command is with files, for people at a terminal: bytes, files, and which one now."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Column

from traces.display import visible
from traces.folders import Found, size


def watched(files: Iterator[Found], paths: list[str], console: Console) -> Iterator[Found]:
    """The same files, with a line about them on the console that goes away at the end.

    The line moves while one long file is read, too: by its clock.
    """
    sizes = [size(path) for path in every_file(paths)]
    columns = (
        SpinnerColumn(),
        TextColumn("Taking files"),
        BarColumn(bar_width=16),
        TextColumn("{task.fields[count]} of {task.fields[of]}", table_column=Column(no_wrap=True)),
        DownloadColumn(table_column=Column(no_wrap=True)),
        TimeElapsedColumn(),
        TextColumn("{task.fields[now]}", markup=False, table_column=Column(ratio=1, no_wrap=True)),
    )
    with Progress(*columns, console=console, transient=True, expand=True) as progress:
        task = progress.add_task("", total=sum(sizes), count=0, of=len(sizes), now="")
        count = 0
        for file in files:
            progress.update(task, now=visible(file.path)[-60:])
            yield file
            taken = (file.path, *file.parts)
            count += len(taken)
            progress.update(task, advance=sum(size(Path(path)) for path in taken), count=count)


def every_file(paths: list[str]) -> Iterator[Path]:
    for path in map(Path, filter(None, paths)):
        if path.is_dir():
            yield from (each for each in path.rglob("*") if each.is_file())
        else:
            yield path

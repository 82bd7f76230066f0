"""The record of running children, by which the next start finds what a killed one left.

A process counts as ours only if its number and its time of creation are the recorded ones: the
system gives numbers out again.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypedDict

import psutil

from config.embedded import records
from config.embedded.paths import installation, state_dir
from config.embedded.processes import Child, kill_session, stop

# Seconds. A clock set between two starts shifts the times of creation a little.
SAME_MOMENT = 2.0


class Row(TypedDict):
    """One child as the file keeps it: `created` in seconds since 1970, `patience` in seconds."""

    name: str
    pid: int
    created: float
    stop: list[int]
    patience: float


def write(children: Iterable[Child]) -> None:
    """Replace the record. A copied state folder has another mark and never meets these rows."""
    rows = [
        Row(
            name=child.name,
            pid=child.process.pid,
            created=child.created,
            stop=[int(number) for number in child.stop],
            patience=child.patience,
        )
        for child in children
    ]
    records.write(_file(), json.dumps({"installation": installation(), "children": rows}))


def read() -> Sequence[Row]:
    """The rows of this installation, in the order in which the children were started."""
    found = json.loads(records.read(_file()) or "{}")
    rows: list[Row] = found.get("children", [])
    return rows if found.get("installation") == installation() else []


def stop_orphans() -> list[str]:
    """End what an earlier start left, newest first, and nothing else. Returns their names."""
    rows = read()
    orphans = [child for row in reversed(rows) if (child := _still_running(row))]
    for child in orphans:
        stop(child, hurried=lambda: False)
    for row in rows:
        kill_session(row["pid"])
    write([])
    return [child.name for child in orphans]


def _still_running(row: Row) -> Child | None:
    try:
        process = psutil.Process(row["pid"])
        created = process.create_time()
    except psutil.NoSuchProcess:
        return None
    child = Child(row["name"], process, created, row["stop"], row["patience"])
    same = abs(created - row["created"]) <= SAME_MOMENT
    return child if same and not child.exited() else None


def _file() -> Path:
    return state_dir() / "processes.json"

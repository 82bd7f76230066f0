"""`manage.py migrate_native FILE...`: runs of version 1 of the native format as version 2."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError

from traces.display import visible
from traces.formats.base import Unreadable
from traces.formats.native.files import Migrated, migrated_file


class Command(BaseCommand):
    help = "Print native runs of version 1 as version 2, one a line; files are never changed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", metavar="FILE")
        parser.add_argument(
            "--out", action="store_true", help="write NAME.v2.jsonl beside each file instead"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *, paths: list[str], out: bool, **options: Any) -> None:
        outcomes = [migrate(Path(path), beside=out) for path in paths]
        if options["json"]:
            self.stdout.write(json.dumps({"files": outcomes}, indent=1))
        elif out:
            for outcome in outcomes:
                self.stdout.write(visible(outcome["written"] or ""))
        else:
            for outcome in outcomes:
                for run in outcome["documents"]:
                    # In ASCII: text of a trace must not command a terminal.
                    self.stdout.write(json.dumps(run))
        if troubles := [f"{o['path']}: {o['reason']}" for o in outcomes if o["reason"]]:
            raise CommandError(visible("\n".join(troubles)))


def migrate(path: Path, *, beside: bool) -> dict[str, Any]:
    """What became of one file. Its reason is empty if it was migrated."""
    outcome = {"path": str(path), "runs": 0, "written": None, "documents": [], "reason": ""}
    try:
        migrated = migrated_file(path.read_bytes())
        if beside:
            outcome["written"] = str(written(path, migrated))
        else:
            outcome["documents"] = list(migrated)
    except (Unreadable, OSError) as error:
        return outcome | {"reason": str(error)}
    return outcome | {"runs": len(migrated)}


def written(path: Path, runs: Migrated) -> Path:
    """The new file beside the old one. Nothing that is there is written over."""
    target = path.with_suffix(".v2.jsonl")
    with target.open("x", encoding="utf-8") as file:
        file.writelines(json.dumps(run, ensure_ascii=False) + "\n" for run in runs)
    return target

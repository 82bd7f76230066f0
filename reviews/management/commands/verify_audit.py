"""`manage.py verify_audit`: whether the audit chain holds, and what was signed with it."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management import CommandError
from django.utils import timezone

from reviews import checkpoints
from reviews.adjudication import contents
from reviews.management.database import DatabaseCommand
from reviews.postmortems import keys, signing, verify
from traces import audit
from traces.models import AuditEntry


class Command(DatabaseCommand):
    help = "Check the audit chain and what was signed. Exits with 1 if it does not hold."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON document")
        parser.add_argument(
            "--against", metavar="FILE", help="also check against this checkpoint, kept elsewhere"
        )
        parser.add_argument(
            "--key", metavar="PUB.pem", help="the public key of FILE, if not the present one"
        )
        parser.add_argument(
            "--checkpoint", action="store_true", help="make and print a checkpoint if all holds"
        )
        parser.add_argument("--out", metavar="FILE", help="write the checkpoint there instead")

    def handle(self, **options: Any) -> None:
        try:
            # Stored checkpoints first: the chain may grow meanwhile, and they with it.
            found = [*checkpoints.faults(), *_faults_against(options["against"], options["key"])]
            faults = [*audit.faults(), *contents.faults(), *found]
            made = _checkpoint() if options["checkpoint"] and not faults else ""
        except (signing.BadKey, OSError) as error:
            raise CommandError(f"The key or a file cannot be read: {error}") from error
        if made and options["out"]:
            Path(options["out"]).write_bytes(made.encode())
            made = ""
        self._tell(faults, made, as_json=options["json"])
        if faults:
            sys.exit(1)

    def _tell(self, faults: list[str], made: str, *, as_json: bool) -> None:
        count = AuditEntry.objects.count()
        if as_json:
            document = {"valid": not faults, "entries": count, "faults": faults}
            told = document | ({"checkpoint": json.loads(made)} if made else {})
            self.stdout.write(json.dumps(told, indent=1))
        else:
            lines = [*faults, _sum(count, len(faults)), *([made] if made else [])]
            self.stdout.write("\n".join(lines))


def _faults_against(file: str | None, key: str | None) -> Iterator[str]:
    if file is None:
        return
    public_pem = Path(key).read_bytes() if key else signing.public_pem(keys.installation_signer())
    try:
        point = checkpoints.read(Path(file).read_bytes(), public_pem=public_pem)
    except verify.Fault as fault:
        yield f"{file} is no checkpoint to check against. {fault}"
        return
    yield from checkpoints.faults_against(point)


def _checkpoint() -> str:
    """The newest checkpoint, made now if the chain has grown; empty for an empty chain."""
    newest = checkpoints.make(at=timezone.now()) or checkpoints.newest()
    return newest.envelope if newest else ""


def _sum(count: int, faults: int) -> str:
    broken = f"does not hold: {faults} {'fault' if faults == 1 else 'faults'}"
    return f"{count} entries checked. The chain {broken if faults else 'holds'}."

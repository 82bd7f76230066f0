"""`manage.py verify_audit`: whether the audit chain holds, entry by entry."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from typing import Any

from reviews.adjudication import contents
from reviews.management.database import DatabaseCommand
from traces import audit
from traces.models import AuditEntry


class Command(DatabaseCommand):
    help = "Check the audit chain and what was signed. Exits with 1 if it does not hold."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, **options: Any) -> None:
        count, faults = AuditEntry.objects.count(), [*audit.faults(), *contents.faults()]
        if options["json"]:
            document = {"valid": not faults, "entries": count, "faults": faults}
            self.stdout.write(json.dumps(document, indent=1))
        else:
            self.stdout.write("\n".join([*faults, _sum(count, len(faults))]))
        if faults:
            sys.exit(1)


def _sum(count: int, faults: int) -> str:
    broken = f"does not hold: {faults} {'fault' if faults == 1 else 'faults'}"
    return f"{count} entries checked. The chain {broken if faults else 'holds'}."

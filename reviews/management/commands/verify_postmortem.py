"""`manage.py verify_postmortem FILE --key PUB.pem`: no database, no network, no services."""

from __future__ import annotations

import hashlib
import json
import sys
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError

from reviews.postmortems import content, verify
from traces.display import visible


class Command(BaseCommand):
    help = "Verify an exported postmortem. Exits with 0 if it is valid, else with 1."
    # Checks would import every URL and look at the database settings; this needs neither.
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE")
        parser.add_argument("--key", required=True, metavar="PUB.pem", help="the public key")
        parser.add_argument(
            "--document",
            action="append",
            default=[],
            metavar="RAWFILE",
            help="also check that this is the raw document it is about; may be repeated",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *, file: str, key: str, document: list[str], **options: Any) -> None:
        data, raw = _read(file), {path: _read(path) for path in document}
        faults, about = _judged(data, _read(key), raw)
        if options["json"]:
            told = {"valid": not faults, "faults": faults, **about}
            self.stdout.write(json.dumps(told, indent=1))
        else:
            lines = [f"invalid: {fault}" for fault in faults] or _good(about, list(raw))
            self.stdout.write("\n".join(visible(line) for line in lines))
        if faults:
            sys.exit(1)


def _judged(
    data: bytes, public_key: bytes, raw: Mapping[str, bytes]
) -> tuple[list[str], dict[str, Any]]:
    """What is wrong, and what the file says about itself; nothing of it if it is not valid."""
    about = {"sha256": hashlib.sha256(data).hexdigest()}
    faults = verify.verify(data, public_key)
    if faults:
        return faults, about
    statement = verify.statement_in(data)
    for path, document in raw.items():
        faults += content.document_faults(statement, document, path)
    return faults, {**about, "keyid": verify.keyid_in(data), **content.summary_of(statement)}


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from error


def _good(about: dict[str, Any], documents: list[str]) -> list[str]:
    return [
        "valid",
        f"  what: case {about['case']} of {about['project']}, verdict {about['verdict']}:"
        f" {about['outcome']}",
        f"  who: {about['signed_by']}",
        f"  when: {about['signed_at']}",
        f"  run: {about['run']}",
        f"  key: {about['keyid']}",
        f"  file: sha256 {about['sha256']}",
        *(f"  document: {path} is the one it is about" for path in documents),
    ]

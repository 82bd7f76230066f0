"""`manage.py export_postmortem --project SLUG --case N`: the signed document of a verdict."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import CommandError

from reviews.management.database import DatabaseCommand
from reviews.models import Postmortem
from reviews.postmortems import keys, signing
from reviews.postmortems.exports import FORMATS


class Command(DatabaseCommand):
    help = "Write the signed postmortem of a case, or a readable form of it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--case", required=True, type=int, metavar="N")
        parser.add_argument(
            "--format",
            choices=sorted(FORMATS),
            default="json",
            help="json is the signed file; the others are readings of it",
        )
        parser.add_argument("--out", metavar="FILE", help="write here, not to the terminal")
        parser.add_argument(
            "--public-key", metavar="FILE", help="also write the key to verify with, in PEM"
        )
        parser.add_argument("--json", action="store_true", help="say in JSON what was written")

    def handle(self, *, project: str, case: int, **options: Any) -> None:
        if options["json"] and not options["out"]:
            raise CommandError("--json reports on a written file: give --out as well.")
        postmortem = _postmortem(project, case)
        content = FORMATS[options["format"]].render(postmortem.envelope.encode())
        if options["public_key"]:
            _write(options["public_key"], _public_key(postmortem))
        if not options["out"]:
            self.stdout.write(content.decode(), ending="")
            return
        _write(options["out"], content)
        told = {
            "project": project,
            "case": case,
            "verdict": postmortem.verdict.number,
            "file": options["out"],
            "format": options["format"],
            "sha256": postmortem.sha256,
            "keyid": postmortem.keyid,
        }
        self.stdout.write(json.dumps(told, indent=1) if options["json"] else _sentence(told))


def _postmortem(project: str, case: int) -> Postmortem:
    found = Postmortem.objects.of_case(project, case)
    if found is None:
        raise CommandError(f"Case {case} of {project} has no verdict, or there is no such case.")
    return found


def _public_key(postmortem: Postmortem) -> bytes:
    signer = keys.installation_signer()
    if signer.public_key.keyid != postmortem.keyid:
        raise CommandError(
            f"The postmortem was signed with the key {postmortem.keyid}, which this installation"
            " does not use any more."
        )
    return signing.public_pem(signer)


def _write(path: str, content: bytes) -> None:
    try:
        Path(path).write_bytes(content)
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}.") from error


def _sentence(told: dict[str, Any]) -> str:
    return (
        f"Wrote verdict {told['verdict']} on case {told['case']} to {told['file']}"
        f" (envelope sha256 {told['sha256']})."
    )

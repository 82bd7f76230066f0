"""`manage.py reread --project SLUG`: read stored documents again, after a mapper has changed."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management import BaseCommand, CommandError
from django.utils import timezone

from traces import outdated
from traces.formats import registry
from traces.formats.base import Unreadable
from traces.models import Project, Receipt


class Command(BaseCommand):
    help = "Read stored documents again with the formats as they are now; marks are kept."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--format", default="", metavar="NAME", help="only runs of this format")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *, project: str, **options: Any) -> None:
        found = Project.objects.filter(slug=project).first()
        if found is None:
            raise CommandError(f'There is no project "{project}".')
        try:
            if options["format"]:
                registry.named(options["format"])
        except Unreadable as error:
            raise CommandError(str(error)) from error
        receipts = outdated.reread(
            project=found, format_name=options["format"], by=None, at=timezone.now()
        )
        told = [plain(receipt) for receipt in receipts]
        if options["json"]:
            self.stdout.write(json.dumps({"project": project, "documents": told}, indent=1))
        else:
            self.tell(told)
        if refused := sum(each["refused"] for each in told):
            raise CommandError(f"Places that were refused: {refused}.")

    def tell(self, told: list[dict[str, Any]]) -> None:
        for each in told:
            counts = f"{each['renewed']} renewed, {each['made']} new, {each['known']} as they were"
            self.stdout.write(f"{each['sha256'][:16]}  {counts}")
            for note in each["notes"]:
                self.stdout.write(f"  {note}")
        if not told:
            self.stdout.write("Nothing to do: all runs are read by the formats as they are now.")


def plain(receipt: Receipt) -> dict[str, Any]:
    return {
        "sha256": receipt.document.sha256 if receipt.document else "",
        "receipt": receipt.pk,
        "status": receipt.status,
        "renewed": len(receipt.renewed),
        "made": len(receipt.made),
        "known": len(receipt.known),
        # A document that is refused whole is one place.
        "refused": receipt.refused_count or int(receipt.status == Receipt.Status.REFUSED),
        "notes": [*filter(None, [receipt.reason]), *receipt.notes],
    }

"""`manage.py redact --project SLUG`: what a policy withholds from stored documents, or apply it."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.management import BaseCommand, CommandError
from django.utils import timezone

from traces import quarantine, replacing, withholding
from traces.formats.base import Unreadable
from traces.models import Project, RawDocument
from traces.withholding import Finding, KeyLost


class Command(BaseCommand):
    help = "Show what the redaction policy would withhold from what is stored; --apply does it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--apply", action="store_true", help="replace documents and runs")
        parser.add_argument("--by", metavar="USERNAME", help="the lead who answers for --apply")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *, project: str, apply: bool, by: str | None, **options: Any) -> None:
        found = Project.objects.filter(slug=project).first()
        if found is None:
            raise CommandError(f'There is no project "{project}".')
        row = withholding.policy_in_force(found)
        if row is None:
            raise CommandError("This project has no redaction policy.")
        documents = replacing.current(found)
        if apply:
            lead = User.objects.filter(username=by).first()
            if lead is None:
                raise CommandError("--apply needs --by with the name of a lead of the project.")
            told = [self.applied(document, lead) for document in documents.iterator()]
        else:
            findings = withholding.dry_run(
                project=found, rules=row.rules, documents=documents.iterator()
            )
            told = [plain(finding) for finding in findings]
        self.tell(
            {"project": project, "policy": row.version, "applied": apply, "documents": told},
            as_json=options["json"],
        )
        if refused := sum(bool(each["refused"]) for each in told):
            raise CommandError(f"Documents that could not be searched: {refused}.")

    def applied(self, document: RawDocument, lead: User) -> dict[str, Any]:
        told: dict[str, Any] = {"sha256": document.sha256, "refused": ""}
        try:
            replaced = replacing.apply(document=document, by=lead, at=timezone.now())
        except (quarantine.Refused, Unreadable, KeyLost) as error:
            return {**told, "refused": str(error)}
        except PermissionDenied as error:
            raise CommandError(str(error)) from error
        copy = replaced.copy.sha256 if replaced.changed else ""
        return {**told, "copy": copy, "set_aside": replaced.set_aside}

    def tell(self, told: dict[str, Any], *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(told, indent=1))
            return
        for each in told["documents"]:
            if each["refused"]:
                words = each["refused"]
            elif told["applied"]:
                words = f"{each['set_aside']} runs replaced" if each["copy"] else "nothing to do"
            else:
                words = f"{each['count']} values would be withheld"
            self.stdout.write(f"{each['sha256'][:16]}  {words}")


def plain(finding: Finding) -> dict[str, Any]:
    return {
        "sha256": finding.document.sha256,
        "refused": finding.refused,
        "count": finding.count,
        "entries": list(finding.entries),
    }

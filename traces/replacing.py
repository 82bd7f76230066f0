"""A policy applied to what is stored: a redacted copy, and runs read from it in place of the old.

Raw documents are never changed or removed. The copy becomes a document of its own; the runs of
the old one are set aside for personal data, which closes them and their bytes to all but leads,
and each names the run that replaces it. Doing it again changes nothing.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from traces import audit, failing, ingest, labelling, models, quarantine, withholding, writing
from traces.models import Project, Quarantine, RawDocument, Receipt, Run
from traces.transcript import Failure


class NoPolicy(Exception):
    """The project has no policy that could be applied."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """A document, its copy, and how many of its runs were set aside. The same one twice: nothing
    in it is withheld by the policy in force."""

    document: RawDocument
    copy: RawDocument
    set_aside: int = 0

    @property
    def changed(self) -> bool:
        return self.copy.pk != self.document.pk


def current(project: Project) -> QuerySet[RawDocument]:
    """The documents that nothing has replaced, newest first, without their bytes."""
    documents = RawDocument.objects.filter(project=project).current()
    return documents.defer("content").order_by("-pk")


@transaction.atomic
@audit.together()
def apply(*, document: RawDocument, by: User, at: datetime) -> Replaced:
    """Apply the policy in force to one stored document, all of it or nothing.

    Runs in which the policy finds nothing stay as they are. Raises NoPolicy; Unreadable if the
    bytes cannot be searched; KeyLost; PermissionDenied for who does not lead the project.
    """
    writing.lock(document.project)
    row = withholding.policy_in_force(document.project)
    if row is None:
        raise NoPolicy("This project has no redaction policy.")
    copy = withholding.redacted_copy(document=document, row=row, at=at)
    if copy.pk == document.pk:
        return Replaced(document, copy)
    # What they say may be what is withheld now. Those of the copy take their place.
    document.labels.all().delete()
    receipt = ingest.read(receipt_id=_received(document, copy, by=by, at=at).pk, at=at)
    made = Run.objects.filter(pk__in=[*receipt.made, *receipt.known])
    by_place = {run.pointer: run for run in made}
    count = 0
    for old in document.runs.select_related("project"):
        new = by_place.get(old.pointer)
        if new == old:
            continue
        labelling.free(old)
        count += _set_aside(old, new, version=row.version, receipt=receipt, by=by, at=at)
        if new:
            _carry_over(old, new, at=at)
            labelling.join_to([new], at=at)
    return Replaced(document, copy, count)


def _carry_over(old: Run, new: Run, *, at: datetime) -> None:
    """What people and programs found to have failed in the old run has failed in the new one."""
    added = old.failures.exclude(origin=models.Failure.Origin.RECORD).select_related("added_by")
    for row in added.order_by("pk"):
        failure = Failure(
            key="",
            statement=row.statement,
            expected=row.expected,
            observed=row.observed,
            check=row.check_name,
            exposed_by=row.exposed_by,
            consequence=row.consequence,
        )
        with suppress(failing.AlreadyThere):
            failing.add_failure(
                run=new,
                failure=failure,
                by=cast(User, row.added_by),
                origin=models.Failure.Origin(row.origin),
                at=at,
            )


def _received(document: RawDocument, copy: RawDocument, *, by: User, at: datetime) -> Receipt:
    """The receipt of the copy. Those of the document lose what the policy withholds, too."""
    receipts = list(document.receipts.order_by("pk"))
    for each in receipts:
        for name in ("filename", "reason", "excerpt"):
            text = withholding.name_at_the_door(
                project=document.project, name=getattr(each, name), at=at
            )
            setattr(each, name, text[:400] if name == "filename" else text)
        each.save(update_fields=["filename", "reason", "excerpt"])
    before = Receipt.objects.filter(document=copy, via=Receipt.Via.REDACTION).first()
    if before is not None:
        return before
    first = next(iter(receipts), None)
    return Receipt.objects.create(
        project=document.project,
        document=copy,
        filename=first.filename if first else "",
        wanted_format=first.wanted_format if first else "",
        via=Receipt.Via.REDACTION,
        received_by=by,
        received_at=at,
    )


@transaction.atomic
@audit.together()
def _set_aside(
    run: Run, replacement: Run | None, *, version: int, receipt: Receipt, by: User, at: datetime
) -> bool:
    """Close a run for personal data, also one that was set aside for something else."""
    standing = quarantine.standing(run)
    if standing and standing.reason == Quarantine.Reason.PERSONAL_DATA:
        return False
    note = f"Version {version} of the redaction policy was applied to its document."
    if standing:
        quarantine.lift(quarantine=standing, why=note, by=by, at=at)
    quarantine.set_aside(
        run=run,
        reason=Quarantine.Reason.PERSONAL_DATA,
        note=note,
        replacement=replacement,
        by=by,
        at=at,
    )
    audit.record(
        action="redaction.applied",
        subject=f"run:{run.pk}",
        at=at,
        project=run.project,
        actor=by,
        data={
            "policy": version,
            "document": receipt.document.sha256 if receipt.document else "",
            "replacement": str(replacement.pk) if replacement else "",
        },
    )
    return True

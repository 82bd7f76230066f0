from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce, NullIf

from traces.models.projects import Project
from traces.models.protection import append_only
from traces.models.redaction import RedactionPolicy


class RawDocumentQuerySet(models.QuerySet["RawDocument"]):
    def current(self) -> RawDocumentQuerySet:
        """Those that no redacted copy has replaced."""
        original = Coalesce(NullIf(OuterRef("original_sha256"), Value("")), OuterRef("sha256"))
        later = RawDocument.objects.filter(
            project=OuterRef("project"), original_sha256=original, pk__gt=OuterRef("pk")
        )
        return self.exclude(Exists(later))


class RawDocument(models.Model):
    """Bytes as they came, stored before anything else is done with them.

    Where the project's policy withholds something, the bytes hold placeholders in its place:
    `policy` is the one that was applied, and `original_sha256` and `original_size` are of the
    bytes as they were sent. Both are empty where the stored bytes are those that were sent.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="documents")
    sha256 = models.CharField(max_length=64)
    content = models.BinaryField()
    size = models.BigIntegerField()
    received_at = models.DateTimeField()
    policy = models.ForeignKey(RedactionPolicy, models.PROTECT, null=True, related_name="documents")
    original_sha256 = models.CharField(max_length=64, blank=True)
    original_size = models.BigIntegerField(null=True)

    objects = RawDocumentQuerySet.as_manager()

    class Meta:
        triggers = append_only()
        constraints = [
            models.UniqueConstraint(
                fields=["project", "sha256"], name="same_bytes_are_one_document"
            )
        ]
        indexes = [
            models.Index(
                fields=["project", "original_sha256"],
                name="documents_by_original",
                condition=~Q(original_sha256=""),
            )
        ]

    def __str__(self) -> str:
        return f"{self.sha256[:12]} ({self.size} bytes)"


class ReceiptQuerySet(models.QuerySet["Receipt"]):
    def unfinished(self) -> ReceiptQuerySet:
        """Documents that are still to be read. Spans are read when their trace is complete."""
        return self.filter(status=Receipt.Status.STORED).exclude(via=Receipt.Via.OTLP)

    def not_being_read(self, *, since: Combinable) -> ReceiptQuerySet:
        """Those that nobody took to read after this time of the database's clock."""
        return self.filter(Q(reading_since=None) | Q(reading_since__lt=since))


class Receipt(models.Model):
    """What became of one received document: runs made, already known, gaps, refused lines."""

    class Status(models.TextChoices):
        STORED = "stored", "stored, not read yet"
        READ = "read", "read"
        REFUSED = "refused", "refused"

    class Via(models.TextChoices):
        COMMAND = "command", "command line"
        UPLOAD = "upload", "upload"
        API = "api", "API"
        REDACTION = "redaction", "redaction"
        OTLP = "otlp", "OTLP"

    project = models.ForeignKey(Project, models.CASCADE, related_name="receipts")
    document = models.ForeignKey(RawDocument, models.PROTECT, null=True, related_name="receipts")
    filename = models.CharField(max_length=400)
    via = models.CharField(max_length=10, choices=Via)
    status = models.CharField(max_length=10, choices=Status, default=Status.STORED)
    wanted_format = models.CharField(max_length=40, blank=True)
    format = models.CharField(max_length=40, blank=True)
    rule = models.CharField(max_length=200, blank=True)
    reason = models.TextField(blank=True)
    # What the reason quotes of the document. It may hold a label, so it is for leads.
    excerpt = models.TextField(blank=True)
    made = models.JSONField(default=list)
    known = models.JSONField(default=list)
    # Runs that were here and are read anew, with more of their records or by a later mapper.
    renewed = models.JSONField(default=list, db_default=[])
    # Spans that were taken, and records that only say again what others say.
    accepted = models.IntegerField(default=0, db_default=0)
    folded = models.IntegerField(default=0, db_default=0)
    # Spans of an OTLP request that wait to be read.
    waiting = models.IntegerField(default=0, db_default=0)
    # What the policy withheld from an OTLP request, as on the receipt of a document's redaction.
    withheld = models.JSONField(default=list, db_default=[])
    # What was left out without being refused, and why: metrics, files that are no traces.
    notes = models.JSONField(default=list, db_default=[])
    gap_count = models.IntegerField(default=0)
    # The first refused places, and how many there were in all.
    refused = models.JSONField(default=list)
    refused_count = models.IntegerField(default=0)
    received_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    received_at = models.DateTimeField()
    # Whoever reads it holds it from here on for a while; each try is counted before it begins.
    reading_since = models.DateTimeField(null=True)
    tries = models.PositiveSmallIntegerField(default=0)
    finished_at = models.DateTimeField(null=True)

    objects = ReceiptQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["project", "-received_at"], name="receipts_by_time"),
            models.Index(
                fields=["received_at"], name="receipts_to_finish", condition=Q(status="stored")
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=["stored", "read", "refused"]),
                name="receipt_status_is_known",
            )
        ]

    def __str__(self) -> str:
        return f"{self.filename}: {self.status}"

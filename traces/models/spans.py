"""Spans that came over OTLP and wait to be assembled: durable before the sender is answered."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from traces.models.documents import RawDocument, Receipt
from traces.models.projects import Project
from traces.models.runs import Run


class SpanOrigin(models.Model):
    """A resource and a scope, which many spans have in common.

    `content` is their OTLP JSON: an entry of `resourceSpans` or `resourceLogs` without items, of
    which the last four characters close its lists.
    """

    project = models.ForeignKey(Project, models.CASCADE, related_name="+")
    sha256 = models.BinaryField()
    content = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "sha256"], name="same_origin_is_one_row")
        ]

    def __str__(self) -> str:
        return bytes(self.sha256).hex()[:12]


class OpenTrace(models.Model):
    """A trace of which spans have come: the job of making a run of them.

    It is due when its root has ended and nothing came for a while, or after its time-out; then
    its spans become a document and a run, and it keeps the run, for spans that come later.
    """

    project = models.ForeignKey(Project, models.CASCADE, related_name="open_traces")
    trace_id = models.BinaryField()
    first_at = models.DateTimeField()
    last_at = models.DateTimeField()
    root_ended = models.BooleanField()
    # Spans that wait. Those that were assembled are in the run's document.
    waiting = models.IntegerField()
    # Whoever assembles it holds it from here on for a while; each try is counted.
    taken_at = models.DateTimeField(null=True)
    tries = models.PositiveSmallIntegerField(default=0, db_default=0)
    run = models.ForeignKey(Run, models.SET_NULL, null=True, related_name="+")
    document = models.ForeignKey(RawDocument, models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "trace_id"], name="one_job_per_trace"),
            models.CheckConstraint(condition=Q(waiting__gte=0), name="waiting_spans_are_counted"),
        ]
        indexes = [
            models.Index(fields=["last_at"], name="traces_to_assemble", condition=Q(waiting__gt=0))
        ]

    def __str__(self) -> str:
        return bytes(self.trace_id).hex()


class RawSpan(models.Model):
    """One span, or one log record of a trace, as OTLP JSON without its origin. Gone once read.

    `digest` is of the content, so that a span sent again is known without parsing it.
    """

    class Signal(models.TextChoices):
        SPAN = "span", "span"
        LOG = "log", "log record"

    project = models.ForeignKey(Project, models.CASCADE, related_name="+", db_index=False)
    receipt = models.ForeignKey(Receipt, models.CASCADE, related_name="+", db_index=False)
    origin = models.ForeignKey(SpanOrigin, models.PROTECT, related_name="+", db_index=False)
    trace_id = models.BinaryField()
    span_id = models.BinaryField()
    signal = models.CharField(max_length=4, choices=Signal)
    digest = models.BinaryField()
    content = models.BinaryField()

    class Meta:
        indexes = [models.Index(fields=["project", "trace_id"], name="spans_by_trace")]
        constraints = [
            models.CheckConstraint(condition=Q(signal__in=["span", "log"]), name="signal_is_known")
        ]

    def __str__(self) -> str:
        return f"{bytes(self.trace_id).hex()}/{bytes(self.span_id).hex()}"

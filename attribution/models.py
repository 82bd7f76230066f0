from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import Q

from traces.models import Run


class AnalysisQuerySet(models.QuerySet["Analysis"]):
    def claimable(self, *, at: datetime) -> AnalysisQuerySet:
        """Queued, or running past its lease: its worker died."""
        return self.filter(
            Q(status=Analysis.Status.QUEUED)
            | Q(status=Analysis.Status.RUNNING, lease_expires_at__lt=at)
        )

    def unfinished(self) -> AnalysisQuerySet:
        return self.filter(status__in=[Analysis.Status.QUEUED, Analysis.Status.RUNNING])

    def without_reference(self) -> AnalysisQuerySet:
        """Ended for want of a run to compare with: a later run may change that."""
        return self.filter(status=Analysis.Status.DONE, note=Analysis.NO_REFERENCE)


class Analysis(models.Model):
    """One attributor on one run: a job row first, a Celery message second."""

    class Status(models.TextChoices):
        QUEUED = "queued", "queued"
        RUNNING = "running", "running"
        DONE = "done", "done"
        FAILED = "failed", "failed"

    # An analysis that fails or kills its worker this often is given up.
    MOST_TRIES = 3
    NO_REFERENCE = "no successful run of this task to compare with"

    run = models.ForeignKey(Run, models.CASCADE, related_name="analyses")
    attributor = models.CharField(max_length=80)
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    tries = models.SmallIntegerField(default=0)
    note = models.TextField(blank=True)
    error = models.TextField(blank=True)
    queued_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    lease_expires_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    objects = AnalysisQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "attributor"], name="one_analysis_per_run_and_attributor"
            ),
            models.CheckConstraint(
                condition=Q(status__in=["queued", "running", "done", "failed"]),
                name="analysis_status_is_known",
            ),
            models.CheckConstraint(
                condition=Q(status__in=["queued", "running"]) ^ Q(finished_at__isnull=False),
                name="ended_analyses_have_an_end",
            ),
        ]
        indexes = [
            models.Index(
                fields=["queued_at"],
                name="analyses_to_do",
                condition=Q(status__in=["queued", "running"]),
            )
        ]

    def __str__(self) -> str:
        return f"{self.attributor} on {self.run_id}: {self.status}"


class Candidate(models.Model):
    """A ranked, provisional proposal. No code path turns one into a verdict without a person."""

    class Part(models.TextChoices):
        PRODUCED = "produced", "produced it"
        MISSED = "missed", "failed to catch it"
        APPARATUS = "apparatus", "apparatus to rule out"

    analysis = models.ForeignKey(Analysis, models.CASCADE, related_name="candidates")
    rank = models.SmallIntegerField()
    step = models.IntegerField()
    actor = models.CharField(max_length=200)
    part = models.CharField(max_length=10, choices=Part)
    score = models.FloatField()
    rationale = models.TextField()
    quotes = models.JSONField()
    category = models.CharField(max_length=120, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["analysis", "rank"], name="ranks_are_unique"),
            models.CheckConstraint(
                condition=Q(part__in=["produced", "missed", "apparatus"]),
                name="candidate_part_is_known",
            ),
            models.CheckConstraint(
                condition=~Q(quotes=[]), name="candidates_carry_an_anchored_quote"
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.step} {self.actor} {self.get_part_display()}"


class Comparison(models.Model):
    """Two runs laid side by side, packed: see `attribution.alignment.aligned`. Derived: it may be
    deleted at any time, and counts only for the readings and the version it was computed with.
    """

    left = models.ForeignKey(Run, models.CASCADE, related_name="+", db_index=False)
    right = models.ForeignKey(Run, models.CASCADE, related_name="+")
    left_revision = models.PositiveIntegerField()
    right_revision = models.PositiveIntegerField()
    version = models.PositiveSmallIntegerField()
    content = models.BinaryField()
    computed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["left", "right"], name="one_comparison_per_two_runs")
        ]

    def __str__(self) -> str:
        return f"{self.left_id} beside {self.right_id}"


class Pairing(models.Model):
    """Which step of the right run one person says stands for a step of the left one; null: none.

    Personal, as reviews are blind. It counts only for the readings it was made on.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    left = models.ForeignKey(Run, models.CASCADE, related_name="+")
    right = models.ForeignKey(Run, models.CASCADE, related_name="+")
    left_step = models.PositiveIntegerField()
    right_step = models.PositiveIntegerField(null=True)
    left_revision = models.PositiveIntegerField()
    right_revision = models.PositiveIntegerField()
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "left", "right", "left_step"], name="a_step_is_paired_once"
            ),
            models.UniqueConstraint(
                fields=["user", "left", "right", "right_step"], name="a_counterpart_is_given_once"
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.left_step} with #{self.right_step}"

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from traces.models.projects import Project
from traces.models.protection import never_deleted
from traces.models.runs import Run


class Quarantine(models.Model):
    """A run set aside, or proposed to be: why, who decided it, and what replaces it.

    Ingest only proposes. Rows are never removed: what was lifted or dismissed stays readable.
    """

    class Status(models.TextChoices):
        PROPOSED = "proposed", "proposed"
        IN_FORCE = "in_force", "in force"
        LIFTED = "lifted", "lifted"
        DISMISSED = "dismissed", "dismissed"

    class Reason(models.TextChoices):
        TIME_OUT = "time_out", "time-out"
        RATE_LIMIT = "rate_limit", "rate limit"
        INFRASTRUCTURE = "infrastructure", "infrastructure"
        MALFORMED_OUTPUT = "malformed_output", "malformed output"
        OUT_OF_SCOPE = "out_of_scope", "out of scope"
        PERSONAL_DATA = "personal_data", "personal data"
        DUPLICATE = "duplicate", "duplicate"

    run = models.ForeignKey(Run, models.CASCADE, related_name="quarantines")
    status = models.CharField(max_length=10, choices=Status)
    reason = models.CharField(max_length=20, choices=Reason)
    note = models.TextField(blank=True)
    proposed_at = models.DateTimeField(null=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="quarantines"
    )
    decided_at = models.DateTimeField(null=True)
    replacement = models.ForeignKey(Run, models.SET_NULL, null=True, related_name="replaces")
    lifted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    lifted_at = models.DateTimeField(null=True)
    lift_reason = models.TextField(blank=True)

    class Meta:
        triggers = [never_deleted()]
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=["proposed", "in_force", "lifted", "dismissed"]),
                name="quarantine_status_is_known",
            ),
            models.CheckConstraint(
                condition=Q(
                    reason__in=[
                        "time_out",
                        "rate_limit",
                        "infrastructure",
                        "malformed_output",
                        "out_of_scope",
                        "personal_data",
                        "duplicate",
                    ]
                ),
                name="quarantine_reason_is_known",
            ),
            models.CheckConstraint(
                condition=Q(status="lifted") | Q(lifted_by=None, lifted_at=None),
                name="only_what_is_lifted_says_by_whom",
            ),
            models.UniqueConstraint(
                fields=["run"],
                name="one_open_quarantine_per_run",
                condition=Q(status__in=["proposed", "in_force"]),
            ),
            models.CheckConstraint(
                condition=Q(status="proposed")
                | (Q(owner__isnull=False) & Q(decided_at__isnull=False)),
                name="quarantine_is_decided_by_somebody",
            ),
            models.CheckConstraint(
                condition=~Q(status="lifted")
                | (Q(lifted_by__isnull=False) & Q(lifted_at__isnull=False)),
                name="quarantine_is_lifted_by_somebody",
            ),
            models.CheckConstraint(
                condition=Q(replacement=None) | ~Q(replacement=models.F("run")),
                name="no_run_replaces_itself",
            ),
        ]
        indexes = [
            models.Index(fields=["run"], name="runs_in_quarantine", condition=Q(status="in_force"))
        ]

    def __str__(self) -> str:
        return f"{self.get_reason_display()}, {self.get_status_display()}"


class TrajectoryProfile(models.Model):
    """How long, how large and how restless a project's runs usually are.

    `fences` maps each measure of `traces.trajectory` to its lower and upper fence (or null).
    """

    project = models.OneToOneField(Project, models.CASCADE, related_name="trajectory_profile")
    run_count = models.IntegerField()
    fences = models.JSONField(default=dict)
    computed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"profile of {self.run_count} runs"

from __future__ import annotations

import uuid
from collections.abc import Iterable

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from traces.models.documents import RawDocument
from traces.models.projects import Project
from traces.transcript import ActorKind, Outcome


class RunQuerySet(models.QuerySet["Run"]):
    def failed(self) -> RunQuerySet:
        return self.filter(outcome=Outcome.FAILED)

    def succeeded(self) -> RunQuerySet:
        return self.filter(outcome=Outcome.SUCCEEDED)

    def same_task(self, run: Run) -> RunQuerySet:
        """Other runs of the same task in the same project; none when the task is not named."""
        if not run.task_id:
            return self.none()
        return self.filter(project_id=run.project_id, task_id=run.task_id).exclude(pk=run.pk)

    def of_tasks(self, runs: Iterable[Run]) -> RunQuerySet:
        """Runs of the tasks that these runs of one project name, themselves included."""
        named = {(run.project_id, run.task_id) for run in runs if run.task_id}
        projects, tasks = ({pair[place] for pair in named} for place in (0, 1))
        return self.filter(project_id__in=projects, task_id__in=tasks)

    def counted(self) -> RunQuerySet:
        """Runs that figures and queues may use: those that are not set aside."""
        return self.exclude(quarantines__status="in_force")

    def newest_first(self) -> RunQuerySet:
        return self.order_by("-received_at", "-pk")


class Run(models.Model):
    """One execution of the system under review. Nobody edits it; it is renewed in place when more
    of it comes, as `revision` counts, and no more once a claim on it is signed."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, models.CASCADE, related_name="runs")
    document = models.ForeignKey(RawDocument, models.PROTECT, related_name="runs")
    pointer = models.CharField(max_length=200, blank=True)
    external_id = models.CharField(max_length=200)
    source = models.CharField(max_length=120)
    format = models.CharField(max_length=40)
    rule = models.CharField(max_length=200)
    schema = models.CharField(max_length=40)
    sha256 = models.CharField(max_length=64)
    outcome = models.CharField(max_length=10, choices=[(o.value, o.value) for o in Outcome])
    task_id = models.CharField(max_length=200, blank=True)
    task_text = models.TextField(blank=True)
    system = models.JSONField(default=dict)
    initial_state = models.JSONField(default=dict)
    reports = models.JSONField(default=list)
    parent_run = models.CharField(max_length=200, blank=True)
    parent_relation = models.CharField(max_length=10, blank=True)
    attempt = models.IntegerField(null=True)
    attempt_reason = models.TextField(blank=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    recorder = models.JSONField(default=dict)
    received_at = models.DateTimeField()
    step_count = models.IntegerField()
    actor_count = models.IntegerField()
    gap_count = models.IntegerField()
    tool_call_count = models.IntegerField(default=0)
    retry_count = models.IntegerField(default=0)
    # Why a run that nobody calls failed deserves a look: rows of `transcript.Suspicion`.
    suspicions = models.JSONField(default=list)
    withheld = models.JSONField(default=dict)
    capture = models.JSONField(default=dict)
    # By rule, how often the source said again what it had said; fields of it that no step holds.
    folded = models.JSONField(default=dict, db_default={})
    unread = models.JSONField(default=dict, db_default={})
    # How often the run was read anew, by a later mapper or with records that came later.
    revision = models.PositiveIntegerField(default=0, db_default=0)

    objects = RunQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "sha256"], name="same_content_is_one_run"),
            models.UniqueConstraint(
                fields=["document", "pointer"], name="one_run_per_place_in_a_document"
            ),
            models.CheckConstraint(
                condition=Q(outcome__in=[o.value for o in Outcome]), name="outcome_is_known"
            ),
        ]
        indexes = [
            models.Index(fields=["project", "-received_at", "-id"], name="runs_by_arrival"),
            models.Index(fields=["project", "task_id", "-received_at", "-id"], name="runs_of_task"),
            # Seldom among very many: what other runs are compared with.
            models.Index(
                fields=["project", "-received_at", "-id"],
                name="successful_runs",
                condition=Q(outcome=Outcome.SUCCEEDED.value),
            ),
            models.Index(
                fields=["project", "task_id", "-received_at", "-id"],
                name="successful_runs_of_task",
                condition=Q(outcome=Outcome.SUCCEEDED.value),
            ),
            models.Index(fields=["project", "external_id"], name="runs_by_external_id"),
            models.Index(
                fields=["project", "parent_run"],
                name="runs_by_parent",
                condition=~Q(parent_run=""),
            ),
            models.Index(
                fields=["project", "-received_at", "-id"],
                name="suspicious_runs",
                condition=~Q(suspicions=[]),
            ),
        ]

    def __str__(self) -> str:
        return self.external_id


class Actor(models.Model):
    """A logical role bound to one execution instance, as the record names it."""

    pk = models.CompositePrimaryKey("run_id", "key")
    run = models.ForeignKey(Run, models.CASCADE, related_name="actors", db_index=False)
    key = models.CharField(max_length=200)
    position = models.IntegerField()
    role = models.CharField(max_length=200)
    kind = models.CharField(max_length=12, choices=[(k.value, k.value) for k in ActorKind])
    instance = models.CharField(max_length=200, null=True)  # noqa: DJ001 - null: not captured
    model = models.CharField(max_length=200, null=True)  # noqa: DJ001
    configuration = models.CharField(max_length=200, null=True)  # noqa: DJ001
    authority = ArrayField(models.CharField(max_length=200), default=list)
    parent = models.CharField(max_length=200, null=True)  # noqa: DJ001
    replaces = models.CharField(max_length=200, null=True)  # noqa: DJ001
    capture = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=[k.value for k in ActorKind]), name="actor_kind_is_known"
            )
        ]

    def __str__(self) -> str:
        return self.key


class Gap(models.Model):
    """Something the record lacks or contradicts, found at ingest and always visible."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="gaps")
    step = models.IntegerField(null=True)
    kind = models.CharField(max_length=40)
    detail = models.TextField()

    class Meta:
        indexes = [models.Index(fields=["run", "step"], name="gaps_by_step")]

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}"


class Failure(models.Model):
    """What "failed" means for a run, in checkable terms. Each failure gets its own case.

    `added_by` is null for what the record itself shows.
    """

    class Origin(models.TextChoices):
        RECORD = "record", "the record"
        PERSON = "person", "a person"
        API = "api", "a program"

    run = models.ForeignKey(Run, models.CASCADE, related_name="failures")
    key = models.CharField(max_length=200)
    statement = models.TextField()
    expected = models.TextField(blank=True)
    observed = models.TextField(blank=True)
    check_name = models.CharField(max_length=200, blank=True)
    exposed_by = models.IntegerField(null=True)
    consequence = models.TextField(blank=True)
    origin = models.CharField(max_length=10, choices=Origin, default=Origin.RECORD)
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    added_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "key"], name="failures_have_their_own_key"),
            models.CheckConstraint(
                condition=Q(origin="record", added_by=None)
                | Q(origin__in=["person", "api"], added_by__isnull=False, added_at__isnull=False),
                name="added_failures_name_who_added_them",
            ),
        ]

    def __str__(self) -> str:
        return self.statement


class Opinion(models.Model):
    """A label that came with a file: one more opinion, with its source. Never a verdict.

    `label` is where it came from if that is not the file of the run.
    """

    run = models.ForeignKey(Run, models.CASCADE, related_name="opinions")
    label = models.ForeignKey("traces.Label", models.CASCADE, null=True, related_name="opinions")
    source = models.CharField(max_length=120)
    native_step = models.CharField(max_length=40)
    base = models.SmallIntegerField()
    step = models.IntegerField(null=True)
    actor = models.CharField(max_length=200)
    reason = models.TextField(blank=True)
    data = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"{self.source}: {self.actor} at {self.native_step}"

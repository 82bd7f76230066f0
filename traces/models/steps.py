"""Steps, their parts and links. The run stands first in each key, so that the tables can be
partitioned or distributed by it; structure (`Step`) is read without content (`Part`). The index
of the key serves the run alone as well, so the run has none of its own."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from traces.models.runs import Run
from traces.transcript import Fate, LinkKind, PartKind, StepKind, StepStatus


class Step(models.Model):
    """The structure of one step: who, what kind, when, how it ended. No content."""

    pk = models.CompositePrimaryKey("run_id", "number")
    run = models.ForeignKey(Run, models.CASCADE, related_name="steps", db_index=False)
    number = models.IntegerField()
    source_id = models.CharField(max_length=200)
    actor = models.CharField(max_length=200)
    kind = models.CharField(max_length=14, choices=[(k.value, k.value) for k in StepKind])
    status = models.CharField(max_length=14, choices=[(s.value, s.value) for s in StepStatus])
    tool = models.CharField(max_length=200, blank=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    attempt = models.IntegerField(null=True)
    attempt_reason = models.TextField(blank=True)
    attempt_by = models.CharField(max_length=200, blank=True)
    recorded_at = models.DateTimeField(null=True)
    size = models.IntegerField()
    pointer = models.CharField(max_length=200, blank=True)
    also_from = ArrayField(models.CharField(max_length=200), default=list, db_default=[])
    capture = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(number__gte=0), name="steps_count_from_zero"),
            models.CheckConstraint(
                condition=Q(kind__in=[k.value for k in StepKind]), name="step_kind_is_known"
            ),
            models.CheckConstraint(
                condition=Q(status__in=[s.value for s in StepStatus]), name="step_status_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.number} {self.actor}"


class Part(models.Model):
    """The content of one typed piece of a step. `text` is what a quote is a range of."""

    pk = models.CompositePrimaryKey("run_id", "step", "position")
    run = models.ForeignKey(Run, models.CASCADE, related_name="parts", db_index=False)
    step = models.IntegerField()
    position = models.SmallIntegerField()
    kind = models.CharField(max_length=16, choices=[(k.value, k.value) for k in PartKind])
    text = models.TextField(blank=True)
    data = models.JSONField(default=dict)
    capture = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=[k.value for k in PartKind]), name="part_kind_is_known"
            )
        ]

    def __str__(self) -> str:
        return f"#{self.step}.{self.position} {self.kind}"


class Link(models.Model):
    """An edge between two steps. An empty rule means recorded; a rule means inferred by it."""

    pk = models.CompositePrimaryKey("run_id", "target", "source", "kind")
    run = models.ForeignKey(Run, models.CASCADE, related_name="links", db_index=False)
    source = models.IntegerField()
    target = models.IntegerField()
    kind = models.CharField(max_length=10, choices=[(k.value, k.value) for k in LinkKind])
    rule = models.CharField(max_length=80, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(source__lt=F("target")), name="links_go_forward_in_causal_order"
            ),
            models.CheckConstraint(
                condition=Q(kind__in=[k.value for k in LinkKind]), name="link_kind_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.source} {self.kind} #{self.target}"


class RunOutline(models.Model):
    """The structure of a whole run, packed: see `traces.outline`. Rows can make it again."""

    run = models.OneToOneField(Run, models.CASCADE, primary_key=True, related_name="stored_outline")
    content = models.BinaryField()

    def __str__(self) -> str:
        return f"outline of {self.run_id}"


class RawRecord(models.Model):
    """A record of the source that is no step by itself, and what became of it."""

    pk = models.CompositePrimaryKey("run_id", "position")
    run = models.ForeignKey(Run, models.CASCADE, related_name="raw_records", db_index=False)
    position = models.IntegerField()
    pointer = models.CharField(max_length=200)
    fate = models.CharField(max_length=10, choices=[(f.value, f.value) for f in Fate])
    label = models.CharField(max_length=200, blank=True)
    step = models.IntegerField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(fate__in=[f.value for f in Fate]), name="fate_is_known"
            )
        ]

    def __str__(self) -> str:
        return f"{self.pointer}: {self.fate}"

"""Labels that came apart from the traces they are about."""

from __future__ import annotations

from django.contrib.postgres.indexes import GinIndex
from django.db import models

from traces.models.documents import RawDocument, Receipt
from traces.models.projects import Project
from traces.models.runs import Run


class Label(models.Model):
    """Somebody else's judgement of a run, found by the run's id or its task's.

    Until a run of that id comes, `run` is empty; then the label becomes an opinion of that run.
    """

    project = models.ForeignKey(Project, models.CASCADE, related_name="labels")
    document = models.ForeignKey(RawDocument, models.PROTECT, related_name="labels")
    receipt = models.ForeignKey(Receipt, models.PROTECT, null=True, related_name="+")
    pointer = models.CharField(max_length=200)
    source = models.CharField(max_length=120)
    # The ids that a run may be known by, most telling first.
    names = models.JSONField()
    # The opinion or report as the label file has it: see `formats.base.Label`.
    content = models.JSONField()
    run = models.ForeignKey(Run, models.SET_NULL, null=True, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["document", "pointer"], name="one_label_per_place")
        ]
        indexes = [GinIndex(fields=["names"], name="labels_by_name")]

    def __str__(self) -> str:
        return f"{self.source}: {self.pointer}"

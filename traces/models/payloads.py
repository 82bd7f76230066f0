from __future__ import annotations

from django.db import models
from django.db.models import Q

from traces.models.projects import Project
from traces.models.protection import append_only
from traces.models.runs import Run


class Payload(models.Model):
    """Content-addressed bytes too large or too foreign to sit in a part, once per project.

    `content` is null where a storage outside the database holds the bytes.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="payloads")
    sha256 = models.CharField(max_length=64)
    size = models.BigIntegerField()
    media_type = models.CharField(max_length=100)
    content = models.BinaryField(null=True)
    received_at = models.DateTimeField()

    class Meta:
        triggers = append_only()
        constraints = [
            models.UniqueConstraint(
                fields=["project", "sha256"], name="same_bytes_are_one_payload"
            ),
            models.CheckConstraint(condition=Q(size__gte=0), name="payloads_have_a_size"),
        ]

    def __str__(self) -> str:
        return f"{self.media_type}, {self.size} bytes, {self.sha256[:12]}"


class PayloadUse(models.Model):
    """That a run refers to a payload: whoever may read the run may read the payload."""

    pk = models.CompositePrimaryKey("run_id", "payload_id")
    run = models.ForeignKey(Run, models.CASCADE, related_name="payload_uses", db_index=False)
    payload = models.ForeignKey(Payload, models.PROTECT, related_name="uses")

    def __str__(self) -> str:
        return f"{self.run_id} uses {self.payload_id}"

from django.conf import settings
from django.db import models

from traces.models.projects import Project
from traces.models.protection import append_only


class AuditEntry(models.Model):
    """One state change: who, what, when. Each entry's hash covers the one before it."""

    number = models.BigIntegerField(primary_key=True)
    project = models.ForeignKey(Project, models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField()
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    action = models.CharField(max_length=60)
    subject = models.CharField(max_length=120)
    data = models.JSONField(default=dict)
    previous = models.CharField(max_length=64)
    sha256 = models.CharField(max_length=64, unique=True)

    class Meta:
        triggers = append_only()
        indexes = [models.Index(fields=["project", "subject"], name="audit_by_subject")]

    def __str__(self) -> str:
        return f"{self.number} {self.action} {self.subject}"


class AuditCheckpoint(models.Model):
    """How far the chain went and to which hash, signed: a cut tail shows against it.

    `envelope` is the signed file, byte for byte as it is exported; the other fields repeat it.
    """

    entries = models.BigIntegerField()
    head = models.CharField(max_length=64)
    made_at = models.DateTimeField()
    envelope = models.TextField()

    class Meta:
        triggers = append_only()

    def __str__(self) -> str:
        return f"checkpoint of {self.entries} entries"

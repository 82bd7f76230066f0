"""What a project withholds from its own record, by which policy, and where it went."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from traces.models.projects import Project, Role
from traces.models.protection import NeverTruncated, append_only, never_deleted


class Action(models.TextChoices):
    RESTRICT = "restrict", "restrict"
    ENCRYPT = "encrypt", "encrypt"
    REDACT = "redact", "redact"


class RedactionPolicy(models.Model):
    """One version of a project's policy: its rules, in order. The newest version is in force."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="redaction_policies")
    version = models.IntegerField()
    rules = models.JSONField(default=list)
    note = models.TextField(blank=True)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    made_at = models.DateTimeField()

    class Meta:
        triggers = append_only()
        constraints = [
            models.UniqueConstraint(
                fields=["project", "version"], name="redaction_versions_count_up"
            ),
            models.CheckConstraint(condition=Q(version__gte=1), name="policies_count_from_one"),
        ]

    def __str__(self) -> str:
        return f"redaction policy {self.version}"


class ProjectKey(models.Model):
    """The key under which a project's withheld values are kept, itself wrapped by the site's."""

    project = models.OneToOneField(Project, models.PROTECT, related_name="key")
    wrapped = models.BinaryField()
    made_at = models.DateTimeField()

    class Meta:
        triggers = [never_deleted(), NeverTruncated()]

    def __str__(self) -> str:
        return f"key of project {self.project_id}"


class Withheld(models.Model):
    """A value that is not in the record, and the placeholder that stands for it everywhere.

    The same value of the same type has the same number in the whole project. `sealed` is the value
    under the project's key, or null where the policy keeps nothing (*redact*).
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="withheld")
    type = models.CharField(max_length=30)
    number = models.IntegerField()
    keyed_hash = models.CharField(max_length=64)
    length = models.IntegerField()
    action = models.CharField(max_length=10, choices=Action)
    role = models.CharField(max_length=10, choices=Role, default=Role.LEAD)
    sealed = models.BinaryField(null=True)
    made_at = models.DateTimeField()

    class Meta:
        triggers = append_only()
        constraints = [
            models.UniqueConstraint(
                fields=["project", "type", "number"], name="placeholders_are_unique"
            ),
            models.UniqueConstraint(
                fields=["project", "type", "action", "keyed_hash"],
                name="one_placeholder_per_value",
            ),
            models.CheckConstraint(
                condition=Q(action=Action.REDACT, sealed=None)
                | Q(action__in=[Action.RESTRICT, Action.ENCRYPT], sealed__isnull=False),
                name="redacted_values_are_kept_nowhere",
            ),
            models.CheckConstraint(condition=Q(number__gte=1), name="placeholders_count_from_one"),
            models.CheckConstraint(
                condition=Q(role__in=Role.values), name="who_may_see_a_value_is_known"
            ),
        ]

    def __str__(self) -> str:
        return self.placeholder

    @property
    def placeholder(self) -> str:
        return f"[{self.type}-{self.number}]"


class Redaction(models.Model):
    """The receipt of one document: what was withheld from it, by rule and field.

    `entries` is a list of {rule, type, action, field, count, values: [{placeholder, length,
    keyed_hash, count}]}.
    """

    document = models.OneToOneField("traces.RawDocument", models.PROTECT, related_name="redaction")
    policy = models.ForeignKey(RedactionPolicy, models.PROTECT, related_name="redactions")
    entries = models.JSONField(default=list)
    count = models.IntegerField()
    made_at = models.DateTimeField()

    class Meta:
        triggers = append_only()

    def __str__(self) -> str:
        return f"{self.count} values withheld"

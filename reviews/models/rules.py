"""What judgement is measured against: contracts, categories and policy, all versioned."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from traces.models import Project
from traces.models.protection import append_only


class ContractQuerySet(models.QuerySet["Contract"]):
    def in_force(self, *, at: datetime, configuration: str) -> ContractQuerySet:
        """Contracts that bound this configuration of the system at that time.

        A contract without configurations binds all of them.
        """
        return self.filter(
            Q(valid_to=None) | Q(valid_to__gt=at),
            Q(configurations=[]) | Q(configurations__contains=[configuration]),
            valid_from__lte=at,
        )


class Contract(models.Model):
    """A declared obligation of a component, with the period in which it was in force."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="contracts")
    key = models.SlugField(max_length=80)
    component = models.CharField(max_length=200)
    clause = models.TextField()
    valid_from = models.DateTimeField()
    valid_to = models.DateTimeField(null=True, blank=True)
    configurations = ArrayField(models.CharField(max_length=80), default=list, blank=True)

    objects = ContractQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="contract_keys_are_unique"),
            models.CheckConstraint(
                condition=Q(valid_to=None) | Q(valid_to__gt=F("valid_from")),
                name="contracts_end_after_they_begin",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.component}: {self.clause}"


class Category(models.Model):
    """One version of a failure category's definition. A revision is a new row."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="categories")
    key = models.SlugField(max_length=80)
    version = models.SmallIntegerField(default=1)
    name = models.CharField(max_length=120)
    definition = models.TextField()

    class Meta:
        triggers = append_only()
        constraints = [
            models.UniqueConstraint(
                fields=["project", "key", "version"], name="category_versions_are_unique"
            )
        ]

    def __str__(self) -> str:
        return self.name


class PolicyQuerySet(models.QuerySet["Policy"]):
    def in_force(self, project: Project) -> Policy:
        """The newest version of the project's policy."""
        return self.filter(project=project).latest("version")


class Policy(models.Model):
    """One version of how a project judges. Cases keep the version they were opened under."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="policies")
    version = models.SmallIntegerField()
    signatures_needed = models.SmallIntegerField(default=1)
    two_person_rule = models.BooleanField(default=True)
    lease_minutes = models.SmallIntegerField(default=60)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField()

    objects = PolicyQuerySet.as_manager()

    class Meta:
        triggers = append_only()
        constraints = [
            models.UniqueConstraint(
                fields=["project", "version"], name="policy_versions_are_unique"
            ),
            models.CheckConstraint(
                condition=Q(signatures_needed__gte=1), name="at_least_one_signature"
            ),
            models.CheckConstraint(
                condition=Q(lease_minutes__gte=1), name="leases_last_at_least_a_minute"
            ),
        ]

    def __str__(self) -> str:
        return f"policy {self.version} of {self.project_id}"

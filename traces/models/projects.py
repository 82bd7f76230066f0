from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

SCOPES = ("ingest", "propose", "read")


class Role(models.TextChoices):
    VIEWER = "viewer", "viewer"
    REVIEWER = "reviewer", "reviewer"
    LEAD = "lead", "lead"


class ProjectQuerySet(models.QuerySet["Project"]):
    def of(self, user_id: int) -> ProjectQuerySet:
        """Projects this user is a member of."""
        return self.filter(memberships__user_id=user_id)


class Project(models.Model):
    """One multi-agent system under review: its runs, its members and its rules."""

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True)
    created_at = models.DateTimeField()

    objects = ProjectQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """One person's role in one project. No membership: the project does not exist for them."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="one_role_per_member"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="role_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} as {self.role}"

    def may(self, role: Role) -> bool:
        """Whether this role includes the other: a lead may all, a viewer only read."""
        order = Role.values
        return order.index(self.role) >= order.index(role)


class ApiKeyQuerySet(models.QuerySet["ApiKey"]):
    def live(self) -> ApiKeyQuerySet:
        return self.filter(revoked_at=None)

    def of_members(self) -> ApiKeyQuerySet:
        """Keys whose maker still belongs to the project: none outlives its maker's leaving."""
        return self.filter(project__memberships__user=models.F("created_by"))


class ApiKey(models.Model):
    """A key for programs, per project, with scopes. Only its hash is kept."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="api_keys")
    name = models.CharField(max_length=80)
    prefix = models.CharField(max_length=12)
    sha256 = models.CharField(max_length=64, unique=True)
    scopes = ArrayField(models.CharField(max_length=10))
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = ApiKeyQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(scopes__contained_by=list(SCOPES)), name="api_key_scopes_are_known"
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import FilteredRelation, Q, QuerySet
from django.urls import reverse

from reviews.models.rules import Policy
from traces import quarantine
from traces.models import Failure, Project, Run


class Consequence(models.TextChoices):
    """What hangs on the verdict, least first. Policy follows it."""

    TRANSIENT = "transient", "transient"
    REMEDIATION = "remediation", "remediation"
    EVALUATION_ITEM = "evaluation_item", "evaluation item"
    REPORTED_RESULT = "reported_result", "reported result"
    ACCOUNTABILITY = "accountability", "accountability"


# How many failed runs of a task are told apart. Open cases are rewritten only when their task
# passes one of these, so that a task with many runs does not make each new one slower.
FREQUENCIES: tuple[int, ...] = (
    1,
    2,
    3,
    4,
    5,
    *(step * 10**n for n in range(1, 7) for step in (1, 2, 5)),
)


def level_of_consequence() -> models.Case:
    """0 for what matters least, as an expression over `consequence`."""
    levels = enumerate(Consequence.values)
    return models.Case(
        *(models.When(consequence=name, then=models.Value(level)) for level, name in levels),
        output_field=models.SmallIntegerField(),
    )


class CaseQuerySet(models.QuerySet["Case"]):
    def of_project(self, project: Project) -> CaseQuerySet:
        return self.filter(project=project)

    def open(self) -> CaseQuerySet:
        return self.filter(status=Case.Status.OPEN)

    def waiting(self) -> CaseQuerySet:
        """All claims are signed; a lead has to decide."""
        return self.filter(status=Case.Status.WAITING)

    def settled(self) -> CaseQuerySet:
        return self.filter(status=Case.Status.SETTLED)

    def counted(self) -> CaseQuerySet:
        """Cases that queues and figures may use: those whose run is not set aside."""
        return self.exclude(quarantine.in_force("run_id"))

    def set_aside(self) -> CaseQuerySet:
        """Cases that queues and figures leave out: those whose run is set aside."""
        return self.filter(quarantine.in_force("run_id"))

    def in_rank_order(self) -> CaseQuerySet:
        """Consequence, then failed runs of the same task, then age. An index serves it."""
        return self.order_by("-level", "-frequency", "opened_at", "number")

    def with_record(self) -> CaseQuerySet:
        """With the run, failure, policy and project that every page about a case shows."""
        return self.select_related("run__project", "failure", "policy", "project")

    def with_desk_of(self, user_id: int) -> QuerySet[Any]:
        """With this person's lease and draft as `own_slot` and `own_draft`, where they exist.

        Of each there is at most one: constraints see to it.
        """
        held = Q(slots__reviewer=user_id, slots__answered_at=None)
        cases: QuerySet[Any] = self.annotate(
            own_slot=FilteredRelation("slots", condition=held),
            own_draft=FilteredRelation("drafts", condition=Q(drafts__reviewer=user_id)),
        )
        return cases.select_related("own_slot", "own_draft")


class Case(models.Model):
    """One failure of one run, under review.

    `level` follows the consequence; `frequency` is how many runs of the same task failed, rounded
    down to one of FREQUENCIES and kept up to date by `reviews.adjudication.frequency`.
    """

    class Status(models.TextChoices):
        OPEN = "open", "open"
        WAITING = "waiting", "waiting for a lead"
        SETTLED = "settled", "settled"

    project = models.ForeignKey(Project, models.CASCADE, related_name="cases")
    number = models.IntegerField()
    run = models.ForeignKey(Run, models.PROTECT, related_name="cases")
    failure = models.OneToOneField(Failure, models.PROTECT, related_name="case")
    policy = models.ForeignKey(Policy, models.PROTECT, related_name="+")
    consequence = models.CharField(
        max_length=16, choices=Consequence, default=Consequence.REMEDIATION
    )
    level = models.GeneratedField(
        expression=level_of_consequence(),
        output_field=models.SmallIntegerField(),
        db_persist=True,
    )
    frequency = models.IntegerField(default=1)
    status = models.CharField(max_length=10, choices=Status, default=Status.OPEN)
    opened_at = models.DateTimeField()

    objects = CaseQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="case_numbers_are_unique"),
            models.CheckConstraint(
                condition=Q(status__in=["open", "waiting", "settled"]),
                name="case_status_is_known",
            ),
            models.CheckConstraint(
                condition=Q(consequence__in=Consequence.values), name="consequence_is_known"
            ),
        ]
        indexes = [
            models.Index(fields=["project", "status", "-opened_at"], name="cases_by_status"),
            models.Index(
                fields=["project", "status", "-level", "-frequency", "opened_at", "number"],
                name="cases_by_rank",
            ),
        ]

    def __str__(self) -> str:
        return f"Case {self.number}"

    def get_absolute_url(self) -> str:
        return reverse("reviews:case", args=[self.project.slug, self.number])


class SlotQuerySet(models.QuerySet["Slot"]):
    def held_by(self, user_id: int) -> SlotQuerySet:
        """Leases this person has taken and not yet answered, expired ones included."""
        return self.filter(reviewer_id=user_id, answered_at=None)


class Slot(models.Model):
    """Room for one reviewer's claim on a case. Taking it is the lease; signing answers it."""

    case = models.ForeignKey(Case, models.CASCADE, related_name="slots")
    position = models.SmallIntegerField()
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="slots"
    )
    token = models.UUIDField(null=True, unique=True)
    taken_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)
    answered_at = models.DateTimeField(null=True)

    objects = SlotQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["case", "position"], name="slots_are_numbered"),
            models.UniqueConstraint(fields=["case", "reviewer"], name="one_slot_per_reviewer"),
            models.CheckConstraint(
                condition=Q(reviewer=None, token=None, taken_at=None, expires_at=None)
                | Q(
                    reviewer__isnull=False,
                    token__isnull=False,
                    taken_at__isnull=False,
                    expires_at__isnull=False,
                ),
                name="a_lease_is_whole",
            ),
            models.CheckConstraint(
                condition=Q(answered_at=None) | Q(reviewer__isnull=False),
                name="answers_have_a_reviewer",
            ),
        ]
        indexes = [
            models.Index(fields=["expires_at"], name="slots_to_take", condition=Q(answered_at=None))
        ]

    def __str__(self) -> str:
        return f"slot {self.position} of case {self.case_id}"


class Decline(models.Model):
    """A reviewer turned a case down. It frees the slot and is not an answer."""

    case = models.ForeignKey(Case, models.CASCADE, related_name="declines")
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    reason = models.TextField()
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["case", "reviewer"], name="declined_once_per_case")
        ]

    def __str__(self) -> str:
        return f"{self.reviewer} declined case {self.case_id}"


class Draft(models.Model):
    """A claim in the making: the form's fields as they stand, with a revision."""

    case = models.ForeignKey(Case, models.CASCADE, related_name="drafts")
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="drafts")
    fields = models.JSONField(default=dict)
    revision = models.IntegerField(default=0)
    saved_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["case", "reviewer"], name="one_draft_per_reviewer")
        ]

    def __str__(self) -> str:
        return f"draft {self.revision} of {self.reviewer}"

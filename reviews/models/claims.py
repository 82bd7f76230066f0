from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from attribution.models import Candidate
from reviews.models.cases import Case
from reviews.models.rules import Category, Contract
from traces.models.protection import append_only


class Claim(models.Model):
    """One reviewer's signed attribution. Immutable; the database refuses what does not add up."""

    class Outcome(models.TextChoices):
        ATTRIBUTED = "attributed", "attributed"
        UNRESOLVED = "unresolved", "unresolved"

    class Basis(models.TextChoices):
        SIGNED = "signed", "signed as proposed"
        REVISED = "revised", "revised from a candidate"
        OWN = "own", "own finding"

    class Responsible(models.TextChoices):
        ACTOR = "actor", "an actor"
        COORDINATION_RULE = "coordination_rule", "a coordination rule or merge order"
        TASK = "task", "the task"
        HARNESS = "harness", "the harness"
        EVALUATOR = "evaluator", "the evaluator"
        ENVIRONMENT = "environment", "the environment"

    class Counterfactual(models.TextChoices):
        """Had the decisive step been right, could the failure still have followed?"""

        NO = "no", "no"
        YES = "yes", "yes"
        CANNOT_TELL = "cannot_tell", "cannot tell"

    class Apparatus(models.TextChoices):
        RULED_OUT = "ruled_out", "ruled out"
        NOT_RULED_OUT = "not_ruled_out", "not ruled out"

    class Phase(models.TextChoices):
        PLANNING = "planning", "planning"
        HANDOFF = "handoff", "handoff"
        RETRIEVAL = "retrieval", "retrieval"
        EXECUTION = "execution", "execution"
        INTEGRATION = "integration", "integration"
        VERIFICATION = "verification", "verification"
        TERMINATION = "termination", "termination"

    class Confidence(models.TextChoices):
        LOW = "low", "low"
        MEDIUM = "medium", "medium"
        HIGH = "high", "high"

    class UnresolvedReason(models.TextChoices):
        EVIDENCE_MISSING = "evidence_missing", "evidence is missing"
        EQUALLY_SUPPORTED = "equally_supported", "explanations are equally supported"
        UNCLEAR_SPECIFICATION = "unclear_specification", "the specification is unclear"
        CONTRADICTION = "contradiction", "the record contradicts itself"

    case = models.ForeignKey(Case, models.PROTECT, related_name="claims")
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="claims")
    outcome = models.CharField(max_length=10, choices=Outcome)
    basis = models.CharField(max_length=10, choices=Basis)
    candidate = models.ForeignKey(
        Candidate, models.PROTECT, null=True, blank=True, related_name="claims"
    )
    revision_reason = models.TextField(blank=True)
    note = models.TextField(blank=True)
    decisive_step = models.IntegerField(null=True, blank=True)
    responsible = models.CharField(max_length=20, choices=Responsible, blank=True)
    actor = models.CharField(max_length=200, blank=True)
    state_change = models.TextField(blank=True)
    exposing_step = models.IntegerField(null=True, blank=True)
    counterfactual = models.CharField(max_length=12, choices=Counterfactual, blank=True)
    evaluator = models.CharField(max_length=14, choices=Apparatus)
    environment = models.CharField(max_length=14, choices=Apparatus)
    task = models.CharField(max_length=14, choices=Apparatus)
    harness = models.CharField(max_length=14, choices=Apparatus)
    category = models.ForeignKey(Category, models.PROTECT, null=True, blank=True)
    phase = models.CharField(max_length=14, choices=Phase, blank=True)
    tags = ArrayField(models.CharField(max_length=60), default=list, blank=True)
    confidence = models.CharField(max_length=8, choices=Confidence)
    unresolved_reason = models.CharField(max_length=24, choices=UnresolvedReason, blank=True)
    missing_observation = models.TextField(blank=True)
    signed_at = models.DateTimeField()

    class Meta:
        triggers = append_only()
        constraints = [
            models.UniqueConstraint(fields=["case", "reviewer"], name="one_claim_per_reviewer"),
            models.CheckConstraint(
                condition=Q(outcome="unresolved")
                | (
                    Q(
                        outcome="attributed",
                        counterfactual="no",
                        decisive_step__isnull=False,
                        exposing_step__isnull=False,
                    )
                    & ~Q(responsible="")
                    & ~Q(state_change="")
                ),
                name="attributed_claims_are_whole",
            ),
            models.CheckConstraint(
                condition=Q(outcome="attributed")
                | (~Q(missing_observation="") & ~Q(unresolved_reason="")),
                name="unresolved_claims_name_what_is_missing",
            ),
            models.CheckConstraint(
                condition=(Q(basis="own") & Q(candidate=None))
                | (~Q(basis="own") & Q(candidate__isnull=False)),
                name="signed_and_revised_claims_name_a_candidate",
            ),
            models.CheckConstraint(
                condition=Q(responsible="actor") ^ Q(actor=""),
                name="only_actor_blame_names_an_actor",
            ),
        ]

    def __str__(self) -> str:
        return f"claim of {self.reviewer} on case {self.case_id}"


class Evidence(models.Model):
    """A quote anchored to step, part and character range, with the hash of its text."""

    class Purpose(models.TextChoices):
        ORIGIN = "origin", "which action changed it"
        STATE = "state", "which state changed"
        CARRIER = "carrier", "who consumed it"
        EXPOSURE = "exposure", "what exposed it"
        ALTERNATIVE = "alternative", "an alternative"
        NOTE = "note", "the note"

    claim = models.ForeignKey(Claim, models.PROTECT, related_name="evidence")
    purpose = models.CharField(max_length=12, choices=Purpose)
    step = models.IntegerField()
    part = models.SmallIntegerField()
    start = models.IntegerField()
    end = models.IntegerField()
    sha256 = models.CharField(max_length=64)
    text = models.TextField()

    class Meta:
        triggers = append_only()
        constraints = [
            models.CheckConstraint(
                condition=Q(start__gte=0, end__gt=F("start")), name="quotes_are_not_empty"
            )
        ]

    def __str__(self) -> str:
        return f"#{self.step}.{self.part} [{self.start}:{self.end}]"


class Carrier(models.Model):
    """A later step that consumed the error and passed it on."""

    claim = models.ForeignKey(Claim, models.PROTECT, related_name="carriers")
    step = models.IntegerField()

    class Meta:
        triggers = append_only()
        constraints = [
            models.UniqueConstraint(fields=["claim", "step"], name="carriers_are_named_once")
        ]

    def __str__(self) -> str:
        return f"#{self.step}"


class Alternative(models.Model):
    """Another explanation the reviewer considered, and why it was turned down."""

    claim = models.ForeignKey(Claim, models.PROTECT, related_name="alternatives")
    step = models.IntegerField(null=True, blank=True)
    rejected_because = models.TextField()

    class Meta:
        triggers = append_only()

    def __str__(self) -> str:
        return self.rejected_because


class Miss(models.Model):
    """An owned opportunity that was missed, by the contract that owned it."""

    claim = models.ForeignKey(Claim, models.PROTECT, related_name="misses")
    step = models.IntegerField()
    contract = models.ForeignKey(Contract, models.PROTECT, related_name="+")

    class Meta:
        triggers = append_only()
        verbose_name_plural = "misses"

    def __str__(self) -> str:
        return f"#{self.step} under {self.contract_id}"

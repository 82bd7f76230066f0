from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from reviews.models.cases import Case
from reviews.models.claims import Claim
from traces.models.protection import append_only


class Verdict(models.Model):
    """The settled outcome of a case, signed by a named person. A later one supersedes."""

    case = models.ForeignKey(Case, models.PROTECT, related_name="verdicts")
    number = models.SmallIntegerField()
    outcome = models.CharField(max_length=10, choices=Claim.Outcome)
    adopted = models.ForeignKey(
        Claim, models.PROTECT, null=True, blank=True, related_name="verdicts"
    )
    reason = models.TextField()
    missing_observation = models.TextField(blank=True)
    supersedes = models.OneToOneField(
        "self", models.PROTECT, null=True, blank=True, related_name="superseded_by"
    )
    signed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="verdicts")
    signed_at = models.DateTimeField()

    class Meta:
        triggers = append_only()
        constraints = [
            models.UniqueConstraint(fields=["case", "number"], name="verdicts_are_numbered"),
            models.CheckConstraint(
                condition=Q(outcome="unresolved") | Q(adopted__isnull=False),
                name="attributed_verdicts_adopt_a_claim",
            ),
            models.CheckConstraint(
                condition=Q(outcome="attributed") | ~Q(missing_observation=""),
                name="unresolved_verdicts_name_what_is_missing",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="verdicts_give_a_reason"),
        ]

    def __str__(self) -> str:
        return f"verdict {self.number} on case {self.case_id}: {self.outcome}"


class PostmortemQuerySet(models.QuerySet["Postmortem"]):
    def of_case(self, slug: str, number: int) -> Postmortem | None:
        """The document of the verdict that stands on this case of this project, if any."""
        cases = Q(verdict__case__project__slug=slug, verdict__case__number=number)
        standing = self.filter(cases, verdict__superseded_by=None)
        return standing.select_related("verdict__case__project").first()


class Postmortem(models.Model):
    """The signed document of a verdict: a DSSE envelope, byte for byte as it is exported."""

    verdict = models.OneToOneField(Verdict, models.PROTECT, related_name="postmortem")
    envelope = models.TextField()
    sha256 = models.CharField(max_length=64)
    keyid = models.CharField(max_length=64)
    created_at = models.DateTimeField()

    objects = PostmortemQuerySet.as_manager()

    class Meta:
        triggers = append_only()

    def __str__(self) -> str:
        return f"postmortem of verdict {self.verdict_id}"

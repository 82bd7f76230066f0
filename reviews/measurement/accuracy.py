"""How often an attributor's first candidate named the step that people signed."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, F, Q
from scipy.stats import binomtest

from attribution.models import Analysis
from reviews.models import Case, Claim, Verdict
from traces.models import Project


@dataclass(frozen=True, slots=True)
class Accuracy:
    """`right` of `n` signed cases; `low` and `high` are the Wilson interval at 95 %."""

    n: int
    right: int
    low: float
    high: float

    @classmethod
    def of(cls, *, right: int, n: int) -> Accuracy:
        if n == 0:
            return cls(n=0, right=0, low=0.0, high=1.0)
        interval = binomtest(right, n).proportion_ci(confidence_level=0.95, method="wilson")
        return cls(n=n, right=right, low=float(interval.low), high=float(interval.high))

    def sentence(self) -> str:
        if self.n == 0:
            return "not measured yet: 0 signed cases"
        share = _percent(self.right / self.n)
        interval = f"{_percent(self.low)}\N{EN DASH}{_percent(self.high)} %"
        return f"step right in {share} % of {self.n} signed cases ({interval})"


NOT_MEASURED = Accuracy.of(right=0, n=0)


def accuracy_by_attributor(
    project: Project, *, leaving_out: Case | None = None
) -> dict[str, Accuracy]:
    """Per attributor label, over standing attributed verdicts on runs it has analysed.

    An analysis without any candidate counts as wrong. One query.
    """
    verdicts = Verdict.objects.filter(
        case__project=project,
        outcome=Claim.Outcome.ATTRIBUTED,
        superseded_by=None,
        case__run__analyses__status=Analysis.Status.DONE,
    ).exclude(case=leaving_out)
    first_is_right = Q(
        case__run__analyses__candidates__rank=1,
        case__run__analyses__candidates__step=F("adopted__decisive_step"),
    )
    counted = (
        verdicts.values(label=F("case__run__analyses__attributor"))
        .annotate(
            n=Count("pk", distinct=True), right=Count("pk", distinct=True, filter=first_is_right)
        )
        .order_by("label")
    )
    return {row["label"]: Accuracy.of(right=row["right"], n=row["n"]) for row in counted}


def _percent(share: float) -> str:
    return f"{100 * share:.0f}"

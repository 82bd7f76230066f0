"""How often an attributor's first candidate named the step that people signed."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, F, Q
from scipy.stats import binomtest

from attribution.models import Analysis
from reviews.models import Case, Claim, Verdict
from traces import quarantine
from traces.models import Project


@dataclass(frozen=True, slots=True)
class Accuracy:
    """`right` of `n` signed cases; `low` and `high` are the Wilson interval at 95 %.

    `left_out` more are not counted, because their run is set aside.
    """

    n: int
    right: int
    low: float
    high: float
    left_out: int = 0

    @classmethod
    def of(cls, *, right: int, n: int, left_out: int = 0) -> Accuracy:
        if n == 0:
            return cls(n=0, right=0, low=0.0, high=1.0, left_out=left_out)
        interval = binomtest(right, n).proportion_ci(confidence_level=0.95, method="wilson")
        low, high = float(interval.low), float(interval.high)
        return cls(n=n, right=right, low=low, high=high, left_out=left_out)

    def sentence(self) -> str:
        if not self.left_out:
            return self._measured()
        return f"{self._measured()}; {self.left_out} of runs set aside not counted"

    def _measured(self) -> str:
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

    An analysis without any candidate counts as wrong. Verdicts on runs that are set aside are
    left out, and their number is said. One query.
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
    aside = verdicts.annotate(aside=quarantine.in_force("case__run_id"))
    counted = (
        aside.values(label=F("case__run__analyses__attributor"))
        .annotate(
            n=Count("pk", distinct=True, filter=Q(aside=False)),
            right=Count("pk", distinct=True, filter=Q(aside=False) & first_is_right),
            left_out=Count("pk", distinct=True, filter=Q(aside=True)),
        )
        .order_by("label")
    )
    return {
        row["label"]: Accuracy.of(right=row["right"], n=row["n"], left_out=row["left_out"])
        for row in counted
    }


def _percent(share: float) -> str:
    return f"{100 * share:.0f}"

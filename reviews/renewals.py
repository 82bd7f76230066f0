"""What reviews do about runs that are read anew: keep the judged, carry the marks of the others."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from uuid import uuid4

from attribution.models import Candidate
from reviews import drafts
from reviews.adjudication import status
from reviews.adjudication.frequency import recount
from reviews.carrying import Carrier
from reviews.models import Case, Claim, Draft, Slot, Verdict
from traces.counterparts import Counterparts
from traces.models import Run
from traces.subscriptions import on_asking_to_renew, on_renewed_runs

SIGNED = "a claim on it is signed."


@on_asking_to_renew
def signed_claims(*, run: Run) -> str:
    """A run that somebody has judged stays as they saw it.

    Who signs holds the case, so with the cases locked the answer stays true.
    """
    locked = Case.objects.filter(run=run).order_by("pk").select_for_update(no_key=True)
    cases = list(locked.values_list("pk", flat=True))
    judged = Claim.objects.filter(case__in=cases), Verdict.objects.filter(case__in=cases)
    return SIGNED if any(rows.exists() for rows in judged) else ""


@on_renewed_runs
def follow(*, run: Run, readings: Counterparts, at: datetime) -> None:
    """Carry the marks of all drafts, and close the pages on which steps have other numbers."""
    if readings.alike:
        return
    slots = Slot.objects.filter(case__run=run).order_by("pk").select_for_update()
    held = [slot for slot in slots if slot.token and not slot.answered_at]
    lost = carry_drafts(run, readings, at=at)
    if readings.moved:
        # A change or a signature that is on its way names steps by the numbers of before.
        for slot in held:
            slot.token = uuid4()
            lost[slot.case_id] += 0
        Slot.objects.bulk_update(held, ["token"])
    for case in Case.objects.filter(pk__in=lost).select_related("project").order_by("pk"):
        data = {"revision": run.revision, "lost": lost[case.pk]}
        status.record(case, action="case.marks_carried", by=None, at=at, data=data)
    recount(run=run, at=at)


def carry_drafts(run: Run, readings: Counterparts, *, at: datetime) -> Counter[int]:
    """Carry every draft of the run's cases; how many marks were lost, by case."""
    there = Candidate.objects.filter(analysis__run=run).values_list("pk", flat=True)
    candidates = frozenset(there)
    lost: Counter[int] = Counter()
    rows = Draft.objects.filter(case__run=run).order_by("pk").select_for_update()
    for draft in rows:
        carrier = Carrier(readings)
        fields = carrier.carry(draft.fields, candidates=candidates)
        told = fields.get("renewed") or {"lost": []}
        fields["renewed"] = {
            "revision": run.revision,
            "at": at.isoformat(),
            "lost": [*told["lost"], *carrier.lost],
        }
        draft.fields = drafts.with_purposes(fields)
        draft.revision += 1
        draft.save(update_fields=["fields", "revision"])
        lost[draft.case_id] += len(carrier.lost)
    return lost

"""What messages lost and dead workers left behind, put right from the rows."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from attribution import sending
from attribution.execution import end
from attribution.models import Analysis

# How long a message may take before it is sent again.
PATIENCE = timedelta(seconds=20)
# Analyses per sweep: what waits in a long queue must not be sent over and over.
MOST = 500

WORKER_DIED = "The worker died {tries} times on this analysis, or ran out of time; it is given up."


def sweep(*, at: datetime, patience: timedelta = PATIENCE) -> list[int]:
    """Give up what killed its worker each time; send the rest again. Returns what was sent."""
    give_up(at=at)
    found = overdue(at=at, before=at - patience)
    sending.send(found)
    return found


@transaction.atomic
def give_up(*, at: datetime) -> None:
    poisonous = Analysis.objects.filter(
        status=Analysis.Status.RUNNING,
        lease_expires_at__lt=at,
        tries__gte=Analysis.MOST_TRIES,
    )
    locked = poisonous.select_related("run__project").select_for_update(
        skip_locked=True, of=("self",)
    )
    for analysis in locked.order_by("pk")[:MOST]:
        sentence = WORKER_DIED.format(tries=analysis.tries)
        end(analysis=analysis, status=Analysis.Status.FAILED, error=sentence, at=at)


@transaction.atomic
def overdue(*, at: datetime, before: datetime) -> list[int]:
    """Claimable analyses whose message is older than that, marked as sent now; oldest first."""
    late = Q(sent_at__lt=before) | Q(sent_at=None)
    waiting = Analysis.objects.claimable(at=at).filter(late)
    # Two sweepers at once share the work instead of doubling it.
    locked = waiting.order_by("queued_at").select_for_update(skip_locked=True)
    found = list(locked.values_list("pk", flat=True)[:MOST])
    Analysis.objects.filter(pk__in=found).update(sent_at=at)
    return found

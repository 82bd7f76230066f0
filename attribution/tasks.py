from celery import shared_task
from django.utils import timezone

from attribution import execution, sending, sweeping


@shared_task(name=sending.ANALYSE)
def analyse(*, analysis_id: int, **_: object) -> None:
    execution.execute(analysis_id=analysis_id, at=timezone.now())


@shared_task
def sweep(**_: object) -> None:
    sweeping.sweep(at=timezone.now())

"""Locking a case, changing its status, and saying so in the audit chain."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User

from reviews.models import Case
from traces import audit


def locked(case: Case) -> Case:
    # NO KEY: rows that point at the case may be written meanwhile, by a decline for instance.
    cases = Case.objects.with_record().select_for_update(no_key=True, of=("self",))
    return cases.get(pk=case.pk)


def set_status(case: Case, status: Case.Status) -> None:
    case.status = status
    case.save(update_fields=["status"])


def record(
    case: Case, *, action: str, by: User | None, at: datetime, data: Mapping[str, Any]
) -> None:
    audit.record(
        action=action,
        subject=f"case:{case.pk}",
        at=at,
        project=case.project,
        actor=by,
        data=data,
    )

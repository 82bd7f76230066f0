"""Adding a failure to a run that is here: the one gate for people and programs.

The run itself stays as it was written: its outcome is what the record says. The failure carries
who added it and when, and whoever opens cases or queues analyses is told in the same transaction.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from traces import audit, models, quarantine, subscriptions, withholding, writing
from traces.models import Run
from traces.transcript import Failure
from traces.wording import cleaned

# What hangs on a verdict, least first. The floor that judges uses the same words.
CONSEQUENCES = (
    "transient",
    "remediation",
    "evaluation_item",
    "reported_result",
    "accountability",
)
# Characters that each text of a failure may have.
LONGEST = {"statement": 2_000, "expected": 20_000, "observed": 20_000, "check": 200}


class Refused(Exception):
    """The failure cannot be added. The message says why, in a sentence for the person."""


class AlreadyThere(Refused):
    """The run has this failure. `first` is the one it has."""

    def __init__(self, first: models.Failure) -> None:
        super().__init__("This run has a failure with this statement and this check already.")
        self.first = first


class SetAside(Refused):
    """The run is in quarantine: nothing new is opened on it."""

    def __init__(self) -> None:
        super().__init__(
            "This run is set aside, so no case can be opened on it. A lead can lift that first."
        )


@transaction.atomic
@audit.together()
def add_failure(
    *, run: Run, failure: Failure, by: User, origin: models.Failure.Origin, at: datetime
) -> models.Failure:
    """Write one more failure of the run and announce it. Its key is made here.

    Raises Refused if it says too little, points outside the run, is there already, or if the run
    is set aside.
    """
    stated = checked(without_withheld(failure, run.project, at), run)
    # The writers of the project's runs and cases wait for each other: looking first is enough.
    writing.lock(run.project)
    if quarantine.standing(run):
        raise SetAside
    if first := same_as(stated, run):
        raise AlreadyThere(first)
    added = models.Failure.objects.create(
        run=run,
        key=key_of(stated),
        statement=stated.statement,
        expected=stated.expected,
        observed=stated.observed,
        check_name=stated.check,
        exposed_by=stated.exposed_by,
        consequence=stated.consequence,
        origin=origin,
        added_by=by,
        added_at=at,
    )
    audit.record(
        action="failure.added",
        subject=f"run:{run.pk}",
        at=at,
        project=run.project,
        actor=by,
        data={"key": added.key, "origin": added.origin, "sha256": digest(stated)},
    )
    subscriptions.announce_failure(failure=added, at=at)
    return added


def checked(failure: Failure, run: Run) -> Failure:
    """The failure with its texts trimmed and storable. Raises Refused with what is wrong."""
    texts = {name: cleaned(getattr(failure, name)).strip() for name in LONGEST}
    if not texts["statement"]:
        raise Refused("Say what failed: a failure needs a statement.")
    for name, longest in LONGEST.items():
        if len(texts[name]) > longest:
            raise Refused(f"The {name} has more than {longest:,} characters.")
    if failure.exposed_by is not None and not 0 <= failure.exposed_by < run.step_count:
        raise Refused(
            f"There is no step {failure.exposed_by}: this run has the steps 0 to"
            f" {run.step_count - 1}."
            if run.step_count
            else "This run has no steps."
        )
    if failure.consequence and failure.consequence not in CONSEQUENCES:
        raise Refused(f"The consequence is none of {', '.join(CONSEQUENCES)}.")
    changes: dict[str, Any] = texts
    return replace(failure, **changes)


def without_withheld(failure: Failure, project: models.Project, at: datetime) -> Failure:
    """What people and programs state passes the project's policy, as traces do."""
    texts = {
        name: withholding.name_at_the_door(project=project, name=getattr(failure, name), at=at)
        for name in LONGEST
    }
    changes: dict[str, Any] = texts
    return replace(failure, **changes)


def same_as(stated: Failure, run: Run) -> models.Failure | None:
    """The failure of the run that says the same by the same check, whoever stated it first."""
    wanted = identity(stated.statement, stated.check)
    for failure in run.failures.order_by("pk"):
        if identity(failure.statement, failure.check_name) == wanted:
            return failure
    return None


def identity(statement: str, check: str) -> tuple[str, str]:
    """Statement and check but for case and white space."""
    return " ".join(statement.casefold().split()), " ".join(check.casefold().split())


def key_of(stated: Failure) -> str:
    """A key from what makes the failure this one: the constraint refuses it a second time."""
    content = json.dumps(identity(stated.statement, stated.check), ensure_ascii=False)
    return f"added-{hashlib.sha256(content.encode()).hexdigest()[:16]}"


def digest(stated: Failure) -> str:
    """The sha256 (hex) of all that was stated, so that the audit entry covers it."""
    content = asdict(replace(stated, key=key_of(stated)))
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()

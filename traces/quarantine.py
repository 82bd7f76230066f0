"""The one gate of the quarantine: runs that stay readable and leave queues and figures.

Ingest proposes; only a lead sets aside, lifts and dismisses. Each verb holds the project's lock,
so that of two leads the second finds what the first decided, and so that no run is written while
the figures of its task are counted anew.
"""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Exists, OuterRef

from traces import apparatus, audit, subscriptions
from traces.models import Membership, Project, Quarantine, RawDocument, Role, Run
from traces.transcript import Transcript

OPEN = (Quarantine.Status.PROPOSED, Quarantine.Status.IN_FORCE)
RESTRICTED = (
    "This run is set aside because it holds personal data. Until that is lifted, only leads of the"
    " project may open it."
)


class Refused(Exception):
    """The change is not possible as things stand; the message says why."""


class Restricted(PermissionDenied):
    """The run is set aside for personal data, and this reader is no lead."""

    def __init__(self) -> None:
        super().__init__(RESTRICTED)


def propose(*, run: Run, transcript: Transcript, at: datetime) -> Quarantine | None:
    """Write down what speaks for setting a new run aside, if anything does. It decides nothing."""
    found = apparatus.proposals(transcript)
    if not found:
        return None
    proposal = Quarantine.objects.create(
        run=run,
        status=Quarantine.Status.PROPOSED,
        reason=found[0].reason,
        note=" ".join(each.note for each in found),
        proposed_at=at,
    )
    _record(proposal, action="quarantine.proposed", by=None, at=at, note=proposal.note)
    return proposal


@transaction.atomic
@audit.together()
def set_aside(
    *,
    run: Run,
    reason: str,
    note: str,
    by: User,
    at: datetime,
    owner: User | None = None,
    replacement: Run | None = None,
) -> Quarantine:
    """Set a run aside; `owner` answers for it, by default who does it. A proposal is taken up.

    What people signed or have on their desks stays as it is. Raises Refused, and PermissionDenied
    for who does not lead the project.
    """
    _require_lead(run.project, by)
    row = _opened(run) or Quarantine(run=run)
    _require_settable(row, owner=owner or by, replacement=replacement)
    row.status = Quarantine.Status.IN_FORCE
    row.reason, row.note = Quarantine.Reason(reason), note
    row.owner, row.decided_at, row.replacement = owner or by, at, replacement
    row.save()
    replaced_by = str(replacement.pk) if replacement else ""
    data = {"note": note, "owner": row.owner.get_username(), "replacement": replaced_by}
    _record(row, action="quarantine.set_aside", by=by, at=at, **data)
    subscriptions.announce_standing(run=run, at=at)
    return row


@transaction.atomic
@audit.together()
def lift(*, quarantine: Quarantine, why: str, by: User, at: datetime) -> Quarantine:
    """Bring the run back into queues and figures. Raises Refused and PermissionDenied."""
    _require_lead(quarantine.run.project, by)
    row = _reread(quarantine)
    if row.status == Quarantine.Status.LIFTED:
        raise Refused(f"{row.lifted_by} has lifted this already, {_moment(row.lifted_at)}.")
    if row.status != Quarantine.Status.IN_FORCE:
        raise Refused("This run was not set aside, so there is nothing to lift.")
    if row.reason == Quarantine.Reason.PERSONAL_DATA and _is_replaced(row.run):
        raise Refused("A redacted copy of its document has replaced it, so it stays closed.")
    row.status = Quarantine.Status.LIFTED
    row.lifted_by, row.lifted_at, row.lift_reason = by, at, why
    row.save(update_fields=["status", "lifted_by", "lifted_at", "lift_reason"])
    _record(row, action="quarantine.lifted", by=by, at=at, why=why)
    subscriptions.announce_standing(run=row.run, at=at)
    return row


@transaction.atomic
def dismiss(*, quarantine: Quarantine, why: str, by: User, at: datetime) -> Quarantine:
    """Decide that a proposed run stays in. Its lead and reason are kept beside the proposal.

    Raises Refused and PermissionDenied.
    """
    _require_lead(quarantine.run.project, by)
    row = _reread(quarantine)
    if row.status != Quarantine.Status.PROPOSED:
        raise Refused(f"{row.owner} has decided on this already, {_moment(row.decided_at)}.")
    row.status = Quarantine.Status.DISMISSED
    row.owner, row.decided_at, row.lift_reason = by, at, why
    row.save(update_fields=["status", "owner", "decided_at", "lift_reason"])
    _record(row, action="quarantine.dismissed", by=by, at=at, why=why)
    return row


def in_force(run: str = "pk") -> Exists:
    """Whether a row's run is set aside; `run` is the path from the row to the run's key."""
    rows = Quarantine.objects.filter(run=OuterRef(run), status=Quarantine.Status.IN_FORCE)
    return Exists(rows)


def restricted(run: str = "pk") -> Exists:
    """Whether only leads may read a row's run."""
    rows = Quarantine.objects.filter(
        run=OuterRef(run),
        status=Quarantine.Status.IN_FORCE,
        reason=Quarantine.Reason.PERSONAL_DATA,
    )
    return Exists(rows)


def is_open(run: str = "pk") -> Exists:
    """Whether a row's run is set aside or proposed to be: what `entry` would find."""
    return Exists(Quarantine.objects.filter(run=OuterRef(run), status__in=OPEN))


def entry(run: Run) -> Quarantine | None:
    """What sets the run aside, or proposes to. A run that was read with `is_open` false has none,
    and nothing is asked."""
    if not getattr(run, "is_open", True):
        return None
    rows = Quarantine.objects.filter(run=run, status__in=OPEN)
    return rows.select_related("owner", "replacement").first()


def standing(run: Run) -> Quarantine | None:
    """What sets the run aside, if anything does."""
    row = entry(run)
    return row if row is not None and row.status == Quarantine.Status.IN_FORCE else None


def readable(run: Run, membership: Membership | None) -> bool:
    """Whether this member may read the run's content. A key is nobody's membership: pass None."""
    row = standing(run)
    free = row is None or row.reason != Quarantine.Reason.PERSONAL_DATA
    return free or (membership is not None and membership.may(Role.LEAD))


def require_readable(run: Run, membership: Membership | None) -> None:
    """Raises Restricted. For every view and route that shows what a run holds."""
    if not readable(run, membership):
        raise Restricted


def _is_replaced(run: Run) -> bool:
    return not RawDocument.objects.filter(pk=run.document_id).current().exists()


def _require_lead(project: Project, user: User) -> None:
    members = Membership.objects.filter(project=project, user=user, role=Role.LEAD)
    if not members.exists():
        raise PermissionDenied("Only leads of the project decide about the quarantine.")


def _opened(run: Run) -> Quarantine | None:
    """The run's proposal or exclusion, locked behind the lock of its project."""
    Project.objects.select_for_update(no_key=True).get(pk=run.project_id)
    rows = Quarantine.objects.select_for_update(of=("self",)).select_related("owner")
    return rows.filter(run=run, status__in=OPEN).first()


def _reread(quarantine: Quarantine) -> Quarantine:
    """The row as it is now, locked behind the lock of its project."""
    Project.objects.select_for_update(no_key=True).get(pk=quarantine.run.project_id)
    rows = Quarantine.objects.select_for_update(of=("self",))
    return rows.select_related("run__project", "owner", "lifted_by").get(pk=quarantine.pk)


def _require_settable(row: Quarantine, *, owner: User, replacement: Run | None) -> None:
    run = row.run
    if row.status == Quarantine.Status.IN_FORCE:
        why, since = row.get_reason_display(), _moment(row.decided_at)
        raise Refused(f"{row.owner} has set this run aside already, {since}: {why}.")
    leads = Membership.objects.filter(project=run.project_id, role=Role.LEAD)
    if not leads.filter(user=owner).exists():
        raise Refused("Who answers for it must be a lead of the project.")
    if replacement is None:
        return
    if replacement == run:
        raise Refused("A run cannot replace itself.")
    if replacement.project_id != run.project_id:
        raise Refused("The run that replaces it must be one of this project.")
    if standing(replacement) is not None:
        raise Refused("The run that replaces it is set aside itself.")


def _moment(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC" if at else ""


def _record(row: Quarantine, *, action: str, by: User | None, at: datetime, **data: str) -> None:
    audit.record(
        action=action,
        subject=f"run:{row.run_id}",
        at=at,
        project=row.run.project,
        actor=by,
        data={"quarantine": row.pk, "reason": str(row.reason), **data},
    )

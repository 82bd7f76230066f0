"""Reading a run anew in place: more of it came, or a later mapper reads the same bytes.

The run keeps its key and address, its cases and what people marked; all that is below it is
written again. A run on which a claim is signed stays as it was judged: what comes then is a gap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from django.contrib.auth.models import User
from django.db import transaction

from traces import (
    audit,
    comparing,
    copying,
    labelling,
    models,
    quarantine,
    reading,
    rows,
    saving,
    shown_again,
    subscriptions,
)
from traces.counterparts import Counterparts
from traces.models import PayloadUse, Quarantine, Run
from traces.saving import New
from traces.transcript import Gap, Transcript

# What is below a run and is written again. Failures are matched instead: cases hang on them.
BELOW = (
    models.PayloadUse,
    models.RawRecord,
    models.RunOutline,
    models.Opinion,
    models.Gap,
    models.Link,
    models.Part,
    models.Step,
    models.Actor,
)
# Of a run's row: what stays whatever is read.
STAYS = frozenset({"id", "project", "received_at", "revision"})
# Gaps that tell of other runs and documents than the one that is read.
OF_OTHERS = ("conflicting_duplicate", "late_records")


class Why(StrEnum):
    """What made somebody read the run anew, as the audit chain says it."""

    MORE = "it came again with more"
    MAPPER = "another version of the mapper reads it"
    LATE = "records came late"


@dataclass(frozen=True, slots=True)
class Renewal:
    """What became of it: the run, whether it was read anew, and a sentence for the receipt."""

    run: Run
    renewed: bool
    note: str = ""


@transaction.atomic
@audit.together()
def renew(*, run: Run, new: New, why: Why, by: User | None, at: datetime) -> Renewal:
    """Write this reading in place of the run's own, unless a claim is signed on it.

    `new.row` is a run's row that is not saved, with its document, pointer, format, rule and
    digest. Doing it again changes nothing. Raises Unreadable if the database refuses it; then the
    run is as it was.
    """
    saving.lock(new.row.project)
    # As it is now, behind the lock: somebody may have read it anew meanwhile.
    current = Run.objects.select_related("project").get(pk=run.pk)
    if is_read_so(current, new.row):
        return Renewal(current, renewed=False)
    same = Run.objects.filter(project=current.project_id, sha256=new.row.sha256)
    if twin := same.exclude(pk=current.pk).first():
        return Renewal(twin, renewed=False, note=f"It says the same as run {twin.pk}.")
    before = reading.transcript_of(current)
    if objection := subscriptions.objection_to_renewing(current):
        return kept_as_it_is(current, before, new, why=why, objection=objection, at=at)
    readings = Counterparts(before, new.transcript)
    old = {"sha256": current.sha256, "format": current.format, "document": current.document_id}
    added = written(current, new, readings, at=at)
    record(current, old, why=why, by=by, at=at)
    tell(current, readings, added, at=at)
    return Renewal(current, renewed=True)


def is_read_so(run: Run, row: Run) -> bool:
    """Whether the run is this reading already, from this place."""
    names = ("sha256", "format", "document_id", "pointer")
    return all(getattr(run, name) == getattr(row, name) for name in names)


def kept_as_it_is(
    run: Run, before: Transcript, new: New, *, why: Why, objection: str, at: datetime
) -> Renewal:
    """Leave the run alone, and say once for each document what it therefore lacks."""
    name = run.external_id
    if why is Why.MAPPER:
        sentence = f"{name} stays as the earlier reader ({run.format}) read it: {objection}"
        return Renewal(run, renewed=False, note=sentence)
    if comparing.compare(before, new.transcript) is comparing.Compared.LESS:
        return Renewal(run, renewed=False)
    late = comparing.more_in(before, new.transcript)
    document = new.row.document.sha256[:12]
    detail = f"{late_words(late)} more came too late, in document {document}: {objection}"
    gap, made = models.Gap.objects.get_or_create(run=run, kind="late_records", detail=detail)
    if made:
        run.gap_count += 1
        run.save(update_fields=["gap_count"])
        data = {"document": new.row.document.sha256, "steps": late, "gap": gap.pk}
        audit.record(
            action="run.late_records",
            subject=f"run:{run.pk}",
            at=at,
            project=run.project,
            data=data,
        )
    return Renewal(run, renewed=False, note=f"{name} stays as it is: {detail}")


def late_words(steps: int) -> str:
    if not steps:
        return "What is said of the run as a whole and says"
    return "1 step that is new or holds" if steps == 1 else f"{steps} steps that are new or hold"


def written(
    run: Run, new: New, readings: Counterparts, *, at: datetime
) -> Sequence[models.Failure]:
    """Replace all that is below the run, and its row; the failures that are new to it."""
    # Not among what may be undone: a storage that does not answer says nothing against a run.
    payloads = saving.kept(new, at=at) if new.payloads else []
    with saving.whole_or_refused([new]):
        gaps = [*new.transcript.gaps, *gaps_of_others(run)]
        for table in BELOW:
            table._default_manager.filter(run=run).delete()
        failures = shown_again.match(run, readings)
        transcript = replace(new.transcript, gaps=(*gaps, *failures.gaps))
        set_row(run, new.row, gap_count=len(transcript.gaps))
        rows.copy_below([rows.Content(run, transcript)])
        used = ((str(run.pk), payload) for payload in payloads)
        copying.copy(PayloadUse, ("run_id", "payload_id"), used)
        labelling.again(run)
    run.refresh_from_db(fields=["gap_count"])
    return failures.added


def gaps_of_others(run: Run) -> list[Gap]:
    kept = run.gaps.filter(kind__in=OF_OTHERS).order_by("pk")
    return [Gap(gap.kind, gap.detail, gap.step) for gap in kept]


def set_row(run: Run, row: Run, *, gap_count: int) -> None:
    for field in Run._meta.concrete_fields:
        if field.name not in STAYS:
            setattr(run, field.name, getattr(row, field.name))
    run.gap_count = gap_count
    run.revision += 1
    run.save(force_update=True)


def record(run: Run, old: dict[str, object], *, why: Why, by: User | None, at: datetime) -> None:
    now = {"sha256": run.sha256, "format": run.format, "document": run.document_id}
    audit.record(
        action="run.renewed",
        subject=f"run:{run.pk}",
        at=at,
        project=run.project,
        actor=by,
        data={"before": old, "after": now, "revision": run.revision, "why": why.value},
    )


def tell(
    run: Run, readings: Counterparts, added: Sequence[models.Failure], *, at: datetime
) -> None:
    """Announce the run and its new failures. What people decided about it stands."""
    if not Quarantine.objects.filter(run=run).exists():
        quarantine.propose(run=run, transcript=readings.after, at=at)
    subscriptions.announce_renewed(run=run, readings=readings, at=at)
    for failure in added:
        subscriptions.announce_failure(failure=failure, at=at)

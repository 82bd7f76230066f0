"""Traces that are due become documents and runs, many of one project at once.

Whoever is killed at any moment leaves either all of it or nothing: the document, its runs, the
spans that are gone and the receipts are one transaction. What nobody finished is due again.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import transaction

from traces import audit, collecting, ingest, raw, withholding, writing
from traces.arrivals import Fate
from traces.formats import intake
from traces.formats.base import Refusal, Unreadable
from traces.models import OpenTrace, Project, RawDocument
from traces.otlp import claiming, gathering, oversize, settling
from traces.otlp.gathering import Gathered
from traces.otlp.runs import written
from traces.otlp.settling import Fateful

FORMAT = "otlp"
# Bytes of one document, unless a single trace has more: reading one takes ten times its size.
GROUP_BYTES = 24 * 2**20
NO_RUN = "No run could be made of this trace."
KNOWN_AS_NO_RUN = "All that came was here before, and no run could be made of it then."
GIVEN_UP = (
    f"Assembling it was tried {claiming.MOST_TRIES} times and never came to an end, so it is given"
    " up. Its bytes are kept."
)

logger = logging.getLogger(__name__)


class Lost(Exception):
    """Others have the traces by now: whoever was so slow leaves them alone."""


def assemble(*, at: datetime) -> int:
    """Assemble all that is due. The number of traces that were."""
    began = time.monotonic()
    return sum(of_project(project, at, began) for project in claiming.projects_with_due(at))


def of_project(project: Project, at: datetime, began: float) -> int:
    """Assemble what was due at this time, which is so long ago by now."""
    done = 0
    while True:
        now = at + timedelta(seconds=time.monotonic() - began)
        traces = claiming.claim(project, at, since=now)
        if not traces:
            return done
        try:
            for group in grouped(project, traces, now):
                attempt(project, group, now)
        except SoftTimeLimitExceeded:
            claiming.release(traces, now)
            raise
        except MemoryError:
            logger.exception("Traces of project %s are too much at once.", project.pk)
            claiming.release(traces, now)
        except Exception:  # a storage that does not answer says nothing against a trace
            logger.exception("Traces of project %s are put off.", project.pk)
            claiming.put_off(traces, now)
        done += len(traces)


def grouped(
    project: Project, traces: Sequence[OpenTrace], at: datetime
) -> Iterator[list[OpenTrace]]:
    """Traces whose spans make a document of bearable size."""
    sizes = gathering.sizes(project.pk, traces)
    group: list[OpenTrace] = []
    size = 0
    for each in traces:
        own = sizes.get(bytes(each.trace_id), 0)
        if own > settings.MAX_DOCUMENT_BYTES:
            oversize.refuse(project, each, own, at=at)
            continue
        if group and size + own > GROUP_BYTES:
            yield group
            group, size = [], 0
        group.append(each)
        size += own
    if group:
        yield group


@collecting.paused()
def attempt(project: Project, traces: Sequence[OpenTrace], at: datetime) -> None:
    """Assemble these together; or in halves if they cannot be read together."""
    gathered = gathering.gathered(project.pk, traces)
    size = len(gathered.content)
    if len(traces) == 1 and size > settings.MAX_DOCUMENT_BYTES:
        oversize.refuse(project, traces[0], size, at=at)
        return
    try:
        write(project, traces, gathered, taken_of(traces, gathered), at)
    except Unreadable as error:
        if len(traces) == 1:
            refuse(project, traces, gathered, error, at)
            return
        middle = len(traces) // 2
        attempt(project, traces[:middle], at)
        attempt(project, traces[middle:], at)


def refuse(
    project: Project,
    traces: Sequence[OpenTrace],
    gathered: Gathered,
    why: Unreadable,
    at: datetime,
) -> None:
    """Keep the bytes of a trace that is no run, unless they cannot be searched for values that the
    policy withholds: then nothing of them may be kept."""
    try:
        write(project, traces, gathered, refusing(why), at)
    except Unreadable as error:
        write(project, traces, replace(gathered, content=b""), refusing(error), at)


def refusing(why: Unreadable) -> intake.Intake:
    return intake.Intake((), (Refusal.of(why, "/"),))


def write(
    project: Project,
    traces: Sequence[OpenTrace],
    gathered: Gathered,
    taken: intake.Intake,
    at: datetime,
) -> None:
    """Raises Unreadable for what cannot be searched for values that the policy withholds."""
    try:
        finish(project, traces, gathered, taken, at)
    except Lost:
        logger.warning("Traces of project %s were assembled by others.", project.pk)


def taken_of(traces: Sequence[OpenTrace], gathered: Gathered) -> intake.Intake:
    if not gathered.content:
        return intake.Intake((), ())
    if traces[0].tries >= claiming.MOST_TRIES:
        raise Unreadable(GIVEN_UP)
    try:
        return intake.take(gathered.content, wanted=FORMAT, limits=ingest.limits())
    except (Unreadable, *ingest.INTERRUPTIONS):
        raise
    except Exception as error:
        logger.exception("%s traces could not be read together.", len(traces))
        raise intake.unexpected(error) from error


@transaction.atomic
@audit.together()
def finish(
    project: Project,
    traces: Sequence[OpenTrace],
    gathered: Gathered,
    taken: intake.Intake,
    at: datetime,
) -> None:
    """Write all of a group, or nothing of it. Raises Lost if it is in other hands."""
    writing.lock(project)
    document = None
    if gathered.content:
        document = withholding.at_the_door(
            project=project, content=gathered.content, at=at
        ).document
        taken = as_stored(document, gathered, taken)
    fates = written(traces, taken, document, at=at) if document else {}
    for each in traces:
        fates.setdefault(bytes(each.trace_id), without_run(each, gathered, taken))
    if not claiming.held(traces, at):
        raise Lost
    settling.settle(gathered, fates, taken.refusals if taken.runs else (), at=at)
    settling.mark(traces, gathered, fates, document)


def as_stored(document: RawDocument, gathered: Gathered, taken: intake.Intake) -> intake.Intake:
    """What was read, from the bytes that are kept: a policy may have come since the spans did."""
    same = document.size == len(gathered.content) and not document.original_sha256
    if same or not taken.runs:
        return taken
    try:
        return intake.take(raw.content(document.pk), wanted=FORMAT, limits=ingest.limits())
    except Unreadable as error:
        return refusing(error)


def without_run(trace: OpenTrace, gathered: Gathered, taken: intake.Intake) -> Fateful:
    """What to say of a trace that no run was made of now."""
    unchanged = bytes(trace.trace_id) in gathered.unchanged
    if unchanged and trace.run_id is not None:
        return Fateful(run=trace.run_id, fate=Fate.KNOWN)
    reason = taken.refusals[0].reason if taken.refusals and not taken.runs else NO_RUN
    if unchanged:
        reason = KNOWN_AS_NO_RUN
    return Fateful(refusal=Refusal(f"trace {trace}", reason))

"""Spans that come late over OTLP to a run that is being judged, or was."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from reviews import assignment, drafts
from reviews.models import Draft
from tests.factories import AT, make_project
from tests.reviews.scenes import case_of, make_policy, sign, user
from tests.traces.otlp.spans import BEGUN, TRACE, json_of, span
from traces import failing, models, reading
from traces.models import OpenTrace, Project, RawDocument, RawSpan, Receipt, Run
from traces.otlp import assembling, plain_json, storing
from traces.otlp.batches import SPAN
from traces.transcript import Failure

pytestmark = [pytest.mark.django_db, pytest.mark.database]
ROOT = "00000000000000aa"


def text(key: str, value: str) -> dict[str, object]:
    return {"key": key, "value": {"stringValue": value}}


def tool(number: int, answer: str) -> dict[str, object]:
    """A call of a tool, so many microseconds after the beginning."""
    return span(
        spanId=f"{number:016x}",
        parentSpanId=ROOT,
        name="execute_tool search",
        startTimeUnixNano=str(BEGUN + number * 1_000),
        endTimeUnixNano=str(BEGUN + number * 1_000 + 500),
        attributes=[
            text("gen_ai.operation.name", "execute_tool"),
            text("gen_ai.tool.name", "search"),
            text("gen_ai.tool.call.id", f"call-{number}"),
            text("gen_ai.tool.call.result", answer),
        ],
    )


def root() -> dict[str, object]:
    return span(
        spanId=ROOT,
        name="invoke_agent helpdesk",
        startTimeUnixNano=str(BEGUN),
        endTimeUnixNano=str(BEGUN + 900_000),
        status={"code": 2, "message": "The invoice was not found."},
        attributes=[
            text("gen_ai.operation.name", "invoke_agent"),
            text("gen_ai.agent.name", "helpdesk"),
        ],
    )


def send(project: Project, *spans: dict[str, object]) -> Receipt:
    """Store a batch, and assemble it; its receipt."""
    batch = plain_json.batch_of(json_of(*spans), SPAN)
    receipt = storing.store(project=project, batch=batch, at=timezone.now())
    assembling.assemble(at=later())
    assert receipt is not None
    receipt.refresh_from_db()
    assert (receipt.waiting, RawSpan.objects.count()) == (0, 0)
    return receipt


def later() -> datetime:
    return timezone.now() + timedelta(seconds=6)


@pytest.fixture
def project() -> Project:
    project = make_project()
    make_policy(project)
    send(project, root(), tool(10, "nothing"), tool(30, "410 Gone"))
    run, failure = Run.objects.get(), Failure(key="", statement="It broke.", exposed_by=1)
    origin = models.Failure.Origin.PERSON
    failing.add_failure(run=run, failure=failure, by=user("lena"), origin=origin, at=AT)
    return project


def test_late_spans_after_a_signature_are_a_gap_and_change_no_step(project: Project) -> None:
    run = Run.objects.get()
    sign(case_of(run), "ada", "unresolved")
    before = reading.transcript_of(run).steps
    late = send(project, tool(20, "v1 is closed"))
    again = send(project, tool(20, "v1 is closed"))
    run = Run.objects.get()
    assert reading.transcript_of(run).steps == before
    assert (run.revision, run.gaps.filter(kind="late_records").count()) == (0, 1)
    assert (late.status, late.known) == ("read", [str(run.pk)])
    assert late.notes[0].endswith("a claim on it is signed.")
    assert (again.status, again.known, again.folded, again.notes) == ("read", [str(run.pk)], 1, [])
    # What came too late is kept, and whatever comes later still is told.
    assert any(b"v1 is closed" in bytes(each.content) for each in RawDocument.objects.all())
    send(project, tool(40, "later still"))
    assert Run.objects.get().gaps.filter(kind="late_records").count() == 2
    assert OpenTrace.objects.get(trace_id=TRACE).run_id == run.pk


def test_late_spans_join_a_run_whose_draft_has_marks_and_the_marks_follow(
    project: Project,
) -> None:
    run = Run.objects.get()
    case = case_of(run)
    slot = assignment.take(case=case, reviewer=user("ada"), at=AT)
    steps = reading.transcript_of(run)
    marked = next(step for step in steps.steps if "410 Gone" in step.parts[-1].text)
    drafts.mark(
        step=marked,
        actor=steps.actor_of(marked),
        purpose="decisive",
        slot_id=slot.pk,
        token=slot.token,
        at=AT,
    )
    receipt = send(project, tool(20, "v1 is closed"))
    run = Run.objects.get()
    assert (receipt.renewed, run.revision) == ([str(run.pk)], 1)
    fields = Draft.objects.get().fields
    now = reading.transcript_of(run).steps[fields["decisive_step"]]
    assert now.source_id == marked.source_id
    assert now.number != marked.number

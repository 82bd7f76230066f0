"""From waiting spans to runs: what must not happen first, then what does."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.factories import make_project
from tests.traces.otlp.spans import TRACE, request_of
from tests.traces.otlp.spans_format import ACCIDENT, POISON, UNREAD_REASON
from traces.models import Gap, OpenTrace, Part, Project, RawDocument, RawSpan, Receipt, Run, Step
from traces.otlp import assembling, claiming, decoding, protobuf, storing
from traces.otlp.batches import LOG

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.database,
    pytest.mark.usefixtures("_plain_reader"),
]
OTHER, THIRD = bytes(range(16, 32)), bytes(range(32, 48))
QUIET, SILENT = timedelta(seconds=6), timedelta(seconds=601)


def now() -> datetime:
    return timezone.now()


def send(
    project: Project, *requests: ExportTraceServiceRequest, at: datetime | None = None
) -> None:
    for request in requests:
        batch = protobuf.batch_of(request, "span")
        storing.store(project=project, batch=batch, at=at or now())


def one_of(request: ExportTraceServiceRequest, *numbers: int) -> ExportTraceServiceRequest:
    """The request with these of its spans."""
    some = ExportTraceServiceRequest()
    some.CopyFrom(request)
    spans = some.resource_spans[0].scope_spans[0].spans
    kept = [spans[number] for number in numbers]
    copies = [type(span).FromString(span.SerializeToString()) for span in kept]
    del spans[:]
    spans.extend(copies)
    return some


def assemble(after: timedelta = QUIET) -> int:
    return assembling.assemble(at=now() + after)


def stories() -> list[list[str]]:
    """The steps of each run, in the order of the runs' names."""
    runs = Run.objects.order_by("external_id")
    return [
        [
            text.split()[0]
            for text in Part.objects.filter(run=run).order_by("step").values_list("text", flat=True)
        ]
        for run in runs
    ]


def test_a_trace_without_an_ended_root_waits(project: Project) -> None:
    send(project, request_of("root", "chat", ended=False))
    assert assemble() == 0
    assert (Run.objects.count(), RawSpan.objects.count()) == (0, 2)


def test_a_trace_is_left_alone_while_spans_come(project: Project) -> None:
    send(project, request_of("root", "chat"))
    assert assemble(timedelta(seconds=4)) == 0
    assert RawSpan.objects.count() == 2


def test_a_trace_in_other_hands_is_left_alone_until_they_have_surely_died(project: Project) -> None:
    send(project, request_of("root"))
    at = now() + QUIET
    assert len(claiming.claim(project, at)) == 1
    assert assembling.assemble(at=at + timedelta(minutes=1)) == 0
    assert assembling.assemble(at=at + claiming.LEASE + timedelta(seconds=1)) == 1
    assert Run.objects.count() == 1


def test_who_is_too_slow_writes_nothing(project: Project) -> None:
    send(project, request_of("root"))
    at = now() + QUIET
    mine = claiming.claim(project, at)
    later = at + claiming.LEASE + timedelta(seconds=1)
    assert claiming.claim(project, later)
    assembling.attempt(project, mine, at)
    assert (Run.objects.count(), RawDocument.objects.count(), RawSpan.objects.count()) == (0, 0, 1)


def test_a_complete_trace_becomes_a_run(project: Project) -> None:
    send(project, request_of("root", "chat", "tool"))
    assert assemble() == 1
    run = Run.objects.get()
    assert (run.external_id, run.pointer) == (TRACE.hex(), f"trace {TRACE.hex()}")
    assert stories() == [["root", "chat", "tool"]]
    assert not Gap.objects.filter(kind="partial_trace").exists()
    assert RawSpan.objects.count() == 0
    job = OpenTrace.objects.get()
    assert (job.run_id, job.document_id, job.waiting, job.taken_at, job.tries) == (
        run.pk, run.document_id, 0, None, 0,
    )  # fmt: skip
    receipt = Receipt.objects.get()
    assert (receipt.status, receipt.waiting, receipt.made) == ("read", 0, [str(run.pk)])
    assert receipt.gap_count == run.gap_count
    assert receipt.finished_at is not None
    assert assemble() == 0


def test_the_document_is_otlp_json_that_the_door_itself_reads(project: Project) -> None:
    send(project, request_of("root", "chat"))
    assemble()
    content = bytes(RawDocument.objects.get().content)
    value = json.loads(content)
    (scope,) = value["resourceSpans"][0]["scopeSpans"]
    assert scope["scope"]["name"] == "tests"
    assert [span["name"] for span in scope["spans"]] == ["root", "chat"]
    _, batch = decoding.decoded(content, "application/json", "span")
    assert {item.trace_id for item in batch.items} == {TRACE}


def test_root_last_and_batch_by_batch_is_the_same_document(project: Project) -> None:
    other = make_project("other")
    whole = request_of("root", "chat", "tool")
    send(project, whole)
    send(other, one_of(whole, 2), one_of(whole, 1), one_of(whole, 0))
    assemble()
    first, second = RawDocument.objects.order_by("project")
    assert bytes(first.content) == bytes(second.content)
    assert stories() == [["root", "chat", "tool"]] * 2


def test_spans_sent_twice_are_folded_and_counted(project: Project) -> None:
    whole = request_of("root", "chat")
    send(project, whole, whole, one_of(whole, 1))
    assemble()
    assert stories() == [["root", "chat"]]
    receipts = Receipt.objects.order_by("pk")
    assert [receipt.folded for receipt in receipts] == [0, 2, 1]
    assert {receipt.status for receipt in receipts} == {"read"}


def test_a_trace_that_never_ends_is_partial_and_says_so(project: Project) -> None:
    send(project, request_of("root", "chat", ended=False))
    assert assemble(SILENT) == 1
    gap = Gap.objects.get(kind="partial_trace")
    assert gap.detail == "No end of its root came, and nothing else for 600 seconds."
    assert Run.objects.get().gap_count == Gap.objects.count()


def test_many_traces_are_one_document(project: Project) -> None:
    for trace in (TRACE, OTHER, THIRD):
        send(project, request_of("root", "chat", trace_id=trace))
    assert assemble() == 3
    assert RawDocument.objects.count() == 1
    assert Run.objects.count() == 3


def test_a_receipt_is_read_when_none_of_its_spans_wait(project: Project) -> None:
    both = request_of("root")
    both.MergeFrom(request_of("root", ended=False, trace_id=OTHER))
    send(project, both)
    assemble()
    receipt = Receipt.objects.get()
    assert (receipt.status, receipt.waiting, len(receipt.made)) == ("stored", 1, 1)
    assemble(SILENT)
    receipt.refresh_from_db()
    assert (receipt.status, receipt.waiting, len(receipt.made)) == ("read", 0, 2)


def test_a_trace_that_cannot_be_read_costs_no_other(project: Project) -> None:
    send(project, request_of("root"), request_of(POISON, trace_id=OTHER))
    send(project, request_of("root", trace_id=THIRD))
    assemble()
    assert [run.external_id for run in Run.objects.order_by("external_id")] == [
        TRACE.hex(), THIRD.hex(),
    ]  # fmt: skip
    refused = Receipt.objects.get(status="refused")
    assert refused.reason == "A span cannot be borne."
    assert refused.refused[0]["position"] == f"trace {OTHER.hex()}"
    # Its bytes are kept all the same.
    assert any(POISON.encode() in bytes(each.content) for each in RawDocument.objects.all())
    assert RawSpan.objects.count() == 0


def test_log_records_come_with_their_trace(project: Project) -> None:
    logs = ExportLogsServiceRequest()
    record = logs.resource_logs.add().scope_logs.add().log_records.add(trace_id=TRACE)
    record.body.string_value = "of the same trace"
    storing.store(project=project, batch=protobuf.batch_of(logs, LOG), at=now())
    send(project, request_of("root"))
    assemble()
    value = json.loads(bytes(RawDocument.objects.get().content))
    (kept,) = value["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
    assert kept["body"] == {"stringValue": "of the same trace"}
    assert RawSpan.objects.count() == 0


def test_late_spans_join_their_run(project: Project) -> None:
    whole = request_of("root", "chat", "tool")
    send(project, one_of(whole, 0, 1), request_of("root", trace_id=OTHER))
    assemble()
    before = Run.objects.get(external_id=TRACE.hex())
    send(project, one_of(whole, 2))
    assert assemble() == 1
    assert stories() == [["root", "chat", "tool"], ["root"]]
    run = Run.objects.get(external_id=TRACE.hex())
    assert run.pk == before.pk
    assert run.document_id != before.document_id
    late = Receipt.objects.latest("pk")
    assert (late.status, late.renewed, late.made) == ("read", [str(run.pk)], [])
    assert OpenTrace.objects.get(trace_id=TRACE).document_id == run.document_id


def test_a_partial_run_is_whole_when_its_end_comes(project: Project) -> None:
    send(project, request_of("root", "chat", ended=False))
    assemble(SILENT)
    ended = request_of("root", "chat")
    send(project, one_of(ended, 0))
    assemble()
    assert Run.objects.count() == 1
    assert not Gap.objects.filter(kind="partial_trace").exists()


def test_spans_that_come_again_late_change_nothing(project: Project) -> None:
    whole = request_of("root", "chat")
    send(project, whole)
    assemble()
    run = Run.objects.get()
    send(project, one_of(whole, 1))
    assert assemble() == 1
    assert (RawDocument.objects.count(), Step.objects.count()) == (1, 2)
    late = Receipt.objects.latest("pk")
    assert (late.status, late.known, late.folded) == ("read", [str(run.pk)], 1)
    assert OpenTrace.objects.get().waiting == 0


def test_a_trace_above_the_limit_is_kept_and_refused_with_the_number(
    project: Project, settings: Any
) -> None:
    settings.MAX_DOCUMENT_BYTES = 2_000
    send(project, request_of("root", "chat", text="a" * 3_000))
    send(project, request_of("root", trace_id=OTHER))
    assemble()
    assert [run.external_id for run in Run.objects.all()] == [OTHER.hex()]
    refused = Receipt.objects.get(status="refused")
    assert "the limit is 2,000 (INQUEST_MAX_DOCUMENT_BYTES)" in refused.reason
    kept = b"".join(bytes(each.content) for each in RawDocument.objects.all())
    assert kept.count(b"a" * 3_000) == 2
    assert RawSpan.objects.count() == 0


def test_groups_are_bounded_by_their_bytes(project: Project, monkeypatch: Any) -> None:
    monkeypatch.setattr(assembling, "GROUP_BYTES", 1_000)
    for trace in (TRACE, OTHER, THIRD):
        send(project, request_of("root", trace_id=trace, text="a" * 600))
    assert assemble() == 3
    assert (RawDocument.objects.count(), Run.objects.count()) == (3, 3)


def test_a_refused_span_is_told_on_its_own_receipt_and_no_other(project: Project) -> None:
    send(project, request_of("root"), request_of("root", "unread", trace_id=OTHER))
    assemble()
    fine, odd = Receipt.objects.order_by("pk")
    assert (fine.status, fine.refused_count) == ("read", 0)
    assert (odd.status, odd.refused_count) == ("read", 1)
    assert odd.refused[0]["reason"] == UNREAD_REASON
    assert "/spans/" in odd.refused[0]["position"]


def test_a_trace_that_comes_again_after_no_run_was_made_says_so(project: Project) -> None:
    poisoned = request_of(POISON)
    send(project, poisoned)
    assemble()
    send(project, poisoned)
    assemble()
    again = Receipt.objects.latest("pk")
    assert (again.status, again.folded) == ("refused", 1)
    assert again.reason == assembling.KNOWN_AS_NO_RUN


def test_an_accident_in_reading_costs_no_other_trace(project: Project) -> None:
    send(project, request_of("root"), request_of(ACCIDENT, trace_id=OTHER))
    assemble()
    assert [run.external_id for run in Run.objects.all()] == [TRACE.hex()]
    assert Receipt.objects.get(status="refused").refused_count == 1
    assert RawSpan.objects.count() == 0

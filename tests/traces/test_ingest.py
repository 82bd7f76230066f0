"""The one door: bytes first, whole runs or none, and the same answer every time."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from tests.factories import AT, make_project, make_run, make_transcript, make_user
from tests.traces.formats.native_runs import SAMPLE_PATHS, native_run, native_step
from traces import audit, gaps, ingest, left_over, reading, subscriptions, tasks, wording
from traces.formats import intake, registry
from traces.models import (
    Actor,
    AuditEntry,
    Failure,
    Gap,
    Link,
    Opinion,
    Part,
    Project,
    RawDocument,
    Receipt,
    Run,
    Step,
)

pytestmark = [pytest.mark.django_db, pytest.mark.database]

RUN = json.dumps(native_run()).encode()
ROWS = (Run, Step, Part, Link, Gap, Actor, Failure, Opinion)


def take(project: Project, content: bytes, **changes: Any) -> Receipt:
    given = {"filename": "run.json", "via": Receipt.Via.UPLOAD, "by": None, "at": AT} | changes
    return ingest.ingest(project=project, content=content, **given)


def row_counts() -> dict[str, int]:
    return {table.__name__: table._default_manager.count() for table in ROWS}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "The file is empty."),
        (b"hello", "This is not JSON"),
        (RUN[:100], "The JSON breaks off"),
        (b'{"ships": []}', "No known format fits"),
        (b"\x80\x04\x95", "Python pickle"),
        (b'{"schema": "inquest-run/7"}', 'The schema is "inquest-run/7"'),
    ],
)
def test_a_refused_document_leaves_its_bytes_and_the_reason_and_no_run(
    content: bytes, reason: str
) -> None:
    receipt = take(make_project(), content)
    assert receipt.status == Receipt.Status.REFUSED
    assert receipt.reason.startswith(reason) or reason in receipt.reason
    assert receipt.finished_at == AT
    assert receipt.document
    assert bytes(RawDocument.objects.get().content) == content
    assert set(row_counts().values()) == {0}
    assert not AuditEntry.objects.filter(action="run.ingested").exists()


@pytest.mark.parametrize("content", [bytes(2000), gzip.compress(bytes(1_000_000))])
def test_what_is_too_large_is_refused_unstored(content: bytes, settings: Settings) -> None:
    settings.MAX_DOCUMENT_BYTES = 1500
    receipt = take(make_project(), content)
    assert receipt.status == Receipt.Status.REFUSED
    assert receipt.document is None
    assert "the limit is 1,500 (INQUEST_MAX_DOCUMENT_BYTES)" in receipt.reason
    assert not RawDocument.objects.exists()


def test_a_run_with_too_many_steps_is_refused(settings: Settings) -> None:
    settings.MAX_STEPS = 1
    receipt = take(make_project(), RUN)
    assert receipt.status == Receipt.Status.REFUSED
    assert "The run has 2 steps; the limit is 1" in receipt.reason


def test_a_run_that_the_database_refuses_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """No built-in format can make such a run; a plug-in might."""
    taken = intake.take(json.dumps([native_run(), native_run(id="run-2")]).encode())
    bad = make_transcript(external_id="with \x00 in it")
    first = intake.TakenRun(bad, "/0", "odd@1", "odd", "0" * 64)
    odd = intake.Intake((first, taken.runs[1]), ())
    monkeypatch.setattr(intake, "take", lambda content, **_: odd)
    receipt = take(make_project(), RUN)
    assert receipt.status == Receipt.Status.READ
    assert [place["position"] for place in receipt.refused] == ["/0"]
    assert Run.objects.get().external_id == "run-2"


def test_a_subscriber_that_fails_takes_the_whole_run_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(**_: object) -> None:
        raise RuntimeError("The floor above is on fire.")

    monkeypatch.setattr(subscriptions, "_subscribers", [fail])
    project = make_project()
    receipt = ingest.receive(
        project=project, content=RUN, filename="r", via=Receipt.Via.API, by=None, at=AT
    )
    with pytest.raises(RuntimeError):
        ingest.read(receipt_id=receipt.pk, at=AT)
    receipt.refresh_from_db()
    assert receipt.status == Receipt.Status.STORED
    assert set(row_counts().values()) == {0}
    monkeypatch.setattr(subscriptions, "_subscribers", [])
    assert ingest.read(receipt_id=receipt.pk, at=AT).status == Receipt.Status.READ


def test_the_bytes_are_stored_as_they_came_before_they_are_read() -> None:
    receipt = ingest.receive(
        project=make_project(), content=RUN, filename="r", via=Receipt.Via.API, by=None, at=AT
    )
    assert receipt.status == Receipt.Status.STORED
    assert bytes(RawDocument.objects.get().content) == RUN
    assert not Run.objects.exists()


def test_a_run_is_made_with_all_its_rows_and_one_audit_entry() -> None:
    project, ada = make_project(), make_user("ada")
    receipt = take(project, RUN, by=ada)
    run = Run.objects.get()
    assert receipt.made == [str(run.pk)]
    assert (receipt.format, receipt.rule) == ("native@2", 'key schema begins "inquest-run/"')
    assert (run.step_count, run.actor_count, run.received_at) == (2, 1, AT)
    assert run.gap_count == receipt.gap_count == Gap.objects.count()
    entry = AuditEntry.objects.get(action="run.ingested")
    assert (entry.actor_id, entry.subject) == (ada.pk, f"run:{run.pk}")
    assert list(audit.faults()) == []


def test_subscribers_hear_of_a_new_run_once(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = []

    def listen(*, runs: Sequence[Run], at: object) -> None:
        heard.extend((run.external_id, at, run.steps.count()) for run in runs)

    monkeypatch.setattr(subscriptions, "_subscribers", [listen])
    project = make_project()
    take(project, RUN)
    take(project, RUN)
    assert heard == [("run-1", AT, 2)]


def test_the_same_bytes_again_are_the_same_run_and_the_receipt_says_so() -> None:
    project = make_project()
    first, before = take(project, RUN), row_counts()
    second = take(project, RUN, at=AT + timedelta(days=1))
    assert (second.made, second.known) == ([], first.made)
    assert second.reason == "Already known: nothing new in this file."
    assert second.document == first.document
    assert row_counts() == before
    assert RawDocument.objects.count() == 1


def test_the_same_content_in_other_bytes_is_the_same_run() -> None:
    project = make_project()
    take(project, RUN)
    again = take(project, gzip.compress(json.dumps(native_run(), indent=3).encode()))
    assert again.made == []
    assert Run.objects.count() == 1
    assert RawDocument.objects.count() == 2


def test_the_same_run_twice_in_one_file_is_one_run() -> None:
    receipt = take(make_project(), RUN + b"\n" + RUN)
    assert receipt.made == receipt.known
    assert Run.objects.count() == 1


def test_another_project_has_its_own_run() -> None:
    first, second = make_project("one"), make_project("two")
    take(first, RUN)
    assert take(second, RUN).made
    assert Run.objects.count() == 2


def test_the_same_name_with_other_content_keeps_both_and_is_a_gap_of_the_later() -> None:
    project = make_project()
    take(project, RUN)
    contradicts = native_step(1, {"type": "message", "text": "Something else."})
    other = json.dumps(native_run(contradicts)).encode()
    take(project, other, at=AT + timedelta(hours=1))
    earlier, later = Run.objects.order_by("received_at")
    assert earlier.external_id == later.external_id
    assert not earlier.gaps.filter(kind="conflicting_duplicate").exists()
    assert str(earlier.pk) in later.gaps.get(kind="conflicting_duplicate").detail
    assert later.gap_count == later.gaps.count()


def test_a_finished_receipt_is_not_read_again() -> None:
    receipt = take(make_project(), b"hello")
    again = ingest.read(receipt_id=receipt.pk, at=AT + timedelta(days=1))
    assert again.finished_at == AT


def test_what_was_left_out_of_a_bundle_is_named() -> None:
    from_zip = intake.Intake((), (), ("LICENSE", "README.md"))
    sentence = wording.summary(Receipt(made=["x"]), from_zip)
    assert sentence == "Left out, being no traces: LICENSE, README.md (2 in all)."


def test_a_document_of_no_runs_says_so() -> None:
    receipt = take(make_project(), b"[]", wanted_format="native")
    assert (receipt.status, receipt.reason) == ("refused", "The file holds no run.")


def test_the_sweeper_reads_what_was_left_and_waits_for_what_is_young(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    project = make_project()
    late = AT + timedelta(minutes=5)

    def stored(name: str, at: Any) -> Receipt:
        return ingest.receive(
            project=project,
            content=json.dumps(native_run(id=name)).encode(),
            filename=name,
            via=Receipt.Via.API,
            by=None,
            at=at,
        )

    broken, old, young = stored("broken", AT), stored("old", AT), stored("young", late)
    read = ingest.read

    def read_but_one(*, receipt_id: int, at: Any) -> Receipt:
        if receipt_id == broken.pk:
            raise MemoryError("not now")
        return read(receipt_id=receipt_id, at=at)

    monkeypatch.setattr(ingest, "read", read_but_one)
    left_over.finish_stored(at=late)
    statuses = dict(Receipt.objects.values_list("pk", "status"))
    assert statuses == {broken.pk: "stored", old.pk: "read", young.pk: "stored"}
    assert "could not be finished" in caplog.text


def test_a_document_that_kills_its_readers_is_given_up() -> None:
    receipt = ingest.receive(
        project=make_project(), content=RUN, filename="r", via=Receipt.Via.API, by=None, at=AT
    )
    for _ in range(3):
        assert ingest.claimed(receipt.pk)
        assert not ingest.claimed(receipt.pk)
        left_over.finish_stored(at=AT + timedelta(hours=1))
        receipt.refresh_from_db()
        assert receipt.status == "stored"
        Receipt.objects.update(reading_since=timezone.now() - timedelta(minutes=7))
    left_over.finish_stored(at=AT + timedelta(hours=1))
    receipt.refresh_from_db()
    assert (receipt.status, receipt.tries) == ("refused", 4)
    assert "tried 3 times" in receipt.reason


def test_what_nobody_foresaw_is_a_refusal(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("SECRET")

    monkeypatch.setattr(gaps, "completed", fail)
    receipt = take(make_project(), RUN)
    assert receipt.status == "refused"
    assert receipt.reason == "It could not be read: ZeroDivisionError."
    assert receipt.excerpt == "SECRET"
    assert "Traceback" in caplog.text


def test_a_worker_out_of_time_leaves_the_document_for_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stop(*_: object) -> None:
        raise SoftTimeLimitExceeded

    receipt = ingest.receive(
        project=make_project(), content=RUN, filename="r", via=Receipt.Via.API, by=None, at=AT
    )
    with monkeypatch.context() as patched:
        patched.setattr(type(registry.formats()["native"]), "read", stop)
        with pytest.raises(SoftTimeLimitExceeded):
            left_over.finish_stored(at=AT + timedelta(hours=1))
    receipt.refresh_from_db()
    assert (receipt.status, receipt.tries) == ("stored", 1)
    left_over.finish_stored(at=AT + timedelta(hours=1))
    receipt.refresh_from_db()
    assert receipt.status == "read"


def test_times_without_zone_beside_others_and_of_any_offset_are_taken() -> None:
    naive = native_step(1, started_at="2026-01-01T10:00:00")
    aware = native_step(2, started_at="2026-01-01T10:00:00Z", inputs=["s1"])
    odd = native_step(3, started_at="2026-01-02T10:00:00+23:59", inputs=["s2"])
    take(make_project(), json.dumps(native_run(naive, aware, odd)).encode())
    times = list(Step.objects.order_by("number").values_list("started_at", flat=True))
    day = datetime(2026, 1, 1, 10, 0, tzinfo=UTC)
    assert times == [None, day, day + timedelta(minutes=1)]
    assert Gap.objects.filter(kind="implausible_values").count() == 1


def test_the_task_is_the_sweeper() -> None:
    receipt = ingest.receive(
        project=make_project(), content=RUN, filename="r", via=Receipt.Via.API, by=None, at=AT
    )
    tasks.sweep()
    receipt.refresh_from_db()
    assert receipt.status in ("stored", "read")


@pytest.mark.parametrize("path", SAMPLE_PATHS[:4], ids=lambda path: path.stem)
def test_a_sample_comes_back_from_the_database_as_it_was_parsed(path: Any) -> None:
    take(make_project(), path.read_bytes())
    (parsed,) = intake.take(path.read_bytes()).runs
    assert reading.transcript_of(Run.objects.get()) == parsed.transcript


def test_hostile_text_stays_text() -> None:
    text = (
        "<script>alert(1)</script> \u202e'); DROP TABLE traces_run; -- \\N \\. \t\r\n{{ 7|add:7 }}"
    )
    value = native_run(native_step(1, {"type": "message", "text": text, "extra": {text: text}}))
    take(make_project(), json.dumps(value).encode())
    (step,) = reading.transcript_of(Run.objects.get()).steps
    assert step.text == text
    assert step.parts[0].data == {"extra": {text: text}}


def test_what_no_database_holds_is_replaced_and_counted() -> None:
    value = native_run(native_step(1, {"type": "message", "text": "a\x00b\ud83dc"}))
    text = json.dumps(value).replace('"sequence": 1', '"extra": {"score": NaN}, "sequence": 1')
    take(make_project(), text.encode())
    run = Run.objects.get()
    assert run.parts.get().text == "a␀b\ufffdc"
    detail = run.gaps.get(kind="replaced_characters").detail
    assert detail == "Replaced while reading: 1 of NUL character, 1 of lone surrogate."
    assert "NaN at /steps/0/extra/score" in run.gaps.get(kind="replaced_values").detail


def test_writing_a_transcript_twice_gives_the_same_run() -> None:
    project = make_project()
    first = make_run(project)
    assert make_run(project) == first
    assert Run.objects.count() == 1


def test_a_large_run_takes_few_queries() -> None:
    steps = [native_step(n, inputs=[f"s{n - 1}"] if n else []) for n in range(500)]
    project, content = make_project(), json.dumps(native_run(*steps)).encode()
    with CaptureQueriesContext(connection) as queries:
        take(project, content)
    assert len(queries) <= 40


def lines_of(count: int, **fields: Any) -> bytes:
    return "\n".join(json.dumps(native_run(id=f"run-{n}", **fields)) for n in range(count)).encode()


def odd_intake(*names: str) -> intake.Intake:
    """Runs as a plug-in might hand them over."""
    runs = [
        intake.TakenRun(make_transcript(external_id=name), f"/{n}", "odd@1", "odd", f"{n:064}")
        for n, name in enumerate(names)
    ]
    return intake.Intake(tuple(runs), ())


def test_several_refused_runs_cost_no_other_and_leave_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    odd = odd_intake("a", "b \x00", "c", "d", "e \x00", "f \x00", "g")
    monkeypatch.setattr(intake, "take", lambda content, **_: odd)
    receipt = take(make_project(), RUN)
    assert [place["position"] for place in receipt.refused] == ["/1", "/4", "/5"]
    written = Run.objects.in_bulk(receipt.made)
    assert [written[UUID(key)].external_id for key in receipt.made] == ["a", "c", "d", "g"]
    assert Run.objects.count() == 4
    assert AuditEntry.objects.filter(action="run.ingested").count() == 4
    assert list(audit.faults()) == []


def test_the_same_content_twice_in_a_file_is_one_run() -> None:
    run = json.dumps(native_run())
    receipt = take(make_project(), f"{run}\n{run}\n".encode())
    assert receipt.made == receipt.known == [str(Run.objects.get().pk)]


def test_two_runs_of_a_file_that_claim_one_id_contradict_each_other() -> None:
    runs = [native_run(outcome="unknown"), native_run(outcome="succeeded")]
    receipt = take(make_project(), "\n".join(map(json.dumps, runs)).encode())
    first, second = (Run.objects.get(pk=key) for key in receipt.made)
    assert not first.gaps.filter(kind="conflicting_duplicate").exists()
    assert str(first.pk) in second.gaps.get(kind="conflicting_duplicate").detail
    assert (first.gap_count, second.gap_count) == (first.gaps.count(), second.gaps.count())
    assert receipt.gap_count == Gap.objects.count()


def test_many_runs_of_a_file_take_as_many_statements_as_two() -> None:
    project = make_project()
    take(project, lines_of(1, outcome="failed"))
    counts = []
    for number, count in enumerate((2, 9)):
        content = lines_of(count, outcome="failed", source=f"source {number}")
        with CaptureQueriesContext(connection) as context:
            assert len(take(project, content).made) == count
        counts.append(len(context))
    assert counts[0] == counts[1]

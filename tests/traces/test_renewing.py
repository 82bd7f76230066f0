"""The same run again: with more it is read anew in place, with less it stays as it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from tests.factories import AT, make_project, make_user
from tests.traces.diaries import Diary, diary, installed
from tests.traces.formats.native_runs import native_run, native_step
from traces import audit, failing, ingest, models, quarantine, reading, subscriptions
from traces.counterparts import Counterparts
from traces.models import AuditEntry, Gap, Project, RawDocument, Receipt, Run
from traces.renewing import Why, renew
from traces.transcript import Failure, Outcome

pytestmark = [pytest.mark.django_db, pytest.mark.database]

LATER = AT + timedelta(hours=1)
S1, S2, S3 = native_step(1), native_step(2, inputs=["s1"]), native_step(3, inputs=["s2"])
DAYS = ("mon", "planner", "Use v1."), ("tue", "coder", "DONE.")


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def mapper(monkeypatch: pytest.MonkeyPatch) -> Iterator[Diary]:
    with installed(monkeypatch) as format_:
        yield format_


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody upstairs says that each run must stay as it is."""
    monkeypatch.setattr(subscriptions, "_objections", [lambda run: "it was judged."])


def take(project: Project, content: bytes | dict[str, Any], **changes: Any) -> Receipt:
    raw = content if isinstance(content, bytes) else json.dumps(content).encode()
    given = {"filename": "run.json", "via": Receipt.Via.API, "by": None, "at": AT} | changes
    return ingest.ingest(project=project, content=raw, **given)


def fates(receipt: Receipt) -> dict[str, int]:
    return {name: len(getattr(receipt, name)) for name in ("made", "known", "renewed")}


MADE, KNOWN, RENEWED = ({"made": 0, "known": 0, "renewed": 0} | {name: 1} for name in
                        ("made", "known", "renewed"))  # fmt: skip


def names(run: Run) -> list[str]:
    return list(run.steps.order_by("number").values_list("source_id", flat=True))


def test_more_is_read_into_the_run_that_is_here(project: Project) -> None:
    first = take(project, native_run(S1, S2))
    again = take(project, native_run(S1, S2, S3), at=LATER)
    assert fates(again) == RENEWED
    assert again.renewed == first.made
    assert again.status == "read"
    run = Run.objects.get()
    assert (run.revision, run.step_count, run.received_at) == (1, 3, AT)
    assert run.document == again.document
    assert names(run) == ["s1", "s2", "s3"]
    assert run.gap_count == run.gaps.count()


def test_more_may_come_before_what_was_here(project: Project) -> None:
    late = native_step(1, id="late", sequence=0)
    take(project, native_run(S1, S2))
    take(project, native_run(late, S1, S2))
    assert names(Run.objects.get()) == ["late", "s1", "s2"]


def test_an_answer_to_an_open_call_is_read_into_its_step(project: Project) -> None:
    request = {"type": "tool_request", "tool": "http", "call": "c1", "arguments": {"path": "/"}}
    response = {"type": "tool_response", "call": "c1", "status": "ok", "text": "200"}
    take(project, native_run(native_step(1, request)))
    receipt = take(project, native_run(native_step(1, request, response)))
    assert fates(receipt) == RENEWED
    assert list(Run.objects.get().parts.values_list("text", flat=True))[-1] == "200"


def test_what_holds_less_changes_nothing_and_the_receipt_says_so(project: Project) -> None:
    take(project, native_run(S1, S2, S3))
    before = list(AuditEntry.objects.values_list("action", flat=True))
    again = take(project, native_run(S1, S2))
    assert fates(again) == KNOWN
    assert again.notes == ["run-1 is known already, with all that this holds and more."]
    assert list(AuditEntry.objects.values_list("action", flat=True)) == before
    assert names(Run.objects.get()) == ["s1", "s2", "s3"]


def test_what_contradicts_is_a_run_of_its_own_with_a_gap(project: Project) -> None:
    other = native_step(1, {"type": "message", "text": "Something else."})
    take(project, native_run(S1))
    assert fates(take(project, native_run(other, S2))) == MADE
    kinds = Gap.objects.filter(kind="conflicting_duplicate").values_list("run__revision")
    assert (Run.objects.count(), len(kinds)) == (2, 1)


def test_another_source_or_project_is_another_run(project: Project) -> None:
    take(project, native_run(S1))
    assert fates(take(project, native_run(S1, S2, source="elsewhere"))) == MADE
    assert fates(take(make_project("two"), native_run(S1, S2))) == MADE


def test_the_first_again_after_more_is_known(project: Project) -> None:
    take(project, native_run(S1))
    take(project, native_run(S1, S2))
    assert fates(take(project, native_run(S1))) == KNOWN
    assert fates(take(project, native_run(S1, S2))) == KNOWN
    assert Run.objects.get().revision == 1


def test_more_of_one_of_two_that_contradict_keeps_the_gap(project: Project) -> None:
    other = native_step(1, {"type": "message", "text": "Something else."})
    take(project, native_run(S1))
    take(project, native_run(other), at=LATER)
    take(project, native_run(other, S2), at=LATER)
    run = Run.objects.get(revision=1)
    assert run.gaps.filter(kind="conflicting_duplicate").count() == 1
    assert run.gap_count == run.gaps.count()
    assert Run.objects.count() == 2


def test_the_audit_chain_tells_both_readings_and_why(project: Project) -> None:
    take(project, native_run(S1))
    before = Run.objects.get()
    take(project, native_run(S1, S2), by=make_user("ada"))
    run = Run.objects.get()
    entry = AuditEntry.objects.get(action="run.renewed")
    assert entry.data["before"]["sha256"] == before.sha256
    assert entry.data["after"] == {
        "sha256": run.sha256, "format": run.format, "document": run.document_id
    }  # fmt: skip
    assert entry.data["revision"] == 1
    assert entry.data["why"] == "it came again with more"
    assert entry.actor_id == make_user("ada").pk
    assert list(audit.faults()) == []


def test_who_follows_is_told_which_step_is_which(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[tuple[str, dict[int, int]]] = []

    def listen(*, run: Run, readings: Counterparts, at: object) -> None:
        heard.append((run.external_id, readings.numbers))

    monkeypatch.setattr(subscriptions, "_of_renewal", [listen])
    take(project, native_run(S1, S2))
    take(project, native_run(native_step(1, id="late", sequence=0), S1, S2))
    assert heard == [("run-1", {0: 1, 1: 2})]


# What a person decided, and what cases hang on.

FAILURE = {"id": "ci", "statement": "The export answers 410.", "exposed_by": "s2"}


def test_a_failure_keeps_its_row_and_follows_its_step(project: Project) -> None:
    take(project, native_run(S1, S2, outcome="failed", failures=[FAILURE]))
    before = models.Failure.objects.get()
    late = native_step(1, id="late", sequence=0)
    take(project, native_run(late, S1, S2, outcome="failed", failures=[FAILURE]))
    after = models.Failure.objects.get()
    assert (after.pk, before.exposed_by, after.exposed_by) == (before.pk, 1, 2)


def test_a_new_failure_is_announced(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(
        subscriptions, "_failure_subscribers", [lambda failure, at: told.append(failure.key)]
    )
    take(project, native_run(S1, S2))
    take(project, native_run(S1, S2, outcome="failed", failures=[FAILURE]))
    assert told == ["ci"]
    assert Run.objects.get().outcome == Outcome.FAILED


def test_a_failure_that_is_shown_no_more_stays_if_a_case_hangs_on_it(
    project: Project, mapper: Diary
) -> None:
    take(project, diary(*DAYS))
    kept = models.Failure.objects.get()
    mapper.version = "3"
    take(project, diary(*DAYS))
    run = Run.objects.get()
    assert (run.outcome, models.Failure.objects.get().pk) == (Outcome.UNKNOWN, kept.pk)
    (gap,) = run.gaps.filter(kind="failure_not_shown")
    assert "“It broke.”" in gap.detail
    # The title comes before it now.
    assert models.Failure.objects.get().exposed_by == 2


def test_a_failure_that_is_shown_no_more_goes_if_nothing_hangs_on_it(
    project: Project, mapper: Diary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscriptions, "_subscribers", [])
    take(project, diary(*DAYS))
    mapper.version = "3"
    take(project, diary(*DAYS))
    assert not models.Failure.objects.exists()
    assert not Run.objects.get().gaps.filter(kind="failure_not_shown").exists()


def test_what_people_added_stays_and_follows_its_step(project: Project) -> None:
    take(project, native_run(S1, S2))
    failing.add_failure(
        run=Run.objects.get(),
        failure=Failure("", "It lied.", exposed_by=0),
        by=make_user("ada"),
        origin=models.Failure.Origin.PERSON,
        at=AT,
    )
    take(project, native_run(native_step(1, id="late", sequence=0), S1, S2))
    assert models.Failure.objects.get().exposed_by == 1


def test_a_run_that_was_set_aside_stays_so(project: Project) -> None:
    take(project, native_run(S1))
    quarantine.set_aside(
        run=Run.objects.get(), reason="duplicate", note="x", by=make_user("lena"), at=AT
    )
    take(project, native_run(S1, S2))
    run = Run.objects.get()
    assert run.step_count == 2
    assert quarantine.standing(run) is not None


# Another version of the mapper.


def test_the_same_bytes_by_another_mapper_are_read_anew(project: Project, mapper: Diary) -> None:
    first = take(project, diary(*DAYS))
    mapper.version = "2"
    again = take(project, diary(*DAYS))
    assert fates(again) == RENEWED
    assert again.renewed == first.made
    run = Run.objects.get()
    assert (run.format, run.revision, names(run)) == ("diary@2", 1, ["title", "mon", "tue"])
    assert AuditEntry.objects.get(action="run.renewed").data["why"] == Why.MAPPER
    assert fates(take(project, diary(*DAYS))) == KNOWN


def test_a_mapper_that_reads_the_same_is_noted_and_nothing_else(
    project: Project, mapper: Diary
) -> None:
    quiet = diary(*DAYS, title="")
    take(project, quiet)
    before = Run.objects.get().sha256
    mapper.version = "1.1"
    take(project, quiet)
    run = Run.objects.get()
    assert (run.format, run.sha256, run.revision) == ("diary@1.1", before, 1)


def test_runs_of_one_document_are_each_read_anew(project: Project, mapper: Diary) -> None:
    both = b"\n".join(diary(*DAYS, name=name) for name in ("d-1", "d-2"))
    first = take(project, both)
    mapper.version = "2"
    again = take(project, both)
    assert again.renewed == first.made
    assert list(Run.objects.values_list("step_count", flat=True)) == [3, 3]


def test_a_run_that_another_mapper_finds_equal_to_one_that_is_here_is_left(
    project: Project, mapper: Diary
) -> None:
    quiet, loud = (diary(("mon", "coder", word), failed=False) for word in ("done.", "DONE."))
    mapper.version = "2"
    take(project, loud)
    mapper.version = "3"
    twin = take(project, quiet).made
    again = take(project, loud)
    assert (again.known, again.renewed) == (twin, [])
    assert "It says the same as run" in again.notes[0]


def test_what_the_database_refuses_leaves_the_run_as_it_was(
    project: Project, mapper: Diary
) -> None:
    take(project, diary(*DAYS))
    run = Run.objects.get()
    mapper.version = "2"
    steps = reading.transcript_of(run)
    (new,) = [
        ingest.new_of(taken, Receipt.objects.get(), AT)
        for taken in ingest.taken(Receipt.objects.get()).runs
    ]
    bad = new._replace(transcript=Diary().transcript({"diary": "d", "days": [
        {"id": "x", "who": "x\0", "says": "x"}
    ]}))  # fmt: skip
    with pytest.raises(ingest.Unreadable):
        renew(run=run, new=bad, why=Why.MAPPER, by=None, at=AT)
    run.refresh_from_db()
    assert (run.revision, reading.transcript_of(run)) == (0, steps)


# A run that was judged.


@pytest.mark.usefixtures("refused")
def test_what_came_too_late_is_a_gap_once_for_each_document(project: Project) -> None:
    take(project, native_run(S1, S2))
    late = native_run(S1, S2, S3)
    contents = [json.dumps(late).encode()] * 2 + [json.dumps(late, indent=1).encode()]
    receipts = [take(project, content) for content in contents]
    assert [fates(each) for each in receipts] == [KNOWN] * 3
    run = Run.objects.get()
    assert (run.revision, names(run)) == (0, ["s1", "s2"])
    details = run.gaps.filter(kind="late_records").values_list("detail", flat=True)
    documents = {receipt.document.sha256[:12] for receipt in receipts if receipt.document}
    assert len(details) == len(documents) == 2
    assert {detail.partition(",")[0] for detail in details} == {
        "1 step that is new or holds more came too late"
    }
    assert run.gap_count == run.gaps.count()
    assert "run-1 stays as it is: 1 step" in receipts[0].notes[0]
    assert AuditEntry.objects.filter(action="run.late_records").count() == 2


@pytest.mark.usefixtures("refused")
def test_an_outcome_that_came_too_late_is_a_gap_as_well(project: Project) -> None:
    take(project, native_run(S1))
    take(project, native_run(S1, outcome="succeeded"))
    run = Run.objects.get()
    assert run.outcome == Outcome.UNKNOWN
    detail = run.gaps.get(kind="late_records").detail
    assert detail.startswith("What is said of the run as a whole and says more came too late")


@pytest.mark.usefixtures("refused")
def test_nothing_new_in_another_document_is_not_too_late(project: Project) -> None:
    take(project, native_run(S1))
    run = Run.objects.get()
    content = json.dumps(native_run(S1), indent=2).encode()
    receipt = ingest.receive(
        project=project, content=content, filename="", via=Receipt.Via.OTLP, by=None, at=LATER
    )
    (new,) = [ingest.new_of(each, receipt, LATER) for each in ingest.taken(receipt).runs]
    assert renew(run=run, new=new, why=Why.LATE, by=None, at=LATER).note == ""
    assert not run.gaps.filter(kind="late_records").exists()


@pytest.mark.usefixtures("refused")
def test_a_judged_run_stays_as_the_earlier_mapper_read_it(project: Project, mapper: Diary) -> None:
    take(project, diary(*DAYS))
    mapper.version = "2"
    again = take(project, diary(*DAYS))
    assert fates(again) == KNOWN
    assert again.notes == ["d-1 stays as the earlier reader (diary@1) read it: it was judged."]
    assert Run.objects.get().step_count == 2
    assert not Gap.objects.filter(kind="late_records").exists()


# Both ways to the same run, and what it costs.


def test_reading_anew_takes_as_many_statements_whatever_the_run_holds(project: Project) -> None:
    counts = []
    for name, length in (("short", 2), ("long", 40)):
        steps = [native_step(1), *(native_step(n, inputs=[f"s{n - 1}"]) for n in range(2, length))]
        take(project, native_run(*steps[:-1], id=name) if length > 2 else native_run(id=name))
        more = [*steps, native_step(length, inputs=[f"s{length - 1}"])]
        if length == 2:
            more = [S1, S2, S3]
        with CaptureQueriesContext(connection) as context:
            assert fates(take(project, native_run(*more, id=name))) == RENEWED
        counts.append(len(context))
    assert counts[0] == counts[1]


def written(slug: str, *files: dict[str, Any]) -> tuple[str, object, list[tuple[str, str]]]:
    project = make_project(slug)
    for file in files:
        take(project, file)
    run = Run.objects.get(project=project)
    transcript = reading.transcript_of(run)
    # Where a step stands in its file is no content: the same content again keeps the first file.
    steps = tuple(replace(step, pointer="") for step in transcript.steps)
    gaps = sorted(run.gaps.values_list("kind", "detail"))
    return run.sha256, replace(transcript, steps=steps), gaps


class TestBothWays(TestCase):
    """A part first and then the whole is the same run as the whole alone."""

    @settings(max_examples=15, deadline=None)
    @given(st.integers(2, 6), st.data())
    def test_a_part_and_then_the_whole_is_the_whole(self, length: int, data: st.DataObject) -> None:
        whole = [native_step(n, ended_at=f"2026-11-04T09:00:0{n}Z") for n in range(length)]
        kept = [step for step in whole if data.draw(st.booleans())] or whole[:1]
        part = [
            {k: v for k, v in step.items() if k != "ended_at"} if data.draw(st.booleans()) else step
            for step in kept
        ]
        shuffled = data.draw(st.permutations(whole))
        two = written("two", native_run(*part), native_run(*shuffled))
        one = written("one", native_run(*shuffled))
        assert two == one


def test_the_keys_of_a_receipt_name_runs_that_are_there(project: Project) -> None:
    take(project, native_run(S1))
    receipt = take(project, native_run(S1, S2))
    assert Run.objects.filter(pk__in=[UUID(key) for key in receipt.renewed]).count() == 1
    assert RawDocument.objects.count() == 2

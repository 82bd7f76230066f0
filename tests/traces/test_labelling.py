"""Labels that come apart: joined once to the run they name, or waiting, and never guessed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import permutations
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.clients import signed_in
from tests.factories import AT, make_project, make_run, make_step, make_transcript, make_user
from tests.traces.formats.native_runs import native_run, native_step
from tests.traces.ratings import SECRET, make_known, named, rate, send
from tests.traces.test_replacing import ADDRESS, MAIL, apply, put
from traces import audit, labelling, quarantine, reading
from traces.formats.steps.fitting import short
from traces.formats.steps.labels import MISMATCH
from traces.models import AuditEntry, Gap, Opinion, Project, Run
from traces.models import Label as Row
from traces.record import record_of, with_record
from traces.transcript import Actor, ActorKind, Part, PartKind, Report
from traces.transcript import Opinion as Judgement

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture(autouse=True)
def _ratings_are_a_format(monkeypatch: pytest.MonkeyPatch) -> None:
    make_known(monkeypatch)


@pytest.fixture
def project() -> Project:
    return make_project()


def kinds(run: Run) -> set[str]:
    return {kind for kind in run.gaps.values_list("kind", flat=True) if kind.startswith("label_")}


def test_a_label_of_no_run_waits_and_is_no_opinion(project: Project) -> None:
    run = named(project, "trial-1")
    receipt = rate(project, (["trial-2"], {}))
    assert (receipt.status, receipt.refused_count, receipt.made) == ("read", 0, [])
    assert (receipt.format, receipt.rule) == ("ratings@3", "key rated")
    assert receipt.notes == ["Scores without a run are left out."]
    assert not run.opinions.exists()
    assert Row.objects.get().run is None


def test_labels_of_another_project_stay_there(project: Project) -> None:
    run = named(make_project("other"), "trial-1")
    rate(project, (["trial-1"], {}))
    assert not run.opinions.exists()


@pytest.mark.parametrize("several", [["a", "b"], ["a/x", "b/x"], ["x/a", "x/b"]])
def test_a_name_of_several_runs_is_never_guessed(project: Project, several: list[str]) -> None:
    for external_id in several:
        named(project, external_id, task_id="x")
    receipt = rate(project, (["x"], {}))
    assert receipt.notes[1] == "1 label fits several runs: nothing says which of them is meant."
    assert not Opinion.objects.exists()
    named(project, "y/c", task_id="x")
    assert not Opinion.objects.exists()


def test_a_run_that_is_set_aside_is_not_meant(project: Project) -> None:
    old, new = named(project, "trial-1"), named(project, "trial-1", source="again")
    lead = make_user("lena")
    quarantine.set_aside(run=old, reason="duplicate", note="", by=lead, at=AT)
    rate(project, (["trial-1"], {}))
    assert (old.opinions.count(), new.opinions.count()) == (0, 1)


@pytest.mark.parametrize(
    ("names", "joined"),
    [
        (["T-1/x"], "T-1/x"),
        (["x"], "T-1/x"),
        (["T-2"], "T-2/y/z"),
        (["z"], "T-2/y/z"),
        (["y"], None),
        (["BILL"], "w"),
        (["nobody", "x"], "T-1/x"),
        # An id goes before a part of one, and both before a task.
        (["w"], "w"),
        (["z", "x"], "T-2/y/z"),
    ],
)
def test_the_most_telling_name_decides(
    project: Project, names: list[str], joined: str | None
) -> None:
    named(project, "T-1/x", task_id="w")
    named(project, "T-2/y/z", task_id="")
    named(project, "w", task_id="BILL")
    rate(project, (names, {}))
    row = Row.objects.get()
    assert (row.run.external_id if row.run else None) == joined
    assert Opinion.objects.count() == bool(joined)


def test_the_order_of_run_and_label_is_all_the_same() -> None:
    answers = set()
    for number, order in enumerate(permutations(["run", "label", "label again", "run again"])):
        project = make_project(f"p{number}")
        for what in order:
            if what.startswith("run"):
                run = named(project, "trial-1")
            else:
                rate(project, (["trial-1"], {"native_step": "9"}), (["trial-1"], {"actor": "x"}))
        run.refresh_from_db()
        assert run.gap_count == run.gaps.count()
        told = [(row.native_step, row.actor, row.reason) for row in run.opinions.order_by("pk")]
        answers.add(json.dumps([told, sorted(kinds(run)), run.gap_count]))
    assert len(answers) == 1
    assert json.loads(answers.pop())[:2] == [
        [["9", "", SECRET], ["", "x", SECRET]],
        ["label_out_of_range"],
    ]


def test_what_was_joined_too_early_is_not_kept_as_a_guess() -> None:
    answers = set()
    for number, order in enumerate(permutations(["x/first", "x/second", "label"])):
        project = make_project(f"q{number}")
        for what in order:
            if what == "label":
                rate(project, (["x"], {"native_step": "9"}))
            else:
                named(project, what)
        runs = Run.objects.filter(project=project)
        assert [run.gap_count for run in runs] == [run.gaps.count() for run in runs]
        found = (sum(run.opinions.count() for run in runs), *(kinds(run) for run in runs))
        answers.add(repr(found))
    assert answers == {"(0, set(), set())"}


def test_a_label_goes_to_the_run_that_its_names_fit_better(project: Project) -> None:
    attempt = named(project, "attempt-1", task_id="task-1")
    rate(project, (["trial-1", "task-1"], {}), (["task-1"], {"actor": "x"}))
    assert attempt.opinions.count() == 2
    trial = named(project, "trial-1")
    assert (attempt.opinions.get().actor, trial.opinions.get().actor) == ("x", "")


def test_gaps_of_the_files_own_labels_stay_when_others_go(project: Project) -> None:
    run = named(project, "x/first", gaps=(MISMATCH,))
    rate(project, (["x"], {"native_step": "1", "actor": "planner"}))
    assert run.gaps.filter(kind="label_mismatch").count() == 2
    named(project, "x/second")
    assert run.gaps.get(kind="label_mismatch").detail == MISMATCH.detail


def test_the_same_label_in_another_file_says_nothing_new(project: Project) -> None:
    run = named(project, "trial-1")
    rate(project, (["trial-1"], {}))
    rate(project, (["nobody"], {}), (["trial-1"], {}))
    assert run.opinions.count() == 1
    assert Row.objects.filter(run=run).count() == 2


def test_what_the_file_of_the_run_says_already_is_not_said_again(project: Project) -> None:
    own = Judgement("raters", "", 0, None, "", SECRET)
    run = named(project, "trial-1", opinions=(own,))
    rate(project, (["trial-1"], {}))
    assert reading.opinions_of(run) == (own,)


@pytest.mark.parametrize(
    ("says", "step"),
    [
        ({"native_step": "1"}, 1),
        ({"native_step": "1", "base": 1}, 0),
        ({"native_step": "s2"}, 2),
        ({"native_step": "span-of-nothing"}, None),
        ({}, None),
    ],
)
def test_the_step_is_found_when_the_run_is(
    project: Project, says: dict[str, Any], step: int | None
) -> None:
    rate(project, (["trial-1"], says))
    assert named(project, "trial-1").opinions.get().step == step


@pytest.mark.parametrize(
    ("says", "kind"),
    [
        ({"native_step": "7"}, "label_out_of_range"),
        ({"native_step": "1", "actor": "planner"}, "label_mismatch"),
        ({"native_step": "1", "actor": "coding"}, None),
        ({"native_step": "1", "actor": "coder"}, None),
        ({"data": {"quote": "Step 9 of nobody."}}, "label_quote_missing"),
        ({"data": {"evidence": ["Step 1  of\ncoder."]}}, None),
    ],
)
def test_a_label_that_does_not_fit_is_a_gap_that_does_not_tell_it(
    project: Project, says: dict[str, Any], kind: str | None
) -> None:
    actors = tuple(
        Actor(key, role, ActorKind.AGENT)
        for key, role in (("planner", "planner"), ("coder", "coding"), ("verifier", "verifier"))
    )
    run = named(project, "trial-1", actors=actors)
    before = run.gap_count
    rate(project, (["trial-1"], says))
    run.refresh_from_db()
    assert kinds(run) == ({kind} if kind else set())
    assert run.gap_count == run.gaps.count() == before + bool(kind)
    details = " ".join(run.gaps.filter(kind__startswith="label_").values_list("detail", flat=True))
    assert SECRET not in details
    assert "Step 9" not in details


def test_a_quote_deep_in_a_text_that_was_moved_is_found(project: Project) -> None:
    text = "harbour " * 20_000 + "berth seven is closed" + " quay" * 20_000
    value = {
        "schema": "inquest-run/2",
        "run": {"id": "trial-1"},
        "actors": [{"id": "a", "role": "a", "kind": "agent"}],
        "steps": [
            {"id": "s", "sequence": 1, "actor": "a", "parts": [{"type": "message", "text": text}]}
        ],
    }
    send(project, json.dumps(value).encode())
    run = Run.objects.get()
    assert "berth seven" not in run.parts.get().text
    rate(project, (["trial-1"], {"data": {"quote": "berth seven is closed"}}))
    assert kinds(run) == set()
    rate(project, (["trial-1"], {"data": {"quote": "berth eight is closed"}}))
    assert kinds(run) == {"label_quote_missing"}


def test_no_label_reaches_what_attributors_read(project: Project) -> None:
    rate(project, (["trial-1"], {"native_step": "1", "actor": "x", "data": {"quote": "QUOTED"}}))
    run = named(project, "trial-1")
    text = repr(reading.transcript_of(run))
    assert SECRET not in text
    assert "QUOTED" not in text
    assert kinds(run) == {"label_mismatch", "label_quote_missing"}


def test_a_run_that_labels_were_joined_to_has_one_entry_that_does_not_tell_them(
    project: Project,
) -> None:
    run = named(project, "trial-1")
    rate(project, (["trial-1"], {}), (["trial-1"], {"actor": "x"}), (["nobody"], {}))
    entry = AuditEntry.objects.get(action="run.labelled")
    assert (entry.subject, entry.data["labels"]) == (f"run:{run.pk}", 2)
    assert SECRET not in json.dumps(entry.data)
    assert list(audit.faults()) == []


def test_a_run_that_is_written_anew_keeps_its_labels(project: Project) -> None:
    run = named(project, "trial-1")
    rate(project, (["trial-1"], {"native_step": "s1", "data": {"quote": "never"}}))
    Gap.objects.filter(run=run).delete()
    run.steps.filter(number=1).update(source_id="other")
    run.steps.filter(number=2).update(source_id="s1")
    labelling.again(run)
    labelling.again(run)
    assert run.opinions.get().step == 2
    assert kinds(run) == {"label_quote_missing"}


def test_labels_that_were_freed_find_the_run_that_came_instead(project: Project) -> None:
    old = named(project, "trial-1")
    rate(project, (["trial-1"], {}))
    labelling.free(old)
    assert not Opinion.objects.exists()
    quarantine.set_aside(run=old, reason="duplicate", note="", by=make_user("lena"), at=AT)
    labelling.join_to([named(project, "trial-1", source="other")], at=AT)
    assert Opinion.objects.get().run.source == "other"


def queries(project: Project, number: int, count: int) -> Iterator[int]:
    """How many a run takes while as many labels of it wait, and others of nobody."""
    rate(project, *(([f"run-{number}"], {"actor": str(n)}) for n in range(count)))
    rate(project, *(([f"nobody-{number}"], {"actor": str(n)}) for n in range(count)))
    with CaptureQueriesContext(connection) as context:
        named(project, f"run-{number}")
    yield len(context)


def test_one_query_looks_for_labels_of_a_run(project: Project) -> None:
    named(project, "warm")
    with CaptureQueriesContext(connection) as context:
        named(project, "trial-1")
    asked = [each["sql"] for each in context.captured_queries if "traces_label" in each["sql"]]
    assert len(asked) == 1


def test_three_labels_take_as_many_queries_as_one(project: Project) -> None:
    named(project, "warm")
    assert [*queries(project, 1, 1)] == [*queries(project, 2, 3)]


def test_hostile_names_are_names(project: Project) -> None:
    for text in ("%", "a'b", "x" * 500, "\u202e", "/", "//"):
        rate(project, ([text], {}))
        assert named(project, short(text)).opinions.count() == 1, text


def test_parts_of_moved_text_are_only_looked_for_where_somebody_quotes(project: Project) -> None:
    part = Part(PartKind.MESSAGE, "short", {"payload": {"sha256": "0" * 64, "of": "text"}})
    run = make_run(project, make_transcript(make_step(0, parts=(part,)), external_id="trial-1"))
    rate(project, (["trial-1"], {"data": {"quote": "short"}}))
    assert kinds(run) == set()


def native(external_id: str, text: str) -> bytes:
    """A run that keeps its id whatever is withheld from it."""
    step = native_step(1, {"type": "message", "text": text})
    return json.dumps(native_run(step, id=external_id)).encode()


def test_labels_of_a_redacted_file_lose_what_is_withheld(project: Project) -> None:
    run = named(project, "trial-1")
    receipt = rate(project, (["trial-1"], {"reason": f"It wrote to {ADDRESS}."}))
    put(project, MAIL)
    assert receipt.document
    apply(receipt.document)
    assert run.opinions.get().reason == "It wrote to [EMAIL-1]."
    assert ADDRESS not in json.dumps([*Row.objects.values_list("content", flat=True)])


def test_labels_go_to_the_run_that_is_read_from_a_redacted_copy(project: Project) -> None:
    old = Run.objects.get(pk=send(project, native("trial-1", ADDRESS)).made[0])
    rate(project, (["trial-1"], {}))
    put(project, MAIL)
    apply(old.document)
    assert Opinion.objects.get().run == Run.objects.exclude(pk=old.pk).get()


@pytest.mark.parametrize(
    ("value", "told"), [("passed", "passed"), (3, "3"), ({"tests": 2}, '{"tests": 2}')]
)
def test_a_check_is_a_report_and_no_opinion(project: Project, value: Any, told: str) -> None:
    data = {"check": True, "value": value}
    rate(project, (["trial-1"], {"native_step": "1", "reason": "2 of 3", "data": data}))
    rate(project, (["trial-1"], {"data": {"check": False}}))
    run = named(project, "trial-1")
    report = Report(told, "raters", 1, None, "2 of 3")
    assert reading.transcript_of(run).reports == (report,)
    assert record_of(with_record().get(pk=run.pk)).reports == (report,)
    assert [row.data for row in reading.opinions_of(run)] == [{"check": False}]


@pytest.mark.parametrize(("name", "status"), [("vera", 403), ("ada", 403), ("lena", 200)])
def test_a_label_file_is_for_leads_and_the_file_of_its_run_for_all(
    project: Project, name: str, status: int
) -> None:
    of_run = send(project, native("trial-1", "Done."))
    of_labels = rate(project, (["trial-1"], {}))
    assert Opinion.objects.count() == 1
    answers = [
        signed_in(name).get(f"/p/demo/documents/{receipt.document.sha256}/").status_code  # type: ignore[union-attr]
        for receipt in (of_run, of_labels)
    ]
    assert answers == [200, status]

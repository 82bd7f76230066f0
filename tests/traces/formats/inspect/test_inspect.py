"""Inspect's samples are runs: agents by their spans, checks and judgements told apart."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.real import FORMATS, needs_files
from tests.traces.formats.files.test_containers import zipped
from tests.traces.formats.native_runs import kinds
from traces.formats import intake
from traces.formats.base import Limits
from traces.formats.intake import Intake
from traces.transcript import Fate, LinkKind, Outcome, PartKind, StepKind, StepStatus, Transcript

ROOT = Path(__file__).parents[4]
REAL = FORMATS / "inspect-ai"
LONG = "The harbour holds seven ships and a dinghy. " * 3


def event(kind: str, number: int, **more: Any) -> dict[str, Any]:
    at = f"2026-03-01T10:00:{number:02d}+00:00"
    return {"event": kind, "uuid": f"e{number}", "timestamp": at, **more}


def model(number: int, text: str, *calls: tuple[str, str], **more: Any) -> dict[str, Any]:
    asked = [{"id": call, "function": name, "arguments": {"n": 1}} for call, name in calls]
    said = {"id": f"said-{number}", "role": "assistant", "content": text, "tool_calls": asked}
    output = {"choices": [{"message": said}]}
    return event("model", number, model="small/1", **{"input": [], "output": output} | more)


def tool(number: int, call: str, name: str = "look", **more: Any) -> dict[str, Any]:
    return event("tool", number, id=call, function=name, arguments={"n": 1}, **more)


def begin(number: int, span: str, kind: str, name: str, parent: str = "") -> dict[str, Any]:
    return event("span_begin", number, id=span, type=kind, name=name, parent_id=parent or None)


def sample(*events: Any, **more: Any) -> dict[str, Any]:
    base = {"id": "s-1", "epoch": 1, "uuid": "u-1", "input": "Count.", "target": "zebra"}
    return {**base, "messages": [], "events": list(events), **more}


def log(*samples: Any, **more: Any) -> dict[str, Any]:
    head = {"version": 2, "status": "success", "eval": {"run_id": "r", "task": "ships"}, "plan": {}}
    return {**head, "samples": list(samples), **more}


def read(value: Any) -> Intake:
    return intake.take(json.dumps(value).encode())


def run_of(*events: Any, **more: Any) -> Transcript:
    (run,) = read(log(sample(*events, **more))).runs
    return run.transcript


def eval_file(files: dict[str, Any]) -> bytes:
    return zipped({name: json.dumps(value).encode() for name, value in files.items()})


def parts(transcript: Transcript, kind: PartKind) -> list[str]:
    return [part.text for _, part in transcript.parts_of(kind)]


def test_a_log_without_samples_is_refused() -> None:
    with pytest.raises(intake.Unreadable, match="There are no samples in this Inspect log"):
        read(log())


def test_what_is_no_sample_is_refused_alone() -> None:
    result = read(log("oops", sample(model(1, "Seven."))))
    assert [refusal.position for refusal in result.refusals] == ["/samples/0"]
    assert [run.pointer for run in result.runs] == ["/samples/1"]


def test_what_is_no_event_is_a_gap_and_stays_reachable() -> None:
    told = run_of("oops", model(1, "Seven."), event("flare", 2))
    assert {"undecodable_step", "kept_in_raw_only"} <= set(kinds(told))
    fates = {record.pointer: record.fate for record in told.records}
    assert fates == {"/events/0": Fate.UNMAPPED, "/events/2": Fate.UNMAPPED}


def test_a_text_that_is_referred_to_and_missing_is_a_gap() -> None:
    told = run_of(model(1, "attachment://gone"))
    assert "damaged" in kinds(told)
    assert parts(told, PartKind.MESSAGE) == ["attachment://gone"]


@pytest.mark.parametrize("protocol", ["attachment", "tc"])
def test_long_texts_are_put_back_in_their_places(protocol: str) -> None:
    ref = f"{protocol}://ab"
    told = run_of(
        model(1, ref, ("c1", "look")),
        tool(2, "c1", result=[{"type": "text", "text": ref}]),
        attachments={"ab": LONG} if protocol == "attachment" else {},
        transcript={"content": {"ab": LONG}},
    )
    assert parts(told, PartKind.MESSAGE) == [LONG]
    assert parts(told, PartKind.TOOL_RESPONSE) == [LONG]


def test_messages_are_told_once_however_often_models_are_sent_them() -> None:
    pool = [{"id": f"m{n}", "role": "user", "content": str(n)} for n in range(4)]
    told = run_of(
        model(1, "a", input_refs=[[0, 2]]),
        model(2, "b", input_refs=[[0, 2], [1, 3]]),
        model(3, "c", input_refs=[[0, 9], [-3, 1], ["x", None], [2]]),
        events_data={"messages": pool},
    )
    assert [each.text for each in told.steps] == ["0", "1", "a", "2", "b", "3", "c"]


def test_each_span_of_an_agent_is_an_instance_and_a_hand_over_leads_to_it() -> None:
    told = run_of(
        begin(1, "s1", "agent", "lead"),
        model(2, "Go.", ("c1", "transfer_to_diver"), span_id="s1"),
        tool(3, "c1", "transfer_to_diver", agent="diver", result="Gone.", span_id="s1"),
        begin(4, "s2", "agent", "diver", "s1"),
        model(5, "Down.", span_id="s2"),
        event("span_end", 6, id="s2"),
        model(7, "Again.", ("c2", "transfer_to_diver"), span_id="s1"),
        tool(8, "c2", "transfer_to_diver", agent="diver", result="Gone.", span_id="s1"),
        begin(9, "s3", "agent", "diver", "s1"),
        model(10, "Deeper.", span_id="s3"),
        event("span_end", 11, id="s3"),
        model(12, "Up.", span_id="s1"),
    )
    assert [(each.actor, each.kind.value, each.parts[0].text) for each in told.steps] == [
        ("lead", "decision", "Go."),
        ("lead", "handoff", '{"n":1}'),
        ("diver", "message", "Down."),
        ("lead", "decision", "Again."),
        ("lead", "handoff", '{"n":1}'),
        ("diver#2", "message", "Deeper."),
        ("lead", "message", "Up."),
    ]
    instances = {(actor.key, actor.role, actor.instance, actor.parent) for actor in told.actors}
    assert instances == {
        ("lead", "lead", "s1", None),
        ("diver", "diver", "s2", "lead"),
        ("diver#2", "diver", "s3", "lead"),
    }
    recorded = {(link.source, link.target, link.kind) for link in told.links if not link.rule}
    assert {(1, 2, LinkKind.HANDOFF), (4, 5, LinkKind.HANDOFF)} <= recorded
    assert {(2, 3, LinkKind.CONSUMES), (5, 6, LinkKind.CONSUMES)} <= recorded


def test_errors_of_tools_and_models_and_retries_are_kept() -> None:
    told = run_of(
        model(1, "Look.", ("c1", "look"), ("c2", "look"), retries=2),
        tool(2, "c1", result="", error={"type": "timeout", "message": "after 10 s"}),
        tool(3, "c2", result="seven"),
        model(4, "", error="the API is down"),
    )
    assert [each.status for each in told.steps] == [
        StepStatus.OK,
        StepStatus.TIMEOUT,
        StepStatus.OK,
        StepStatus.ERROR,
    ]
    assert parts(told, PartKind.TOOL_RESPONSE) == ["after 10 s", "seven"]
    assert (told.steps[0].attempt, bool(told.steps[0].attempt_reason)) == (3, True)
    assert parts(told, PartKind.ERROR) == ["the API is down"]


def test_calls_the_model_wrote_badly_are_a_gap_and_kept() -> None:
    bad = model(1, "", ("c1", "look"))
    bad["output"]["choices"][0]["message"]["tool_calls"][0] |= {
        "arguments": "{n: 1",
        "parse_error": "no JSON",
    }
    told = run_of(bad)
    assert parts(told, PartKind.TOOL_REQUEST) == ["{n: 1"]
    assert "malformed_arguments" in kinds(told)


def test_changes_of_state_are_parts_and_what_repeats_messages_is_counted() -> None:
    changes = [
        {"op": "add", "path": "/messages/1", "value": {"content": "x"}},
        {"op": "replace", "path": "/store/ships", "value": 7, "replaced": 6},
        {"op": "add", "path": "/scores/x", "value": "zebra"},
    ]
    told = run_of(model(1, "Seven."), event("state", 2, changes=changes))
    (text,) = parts(told, PartKind.STATE)
    assert text.splitlines() == ["replace", "", "artifact: /store/ships", "before: 6", "after: 7"]
    assert told.folded == {"changes of state that repeat messages": 1}


def test_approvals_sandbox_input_and_limits_are_steps_of_whoever_acts() -> None:
    told = run_of(
        model(1, "Dive.", ("c1", "dive")),
        event("approval", 2, approver="human", decision="approve", explanation="Calm sea."),
        tool(3, "c1", "dive", result="deep"),
        event("sandbox", 4, action="exec", cmd="sonar", result=1, output="ping"),
        event("input", 5, input="Come up."),
        event("sample_limit", 6, type="token", message="Token limit."),
        event("error", 7, error={"message": "Lost."}),
    )
    seen = {(each.actor, each.kind.value, each.status.value) for each in told.steps}
    assert seen >= {
        ("human", "decision", "not_captured"),
        ("sandbox", "tool", "error"),
        ("user", "input", "not_captured"),
        ("inspect", "error", "error"),
    }
    assert ("harness", "token limit") in [(each.by, each.value) for each in told.reports]


SCORED = {"value": "I", "answer": "six", "explanation": "It says six."}


def scorer(name: str, *inner: Any, span: str = "s8") -> list[Any]:
    return [
        begin(50, "s9", "scorers", "scorers"),
        begin(51, span, "scorer", name, "s9"),
        *({**each, "span_id": span} for each in inner),
        event("score", 55, score=SCORED, scorer=name, target="zebra", span_id=span),
    ]


@pytest.mark.parametrize("name", ["match", "includes", "inspect_ai/match", "unit_tests"])
def test_what_was_computed_is_a_check_and_decides(name: str) -> None:
    told = run_of(model(1, "Six."), *scorer(name), scores={name: SCORED})
    assert told.opinions == ()
    assert told.outcome is Outcome.FAILED
    assert [failure.check for failure in told.failures] == [name]
    assert told.steps[-1].kind is StepKind.VERIFICATION
    assert told.steps[-1].parts[0].text.startswith("It says six.\n\ncheck: ")


@pytest.mark.parametrize("name", ["model_graded_qa", "strict_judge", "unit_tests"])
def test_what_a_model_judged_is_an_opinion_and_decides_nothing(name: str) -> None:
    told = run_of(model(1, "Six."), *scorer(name, model(53, "zebra")), scores={name: SCORED})
    assert [(each.source, each.reason) for each in told.opinions] == [
        (f"Inspect scorer {name}", "It says six.")
    ]
    assert told.outcome is Outcome.UNKNOWN
    assert [each.text for each in told.steps] == ["Six."]


def test_a_scorer_of_which_nothing_is_known_gives_an_opinion() -> None:
    told = run_of(model(1, "Six."), scores={"harbour_master": {"value": 0.0}})
    assert (len(told.opinions), told.outcome) == (1, Outcome.UNKNOWN)


def test_the_target_reaches_nobody() -> None:
    told = run_of(
        event("sample_init", 0, sample={"target": "zebra"}),
        model(1, "Six."),
        *scorer("match", model(53, "zebra")),
    )
    shown = [step.text for step in told.steps] + [gap.detail for gap in told.gaps]
    assert not any("zebra" in each for each in shown)
    assert told.withheld == {"target": "zebra"}


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        ("C", "passed"),
        (1, "passed"),
        (True, "passed"),
        ("P", "inconclusive"),
        (0.5, "inconclusive"),
    ],
)
def test_a_score_between_all_and_nothing_decides_nothing(value: Any, verdict: str) -> None:
    told = run_of(model(1, "Six."), scores={"match": {"value": value}})
    assert told.steps[-1].parts[0].data["verdict"] == verdict
    assert (told.outcome is Outcome.SUCCEEDED) == (verdict == "passed")


def test_success_of_the_evaluation_is_no_success_of_the_task() -> None:
    told = run_of(model(1, "Six."), error={"message": "boom"}, limit={"type": "time"})
    said = [(each.by, each.value) for each in told.reports]
    assert said == [("harness", "success"), ("harness", "error"), ("harness", "time limit")]
    assert told.outcome is Outcome.FAILED


def test_epochs_are_attempts_of_one_task() -> None:
    runs = read(
        log(
            sample(model(1, "a"), epoch=1, uuid="u-1"),
            sample(model(1, "b"), epoch=2, uuid="u-2"),
        )
    ).runs
    told = [run.transcript for run in runs]
    assert [(each.task_id, each.attempt) for each in told] == [("ships/s-1", 1), ("ships/s-1", 2)]
    assert [each.external_id for each in told] == ["r/u-1", "r/u-2"]


def test_without_events_the_messages_are_told() -> None:
    said = [
        {"role": "user", "content": "Count."},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c", "function": "look", "arguments": {}}],
        },
        {
            "role": "tool",
            "tool_call_id": "c",
            "content": "",
            "error": {"type": "unknown", "message": "fog"},
        },
    ]
    told = run_of(messages=said)
    assert [(each.kind.value, each.tool, each.status.value) for each in told.steps] == [
        ("input", None, "not_captured"),
        ("decision", None, "not_captured"),
        ("tool", "look", "error"),
    ]
    assert parts(told, PartKind.TOOL_RESPONSE) == ["fog"]


HEADER = {key: value for key, value in log().items() if key != "samples"}


def test_an_eval_that_broke_off_is_read_from_its_journal_and_says_so() -> None:
    result = intake.take(
        eval_file(
            {
                "_journal/start.json": {"version": 2, "eval": HEADER["eval"], "plan": {}},
                "_journal/summaries/1.json": [],
                "samples/s-1_epoch_1.json": sample(model(1, "Six.")),
            }
        )
    )
    (run,) = result.runs
    assert (run.format, run.pointer) == ("inspect@1", "samples/s-1_epoch_1.json")
    assert run.transcript.external_id == "r/u-1"
    assert "damaged" in kinds(run.transcript)
    assert (result.refusals, result.left_out) == ((), ())


def test_a_zip_that_lost_its_directory_is_read_as_far_as_it_goes() -> None:
    whole = eval_file(
        {
            "_journal/start.json": {"version": 2, "eval": HEADER["eval"], "plan": {}},
            "samples/s-1_epoch_1.json": sample(model(1, "Six.")),
            "samples/s-2_epoch_1.json": sample(model(1, LONG), id="s-2", uuid="u-2"),
        }
    )
    cut = whole[: whole.index(b"samples/s-2_epoch_1.json") + 100]
    result = intake.take(cut)
    assert [run.transcript.external_id for run in result.runs] == ["r/u-1"]
    assert "damaged" in kinds(result.runs[0].transcript)
    assert [refusal.position for refusal in result.refusals] == ["samples/s-2_epoch_1.json"]


def test_a_sample_in_pieces_is_put_together() -> None:
    at = "samples/s-1_epoch_1"
    shell = sample(message_refs=[[0, 2]])
    del shell["events"]
    pool = [
        {"id": "m0", "role": "user", "content": "Count."},
        {"id": "m1", "role": "user", "content": "attachment://1"},
    ]
    result = intake.take(
        eval_file(
            {
                "header.json": HEADER,
                f"{at}/sample.json": shell,
                f"{at}/skeleton.json": {},
                f"{at}/events/stats.json": {},
                f"{at}/events/10.json": [model(3, "Third.")],
                f"{at}/events/0.json": [model(1, "attachment://0", input_refs=[[0, 2]])],
                f"{at}/events/9.json": [model(2, "Second.")],
                f"{at}/messages/0.json": pool,
                f"{at}/attachments/0.json": [LONG, "Mind the dinghy."],
            }
        )
    )
    (run,) = result.runs
    assert run.pointer == f"{at}/sample.json"
    assert [each.text for each in run.transcript.steps] == [
        "Count.",
        "Mind the dinghy.",
        LONG,
        "Second.",
        "Third.",
    ]
    assert (result.refusals, result.left_out) == ((), ())


def test_ten_thousand_events_that_refer_to_all_messages_take_linear_time() -> None:
    count = 10_000
    pool = [{"id": f"m{n}", "role": "user", "content": str(n)} for n in range(count)]
    events = [
        model(n % 60, str(n), input_refs=[[0, n + 1]]) | {"uuid": f"x{n}"} for n in range(count)
    ]
    told = run_of(*events, events_data={"messages": pool})
    assert len(told.steps) == 2 * count


# The counts that follow were made by hand from the files, before any reader existed.


@needs_files
def test_the_supervisor_and_its_two_hand_overs() -> None:
    path = REAL / "2026-11-29_orders_supervisor-handoff.eval"
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
        assert {entry.compress_type for entry in archive.infolist()} == {93}
    result = intake.take(path.read_bytes())
    assert len(result.runs) == 2
    told = [run.transcript for run in result.runs]
    labels = Counter(record.label.split()[0] for each in told for record in each.records)
    assert labels["span_begin"] == 26
    models = [
        s for each in told for s in each.steps if s.kind in (StepKind.DECISION, StepKind.MESSAGE)
    ]
    tools = [s for each in told for s in each.steps if s.kind in (StepKind.TOOL, StepKind.HANDOFF)]
    assert (len(models), len(tools)) == (8, 10)
    assert sum(step.status is StepStatus.ERROR for step in tools) == 2
    long = next(each for each in told if each.task_id == "orders/s-1")
    roles = [actor.role for actor in long.actors if actor.role == "order_agent"]
    assert len(roles) == 2
    assert long.outcome is Outcome.FAILED


@needs_files
def test_the_cancelled_evaluation_has_three_samples_and_39_events() -> None:
    content = (REAL / "2025-05-12_popularity.json").read_bytes()
    result = intake.take(content)
    assert len(result.runs) == 3
    assert sum(len(each["events"]) for each in json.loads(content)["samples"]) == 39
    said = {report.value for run in result.runs for report in run.transcript.reports}
    assert said == {"cancelled"}
    reached = [
        {each.pointer for each in (*run.transcript.steps, *run.transcript.records)}
        for run in result.runs
    ]
    assert [len(each) for each in reached] == [13, 13, 13]


@needs_files
def test_old_steps_are_read_from_deflated_members() -> None:
    result = intake.take((REAL / "log_formats.eval").read_bytes())
    (run,) = result.runs
    pointers = {each.pointer for each in (*run.transcript.steps, *run.transcript.records)}
    assert pointers == {f"/events/{n}" for n in range(11)}
    assert sum(record.label.startswith("step") for record in run.transcript.records) == 6


@needs_files
def test_the_limits_hold_for_real_logs() -> None:
    content = (REAL / "2026-11-29_orders_supervisor-handoff.eval").read_bytes()
    with pytest.raises(intake.Unreadable, match="the limit is 20,000"):
        intake.take(content, limits=Limits(size=20_000))


MEASURE = """
import resource
from tests.traces.formats.inspect.large import large_eval
from traces.formats import intake
content = large_eval(20_000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
(run,) = intake.take(content).runs
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(len(run.transcript.steps), (after - before) * 1024)
"""


def test_a_large_sample_takes_memory_in_proportion_to_its_events() -> None:
    said = subprocess.run(
        [sys.executable, "-c", MEASURE], capture_output=True, check=True, cwd=ROOT
    )
    steps, memory = map(int, said.stdout.split())
    assert steps == 20_001
    # A hundred thousand events have to fit into 2 GB.
    assert memory < 20_000 * 2 * 2**30 / 100_000


def test_models_that_an_old_log_keeps_within_a_tool_are_asked_by_that_tool() -> None:
    told = run_of(
        model(1, "", ("c1", "browse")),
        tool(2, "c1", "browse", result="Seven.", events=[model(3, "I count."), event("info", 4)]),
        model(5, "Seven ships."),
    )
    assert [(step.actor, step.kind) for step in told.steps] == [
        ("assistant", StepKind.DECISION),
        ("assistant", StepKind.TOOL),
        ("browse", StepKind.MESSAGE),
        ("assistant", StepKind.MESSAGE),
    ]
    assert {(link.source, link.target, link.kind) for link in told.links} >= {
        (1, 2, LinkKind.SPAWN),
        (2, 3, LinkKind.CONSUMES),
    }
    assert told.steps[2].pointer == "/events/1/events/0"
    fates = {record.pointer: record.fate for record in told.records}
    assert fates == {"/events/1/events": Fate.CONTAINER, "/events/1/events/1": Fate.CONTEXT}

"""OTLP JSON documents: what is refused, how things are spelled, and the counts of real files."""

from __future__ import annotations

import base64
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.real import FORMATS, path_of
from tests.traces.formats import otlp_documents as docs
from tests.traces.formats import story
from traces.formats import intake, otlp
from traces.formats.base import Limits, Reading, Sample, Unreadable
from traces.formats.files import documents
from traces.formats.files.containers import Member
from traces.transcript import Fate, StepKind, StepStatus, Transcript

TALK = [docs.chat(1, heard=[docs.user("Hello?")], said=[docs.model("Hello.")])]


def real(name: str) -> Path:
    return path_of(f"formats/{name}")


def reading(path: Path) -> Reading:
    return otlp.FORMAT.read(documents.decoded(Member(path.read_bytes()), Limits()))


def run_in(name: str) -> Transcript:
    (run,) = intake.take(real(name).read_bytes()).runs
    return run.transcript


# Refusals


def test_a_document_without_spans_is_refused() -> None:
    with pytest.raises(Unreadable, match="There are no spans in it"):
        docs.read({"resourceSpans": []})


def test_a_trace_of_wrappers_only_is_no_run() -> None:
    embedding = docs.span(1, say={"gen_ai.operation.name": "embeddings"})
    with pytest.raises(Unreadable, match="none of its spans is an act of an agent"):
        docs.read(docs.request(embedding))
    other = docs.chat(1, said=[docs.model("Hi.")]) | {"traceId": "1" * 32}
    reading = docs.read(docs.request(embedding, other))
    assert [run.transcript.external_id for run in reading.runs] == ["1" * 32]
    assert docs.TRACE in reading.notes[0]


@pytest.mark.parametrize("wrong", ["", None, 7, "0" * 32, "5b8efff7", "zz" * 16])
def test_a_span_without_a_trace_id_is_refused_with_its_place(wrong: Any) -> None:
    reading = docs.read(docs.request(*TALK, docs.chat(2) | {"traceId": wrong}))
    (refusal,) = reading.refusals
    assert refusal.position == "/resourceSpans/0/scopeSpans/0/spans/1"
    assert "no trace id" in refusal.reason
    assert len(reading.runs) == 1


@pytest.mark.parametrize("wrong", [None, 3, "x"])
def test_what_is_no_object_is_refused(wrong: Any) -> None:
    reading = docs.read(docs.request(wrong, *TALK), wrong)
    places = [refusal.position for refusal in reading.refusals]
    assert places == ["line 1/resourceSpans/0/scopeSpans/0/spans/0", "line 2"]
    assert len(reading.runs) == 1


def test_message_lists_are_not_otlp() -> None:
    message = {"role": "user", "content": "Hello?"}
    assert otlp.FORMAT.recognise(Sample([message], (message,), b"")) is None
    text = {"resourceSpans": "none"}
    assert otlp.FORMAT.recognise(Sample(text, (text,), b"")) is None


# Spellings


def test_ids_may_be_hex_or_base64_or_have_a_prefix() -> None:
    plain = docs.run(docs.agent(1, "a", at=0, to=9), docs.chat(2, parent=1, at=1, to=2))
    for spelled in (
        lambda text: base64.b64encode(bytes.fromhex(text)).decode(),
        lambda text: f"0x{text}",
        str.upper,
    ):
        spans = []
        for each in (docs.agent(1, "a", at=0, to=9), docs.chat(2, parent=1, at=1, to=2)):
            for key in ("traceId", "spanId", "parentSpanId"):
                each[key] = spelled(each[key]) if each[key] else each[key]
            spans.append(each)
        assert docs.run(*spans) == plain


def test_keys_may_be_in_snake_case_and_integers_numbers() -> None:
    spans = [docs.chat(2, heard=[docs.user("Hello?")], said=[docs.model("Hi.")], at=1, to=2)]
    (run,) = docs.read(snake(docs.request(*spans))).runs
    plain = docs.run(*spans)
    assert run.transcript.steps[1].started_at == plain.steps[1].started_at
    assert [step.text for step in run.transcript.steps] == ["Hello?", "Hi."]


def snake(value: Any) -> Any:
    if isinstance(value, list):
        return [snake(each) for each in value]
    if not isinstance(value, dict):
        return (
            int(value) if isinstance(value, str) and value.isdigit() and len(value) > 16 else value
        )
    return {
        "".join(f"_{c.lower()}" if c.isupper() else c for c in key): snake(each)
        for key, each in value.items()
    }


@pytest.mark.parametrize("code", [2, "2", "STATUS_CODE_ERROR"])
def test_a_status_is_a_number_or_a_name(code: Any) -> None:
    run = docs.run(docs.chat(1, status={"code": code, "message": "429"}))
    assert run.steps[0].status is StepStatus.ERROR
    assert [part.text for part in run.steps[0].parts] == ["", "429"]


def test_values_of_every_kind() -> None:
    given = docs.span(1)
    given["attributes"] = [
        {"key": "gen_ai.request.model", "value": {"stringValue": "m-1"}},
        {"key": "gen_ai.request.stop", "value": docs.value(["a", 1, {"b": True}])},
        {"key": "gen_ai.request.bytes", "value": {"bytesValue": "aGk="}},
        {"key": "gen_ai.request.nothing", "value": {}},
        {"key": "gen_ai.request.nan", "value": {"doubleValue": "NaN"}},
        {"key": "gen_ai.request.null", "value": {"doubleValue": None}},
        {"key": "gen_ai.request.large", "value": {"intValue": "9007199254740993"}},
    ]
    (step,) = docs.run(given).steps
    assert step.parts[0].data["parameters"] == {
        "stop": ["a", 1, {"b": True}],
        "bytes": "hi",
        "nothing": None,
        "nan": None,
        "null": None,
        "large": 9_007_199_254_740_993,
    }


# Runs


def test_each_trace_is_a_run_also_over_several_requests() -> None:
    first = docs.request(docs.chat(2, parent=1, at=1, to=2, said=[docs.model("Hi.")]))
    other = docs.request(docs.chat(3, said=[docs.model("Ho.")]) | {"traceId": "a" * 32})
    last = docs.request(docs.agent(1, "greeter", at=0, to=3))
    runs = docs.read(first, other, last).runs
    assert [run.pointer for run in runs] == [f"trace {docs.TRACE}", f"trace {'a' * 32}"]
    assert [actor.role for actor in runs[0].transcript.actors] == ["greeter"]
    assert runs[0].transcript.steps[0].pointer == "line 1/resourceSpans/0/scopeSpans/0/spans/0"


def test_log_records_of_no_trace_are_noted() -> None:
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"eventName": "boot"}]}]}]}
    assert docs.read(docs.request(*TALK), logs).notes == (
        "Log records of no trace are not read: boot (1).",
    )


def test_log_records_of_no_dialect_are_kept_in_the_raw_document() -> None:
    record = {"traceId": docs.TRACE, "spanId": docs.span_id(1), "body": {"stringValue": "hm"}}
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}
    (run,) = docs.read(docs.request(*TALK), logs).runs
    assert "kept_in_raw_only" in docs.gaps(run.transcript)
    assert run.transcript.records[-1].fate is Fate.UNMAPPED


# Real files: what was counted in them before there was a reader


def test_genai_spans_without_their_log_records() -> None:
    run = run_in("otlp-genai/otel-genai-openai-v2.otlp.json")
    kinds = Counter(step.kind for step in run.steps)
    assert kinds == {StepKind.MESSAGE: 3, StepKind.TOOL: 2}
    failed = [step for step in run.steps if step.status is StepStatus.ERROR]
    errors = [step.parts[-1].data["type"] for step in failed]
    assert errors == ["ValueError", "RateLimitError"]
    assert [actor.role for actor in run.actors] == ["order-checker"]
    silences = [gap for gap in run.gaps if gap.kind == "empty_content"]
    assert [gap.step for gap in silences] == [None]


def test_genai_log_records_alone() -> None:
    run = run_in("otlp-genai/otel-genai-openai-v2.logs.otlp.json")
    places = {place for step in run.steps for place in (step.pointer, *step.also_from)}
    assert Counter(step.kind for step in run.steps)[StepKind.TOOL] == 2
    assert len(places) >= 3


def test_genai_spans_with_their_log_records_are_one_run() -> None:
    texts = [
        json.loads(real(f"otlp-genai/otel-genai-openai-v2.{name}").read_text())
        for name in ("otlp.json", "logs.otlp.json")
    ]
    (run,) = docs.read(*texts).runs
    run_ = run.transcript
    decided = [step for step in run_.steps if step.kind is StepKind.DECISION]
    assert len(decided) == 1
    assert Counter(step.kind for step in run_.steps)[StepKind.TOOL] == 2
    calls = [(link.source, link.target) for link in run_.links if link.recorded]
    assert {target for source, target in calls if source == decided[0].number} == {
        step.number for step in run_.steps if step.kind is StepKind.TOOL
    }
    joined = [place for step in run_.steps for place in step.also_from if "logRecords" in place]
    assert len(joined) >= 15


def test_google_adk() -> None:
    run = run_in("google-adk/google-adk-otel.otlp.json")
    agents = {actor.role for actor in run.actors}
    assert agents == {"gather", "order_agent", "pipeline", "policy_agent", "writer"}
    assert Counter(step.kind for step in run.steps) == {StepKind.MESSAGE: 4, StepKind.TOOL: 2}
    assert [each.label for each in run.records if each.fate is Fate.FOLDED] == [
        "span that sums up others"
    ]
    assert not any(step.status is StepStatus.ERROR for step in run.steps)
    writer = next(step for step in run.steps if run.actor_of(step).role == "writer")
    joined = {
        run.actor_of(run.steps[link.source]).role
        for link in run.links
        if link.target == writer.number and link.kind == "join"
    }
    assert joined == {"order_agent", "policy_agent"}


def test_openinference_of_the_openai_agents_sdk() -> None:
    run = run_in("openinference/openinference-openai-agents.otlp.json")
    kinds = Counter(step.kind for step in run.steps)
    assert kinds[StepKind.DECISION] + kinds[StepKind.MESSAGE] == 5
    assert (kinds[StepKind.TOOL], kinds[StepKind.HANDOFF]) == (4, 1)
    assert sum(each.fate is Fate.CONTAINER for each in run.records) == 6 + 3
    failed = [step for step in run.steps if step.status is StepStatus.ERROR]
    assert len(failed) == 2
    assert all(step.parts[-1].capture == {"text": "withheld"} for step in failed)
    acting = {run.actor_of(step).role for step in run.steps if step.kind is not StepKind.INPUT}
    assert acting == {"Triage agent", "Refund agent"}


def test_openllmetry() -> None:
    new = run_in("openllmetry/openllmetry-traceloop.otlp.json")
    assert [step.status for step in new.steps].count(StepStatus.ERROR) == 1
    assert new.actors[0].role == "order_agent"
    old = run_in("openllmetry/openllmetry-0.40-indexed-attributes.otlp.json")
    assert not any(step.status is StepStatus.ERROR for step in old.steps)
    for run in (new, old):
        assert Counter(step.kind for step in run.steps) == {
            StepKind.INPUT: 2,
            StepKind.DECISION: 1,
            StepKind.TOOL: 2,
            StepKind.MESSAGE: 1,
        }


def test_pydantic_ai() -> None:
    run = run_in("pydantic-ai/pydantic-ai-otel.otlp.json")
    (failed,) = [step for step in run.steps if step.status is StepStatus.ERROR]
    assert failed.parts[0].data["retry"] == {"cause": "model_retry", "attempt": 1, "max": 2}


def test_smolagents() -> None:
    run = run_in("smolagents/openinference-smolagents.otlp.json")
    assert [step.status for step in run.steps].count(StepStatus.ERROR) == 3
    assert not any(step.kind is StepKind.ERROR for step in run.steps)
    assert run.folded["exception repeated on a span around it"] == 3


def test_vercel() -> None:
    run = run_in("vercel-ai-sdk/vercel-ai-sdk.otlp.json")
    assert [step.status for step in run.steps].count(StepStatus.ERROR) == 1
    assert Counter(step.kind for step in run.steps)[StepKind.TOOL] == 2


QUIRKS = {
    "cycle-and-self-parent": "cycle",
    "missing-parent": "missing_parent",
    "nul-and-lone-surrogate": "replaced_characters",
    "truncated-json-attribute": "cut_text",
    "kvlist-bytes-nested": "kept_in_raw_only",
    "nan-as-null-double": "kept_in_raw_only",
}


@pytest.mark.parametrize("name", QUIRKS)
def test_each_fault_is_told(name: str) -> None:
    assert QUIRKS[name] in docs.gaps(run_in(f"quirks/otlp.{name}.json"))


def test_a_span_that_was_sent_twice_is_one() -> None:
    run = run_in("quirks/otlp.duplicate-span-same-id.json")
    assert run.folded["sent again with equal content"] == 1
    assert "duplicate_step" not in docs.gaps(run)


@pytest.mark.parametrize("name", ["enum-names", "int64-as-json-numbers"])
def test_spellings_of_numbers(name: str) -> None:
    run = run_in(f"quirks/otlp.{name}.json")
    assert run.steps[-1].status is StepStatus.ERROR
    assert str(run.started_at) == "2026-11-29 17:04:42.767131+00:00"


# Every span is somewhere, and their order means nothing

FILES = [path for path in sorted(FORMATS.rglob("*.otlp.json")) if "logs" not in path.name]


def spans_of(value: Any) -> list[Any]:
    return [
        each
        for resource in value["resourceSpans"]
        for scope in resource["scopeSpans"]
        for each in scope["spans"]
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_shuffled_spans_of_real_files_give_the_same_run(path: Path) -> None:
    (plain,) = reading(path).runs
    value = json.loads(path.read_text())
    random.Random(path.name).shuffle(value["resourceSpans"])
    for resource in value["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            random.Random(3).shuffle(scope["spans"])
    (other,) = docs.read(value).runs
    assert steps_of(other.transcript) == steps_of(plain.transcript)
    assert other.transcript.links == plain.transcript.links
    assert other.transcript.gaps == plain.transcript.gaps


def steps_of(run: Transcript) -> list[Any]:
    return [(step.source_id, step.actor, step.parts, step.status) for step in run.steps]


@pytest.mark.parametrize("name", [name for name in story.STORIES if name.startswith("otlp.")])
def test_every_span_and_log_record_is_somewhere(name: str) -> None:
    value = json.loads(story.content_of(name))
    run = story.run_of(name).transcript
    known = {place for step in run.steps for place in (step.pointer, *step.also_from)}
    known |= {record.pointer for record in run.records}
    for kind, leaf in (("Spans", "spans"), ("Logs", "logRecords")):
        for r, resource in enumerate(value.get(f"resource{kind}", ())):
            for s, scope in enumerate(resource[f"scope{kind}"]):
                for i in range(len(scope[leaf])):
                    assert f"/resource{kind}/{r}/scope{kind}/{s}/{leaf}/{i}" in known

"""OpenInference: indexed messages, wrapped arguments, what is hidden on purpose, judgements."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.traces.formats import otlp_documents as docs
from traces.formats.dialects import openinference
from traces.formats.spans.span import Facts, Role, Span


def facts(kind: str, name: str = "span", **more: Any) -> Facts:
    given = {"openinference.span.kind": kind} | more.pop("say", {})
    return openinference.facts(Span("t", "s", name=name, attributes=given))


def test_a_kind_that_nobody_knows_is_a_wrapper() -> None:
    assert facts("NOVELTY").role is Role.CONTAINER
    assert openinference.facts(
        Span("t", "s", attributes={"openinference.span.kind": ["LLM"]})
    ).role is Role.CONTAINER  # fmt: skip


def test_indexes_are_numbers() -> None:
    say = {f"llm.input_messages.{n}.message.content": f"m{n}" for n in (10, 9, 0)}
    prompt = facts("LLM", say=say).prompt
    assert [each["content"] for each in prompt] == ["m0", "m9", "m10"]


@pytest.mark.parametrize("as_json", [True, False])
def test_messages_may_be_a_list(as_json: bool) -> None:
    listed = [{"message.role": "user", "message.content": "Hi"}, {"message": {"role": "tool"}}]
    given = json.dumps(listed) if as_json else listed
    prompt = facts("LLM", say={"llm.input_messages": given}).prompt
    assert prompt == [{"role": "user", "content": "Hi"}, {"role": "tool"}]


def test_what_is_hidden_is_withheld() -> None:
    say = {"input.value": "__REDACTED__", "output.value": "__REDACTED__"}
    hidden = facts("LLM", say=say)
    assert (hidden.prompt, hidden.reply, hidden.silence) == (None, None, "withheld")
    assert facts("TOOL", say=say).result_state == "withheld"
    run = docs.run(docs.span(1, say={"openinference.span.kind": "LLM"} | say))
    assert run.steps[0].parts[0].capture == {"text": "withheld"}
    assert "empty_content" not in docs.gaps(run)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ('{"args": [], "sanitize_inputs_outputs": true, "kwargs": {"id": "A-7"}}', {"id": "A-7"}),
        ('{"args": ["A-7"], "kwargs": {}}', "A-7"),
        ('{"args": [1, 2], "kwargs": {"x": 3}}', {"args": [1, 2], "x": 3}),
        ('{"id": "A-7"}', {"id": "A-7"}),
        ("A-7", "A-7"),
    ],
)
def test_arguments_are_taken_out_of_their_wrapping(given: str, wanted: Any) -> None:
    assert facts("TOOL", say={"input.value": given}).arguments == wanted


def test_what_retrieval_found_is_a_tools_answer() -> None:
    say = {
        "input.value": "refunds",
        "retrieval.documents.0.document.content": "Page 1",
        "retrieval.documents.1.document.content": "Page 2",
    }
    found = facts("RETRIEVER", "search", say=say)
    assert (found.role, found.tool) == (Role.TOOL, "search")
    assert json.loads(found.result or "")[1] == {"document": {"content": "Page 2"}}


def test_annotations_are_judgements() -> None:
    say = {"annotation.0.annotator_kind": "HUMAN", "annotation.0.label": "bad"}
    (judged,) = facts("LLM", say=say).judged
    assert (judged.source, judged.data["annotation.0.label"]) == ("OpenInference HUMAN", "bad")


def test_settings_are_parameters_and_what_a_call_was_about_is_not() -> None:
    parameters = {"temperature": 1.0, "instructions": "Be kind.", "tools": [{}], "id": "r1"}
    say = {"llm.invocation_parameters": json.dumps(parameters)}
    assert facts("LLM", say=say).parameters == {"temperature": 1.0}


def test_what_nothing_is_made_of_is_counted() -> None:
    say = {"llm.tools.0.tool.json_schema": "{}", "smolagents.max_steps": 3, "x.4.y": 1}
    assert sorted(facts("LLM", say=say).unread) == ["smolagents.max_steps", "x.N.y"]

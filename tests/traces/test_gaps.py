"""Every gap that is found has a kind that is explained, and there is one per kind and step."""

from __future__ import annotations

import ast
from datetime import timedelta
from pathlib import Path

import pytest

import traces
from tests.factories import AT, make_step, make_transcript
from traces import completeness, gaps
from traces.gaps import actors as gaps_in_actors
from traces.transcript import (
    Actor,
    ActorKind,
    Gap,
    Link,
    LinkKind,
    Outcome,
    Part,
    PartKind,
    Report,
    Transcript,
)

SOURCE = Path(traces.__file__).parent


def found(transcript: Transcript, kind: str) -> list[int | None]:
    return [gap.step for gap in gaps.completed(transcript) if gap.kind == kind]


def request(call: str = "c1") -> Part:
    return Part(PartKind.TOOL_REQUEST, "{}", {"call": call} if call else {})


def response(call: str = "c1") -> Part:
    return Part(PartKind.TOOL_RESPONSE, "ok", {"call": call} if call else {})


def kinds_in_code() -> set[str]:
    """The kind of every Gap(...), of every gap that a builder is told, and of rows made later."""
    trees = [ast.parse(path.read_text()) for path in SOURCE.rglob("*.py")]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    first = [call.args[0] for call in calls if call.args and name_of(call) in ("Gap", "gap")]
    later = [key.value for call in calls for key in call.keywords if key.arg == "kind"]
    named = {node.value for node in first if isinstance(node, ast.Constant)}
    return named | {node.value for node in later if isinstance(node, ast.Constant)} & {*gaps.KINDS}


def name_of(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def test_every_kind_that_code_makes_is_explained_and_no_other() -> None:
    assert kinds_in_code() == set(gaps.KINDS)


@pytest.mark.parametrize("name", gaps.KINDS)
def test_an_explanation_is_three_sentences_for_people(name: str) -> None:
    kind = gaps.KINDS[name]
    assert len(name) <= 40
    assert not kind.title.endswith(".")
    assert kind.meaning.endswith(".")
    assert kind.remedy.endswith(".")


def test_a_kind_comes_once_for_each_step() -> None:
    given = (Gap("cycle", "At a step.", 1), Gap("cycle", "Again.", 1), Gap("cycle", "Of the run."))
    completed = [gap for gap in gaps.completed(make_transcript(gaps=given)) if gap.kind == "cycle"]
    assert completed == [given[0], given[2]]


def test_what_several_say_of_the_run_is_one_gap_in_all_their_words() -> None:
    given = (Gap("cycle", "First."), Gap("cycle", "Second."), Gap("cycle", "First."))
    completed = [gap for gap in gaps.completed(make_transcript(gaps=given)) if gap.kind == "cycle"]
    assert completed == [Gap("cycle", "First. Second.")]


def test_requests_and_responses_that_lack_each_other_are_found() -> None:
    transcript = make_transcript(
        make_step(0, parts=(request("a"), response("a"))),
        make_step(1, parts=(request("b"),)),
        make_step(2, parts=(response("c"),)),
        make_step(3, parts=(request(""), response(""))),
        make_step(4, parts=(request(""),)),
        make_step(5, parts=(response(""),)),
        make_step(6, parts=(response("b"),)),
    )
    assert found(transcript, "request_without_response") == [4]
    assert found(transcript, "response_without_request") == [2, 5]


def test_a_tool_that_raised_has_answered() -> None:
    error = Part(PartKind.ERROR, "KeyError")
    raised = make_transcript(
        make_step(0, parts=(request("a"), error)),
        make_step(1, parts=(request("a"), error, response("a"))),
        make_step(2, parts=(error,)),
        make_step(3, parts=(request("a"),)),
    )
    assert found(raised, "request_without_response") == [3]
    assert found(raised, "response_without_request") == []


def test_responses_in_a_record_without_requests_are_one_gap_of_the_run() -> None:
    transcript = make_transcript(
        make_step(0, parts=(response(),)), make_step(1, parts=(response(),))
    )
    assert found(transcript, "response_without_request") == [None]


def test_a_retry_without_reason_is_found() -> None:
    transcript = make_transcript(
        make_step(0),
        make_step(1),
        make_step(2, attempt=2),
        make_step(3, attempt=3, attempt_reason="timeout"),
        make_step(4, attempt=1),
        links=(Link(0, 1, LinkKind.RETRY_OF),),
    )
    assert found(transcript, "retry_without_reason") == [1, 2]


def test_a_run_that_was_tried_again_without_reason_is_found() -> None:
    assert found(make_transcript(attempt=2), "retry_without_reason") == [None]
    assert found(make_transcript(attempt=1), "retry_without_reason") == []
    assert found(make_transcript(attempt=2, attempt_reason="Lost."), "retry_without_reason") == []
    held = make_transcript(attempt=2, capture={"attempt/reason": "withheld"})
    assert found(held, "retry_without_reason") == []


def test_a_call_id_of_several_requests_is_found() -> None:
    once = make_transcript(make_step(0, parts=(request("c1"), response("c1"), request("c2"))))
    twice = make_transcript(make_step(0, parts=(request("c1"),)), make_step(1, parts=(request(),)))
    assert found(once, "reused_call_id") == []
    assert found(twice, "reused_call_id") == [None]


def test_a_join_of_one_branch_is_found_unless_it_has_another_predecessor() -> None:
    links = (
        Link(0, 2, LinkKind.JOIN),
        Link(0, 3, LinkKind.JOIN),
        Link(1, 3, LinkKind.CONSUMES),
        Link(1, 2, LinkKind.FOLLOWS, "a guess"),
    )
    transcript = make_transcript(*(make_step(n) for n in range(4)), links=links)
    assert found(transcript, "join_without_parents") == [2]


def test_times_that_contradict_themselves_or_links_are_found() -> None:
    second = timedelta(seconds=1)
    transcript = make_transcript(
        make_step(0, started_at=AT, ended_at=AT - second),
        make_step(1, started_at=AT - second, ended_at=AT),
        make_step(2, started_at=AT - second),
        links=(Link(0, 1, LinkKind.CONSUMES), Link(0, 2, LinkKind.FOLLOWS, "a guess")),
    )
    assert found(transcript, "negative_duration") == [0]
    assert found(transcript, "clock_skew") == [1]


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        ({}, "unknown_initial_state"),
        ({"reference": "main", "mutable": True}, "mutable_initial_state"),
        ({"digest": "sha256:1"}, None),
    ],
)
def test_the_initial_state_is_looked_at(state: dict[str, object], kind: str | None) -> None:
    transcript = make_transcript(initial_state=state)
    both = ("unknown_initial_state", "mutable_initial_state")
    assert [name for name in both if found(transcript, name)] == ([kind] if kind else [])


def test_a_failed_run_without_any_check_is_found() -> None:
    checked = Part(PartKind.VERIFICATION, "ci: failed", {"verdict": "failed"})
    reported = (Report("failed", "harness"),)
    claimed = (Report("done", "agent"),)
    assert found(make_transcript(reports=claimed), "missing_verification") == [None]
    assert found(make_transcript(make_step(0, parts=(checked,))), "missing_verification") == []
    assert found(make_transcript(reports=reported), "missing_verification") == []
    assert found(make_transcript(outcome=Outcome.SUCCEEDED), "missing_verification") == []
    silent = make_step(0, parts=(Part(PartKind.VERIFICATION, "ci", {"check": "ci"}),))
    assert found(make_transcript(silent), "missing_verification") == [0]


def test_agents_without_instance_are_one_gap_and_others_none() -> None:
    actors = (
        Actor("a", "a", ActorKind.AGENT),
        Actor("b", "b", ActorKind.AGENT, instance="b/1"),
        Actor("c", "c", ActorKind.HUMAN),
    )
    transcript = make_transcript(make_step(0, "a"), actors=actors)
    (gap,) = gaps_in_actors.actor_without_instance(transcript)
    assert gap.detail == "Agents without an instance: a."


def test_steps_that_say_nothing_are_found() -> None:
    transcript = make_transcript(
        make_step(0, parts=()),
        make_step(1, parts=(Part(PartKind.MESSAGE, "to: owner", {"to": "owner"}),)),
        make_step(2, parts=(request(), Part(PartKind.TOOL_RESPONSE, "", {"call": "c1"}))),
    )
    assert found(transcript, "empty_content") == [0, 1]


def test_a_run_without_times_or_links_is_found_once() -> None:
    transcript = make_transcript(links=(Link(0, 1, LinkKind.FOLLOWS, "a guess"),))
    assert found(transcript, "no_times") == [None]
    assert found(transcript, "no_recorded_links") == [None]
    assert found(make_transcript(make_step(0)), "no_recorded_links") == []


@pytest.mark.parametrize(
    ("numbers", "missing"),
    [
        ([], None),
        ([5], None),
        ([1, 2, 3], None),
        ([1, 3], "2 (between steps #0 and #1 here)"),
        ([3, 1], "2 (between steps #0 and #1 here)"),
        (
            [1, 5, 5, 7],
            "2 to 4 (between steps #0 and #1 here), 6 (between steps #2 and #3 here)",
        ),
    ],
)
def test_holes_are_listed_by_the_steps_they_lie_between(
    numbers: list[int], missing: str | None
) -> None:
    details = [gap.detail for gap in completeness.holes(numbers)]
    told = f"Missing in the source's own sequence numbers: {missing}."
    assert details == ([told] if missing else [])


def test_long_lists_say_how_many_more_there_are() -> None:
    assert completeness.listed([str(n) for n in range(13)]).endswith("9 and 3 more")

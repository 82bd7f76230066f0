from __future__ import annotations

from pathlib import Path

import pytest

from tests.factories import make_step, make_transcript
from tests.traces.storms import LIMITED, make_error, stormy
from traces.apparatus import proposals
from traces.formats import intake
from traces.formats.base import Limits
from traces.transcript import (
    Actor,
    ActorKind,
    Gap,
    Outcome,
    Part,
    PartKind,
    Step,
    StepKind,
    StepStatus,
    Transcript,
)

SAMPLES = sorted(Path(__file__).parents[2].joinpath("traces/samples").glob("*-*.json"))
# Each with a pattern of its own, as tools and services word them.
BREAKAGES = (
    "connect ECONNREFUSED 127.0.0.1:5432",
    "curl: (7) Failed to connect: Connection refused",
    "socket.gaierror: Temporary failure in name resolution",
    "OSError: [Errno 28] No space left on device",
    "502 Bad Gateway",
    "container is not running",
)
LIMITS = (
    LIMITED,
    "openai.RateLimitError: slow down",
    "Too Many Requests",
    "Error code: 429 - try later",
    '{"type": "overloaded_error"}',
    '{"status_code": 429}',
    "429 Client Error: for url https://api.example/v1",
    "ThrottlingException: slow down",
    '{"code": "insufficient_quota"}',
)


def reasons(transcript: Transcript) -> list[str]:
    return [found.reason for found in proposals(transcript)]


def of(*steps: Step, **fields: object) -> Transcript:
    return make_transcript(make_step(0), *steps, **fields)  # type: ignore[arg-type]


def time_out(number: int) -> Step:
    return make_error(number, "No answer.", status=StepStatus.TIMEOUT)


def request(number: int) -> Step:
    parts = (Part(PartKind.TOOL_REQUEST, "{not json"),)
    return make_step(number, "coder", kind=StepKind.TOOL, parts=parts)


def test_a_run_that_succeeded_is_never_proposed() -> None:
    assert reasons(stormy()) == ["rate_limit"]
    errors = [make_error(number) for number in range(1, 9)]
    assert reasons(of(*errors, outcome=Outcome.SUCCEEDED)) == []


def test_a_run_that_just_failed_is_not_proposed() -> None:
    assert reasons(of(make_step(1, "coder"), make_step(2, "verifier"))) == []


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_no_run_of_the_sample_corpus_is_proposed(path: Path) -> None:
    """In each, agents erred; also in the one with a time-out that left files behind."""
    (run,) = intake.take(path.read_bytes(), wanted="", limits=Limits()).runs
    assert proposals(run.transcript) == ()


def test_less_than_a_storm_is_not_proposed() -> None:
    assert reasons(stormy(times=4)) == []
    assert reasons(stormy(times=5)) == ["rate_limit"]


def test_a_storm_that_the_agents_got_through_is_not_proposed() -> None:
    errors = [make_error(number) for number in range(1, 7)]
    after = [make_step(number, "coder") for number in range(7, 10)]
    assert reasons(of(*errors, *after[:2])) == ["rate_limit"]
    assert reasons(of(*errors, *after)) == []


def test_verification_after_a_storm_is_no_work() -> None:
    errors = [make_error(number) for number in range(1, 7)]
    checks = [make_step(n, "verifier", kind=StepKind.VERIFICATION) for n in range(7, 12)]
    assert reasons(of(*errors, *checks)) == ["rate_limit"]


def test_what_the_harness_does_after_a_storm_is_no_work() -> None:
    errors = [make_error(number) for number in range(1, 7)]
    steps = [*errors, *(make_step(number, "harness") for number in range(7, 12))]
    actors = (
        Actor("planner", "planner", ActorKind.AGENT),
        Actor("coder", "coder", ActorKind.AGENT),
        Actor("harness", "harness", ActorKind.HARNESS),
    )
    assert reasons(of(*steps, actors=actors)) == ["rate_limit"]


def test_what_an_agent_says_of_a_rate_limit_is_no_observation() -> None:
    said = (Part(PartKind.MESSAGE, LIMITED), Part(PartKind.ERROR, "KeyError: 'id'"))
    steps = [make_error(number, parts=said) for number in range(1, 9)]
    assert reasons(of(*steps)) == []


def test_a_tool_that_answers_well_about_rate_limits_is_no_trouble() -> None:
    read = (Part(PartKind.TOOL_RESPONSE, LIMITED),)
    steps = [make_error(n, parts=read, status=StepStatus.OK) for n in range(1, 9)]
    assert reasons(of(*steps)) == []


@pytest.mark.parametrize("text", LIMITS)
def test_words_of_a_rate_limit(text: str) -> None:
    assert reasons(stormy(text=text)) == ["rate_limit"]


@pytest.mark.parametrize("text",
    ["429 lines were changed.", "Line 429: unlimited", "Unlimited",
     "E  assert 200 == 429  # too many requests", "FAILED test_limit.py - rate limit, 1 failed",
     "GET http://localhost:8000/ 429 Too Many Requests"])  # fmt: skip
def test_words_that_are_none(text: str) -> None:
    assert reasons(stormy(text=text)) == []


@pytest.mark.parametrize("text", BREAKAGES)
def test_words_of_broken_infrastructure(text: str) -> None:
    assert reasons(stormy(times=2, text=text)) == []
    assert reasons(stormy(times=3, text=text)) == ["infrastructure"]


def test_a_server_of_its_own_that_does_not_answer_is_no_infrastructure() -> None:
    refused = "curl: (7) Failed to connect to localhost port 8000: Connection refused"
    assert reasons(stormy(times=3, text=refused)) == []
    asked = Part(PartKind.TOOL_REQUEST, '{"cmd": "curl -s http://127.0.0.1:8000/health"}')
    parts = (asked, Part(PartKind.ERROR, "Connection refused"))
    assert reasons(of(*(make_error(n, parts=parts) for n in range(1, 5)))) == []


def test_trouble_with_work_between_is_no_storm() -> None:
    """Five of a hundred steps, the last of them near the end."""
    limited = {10, 30, 50, 70, 98}
    steps = [make_error(n) if n in limited else make_step(n, "coder") for n in range(1, 100)]
    assert reasons(of(*steps)) == []


def test_work_after_a_storm_is_told() -> None:
    errors = [make_error(number) for number in range(1, 7)]
    (found,) = proposals(of(*errors, make_step(7, "coder"), make_step(8, "coder")))
    assert found.sentence == (
        "A rate limit was met 6 times, and only 2 steps of work came after it."
    )


def test_time_outs_that_end_a_run() -> None:
    assert reasons(of(*map(time_out, (1, 2)))) == []
    assert reasons(of(*map(time_out, (1, 2, 3)))) == ["time_out"]


def test_requests_that_are_mostly_no_json() -> None:
    gaps = tuple(Gap("malformed_arguments", "", step) for step in range(1, 6))
    mostly = of(*map(request, range(1, 11)), gaps=gaps)
    assert reasons(mostly) == ["malformed_output"]
    assert "5 of 10 tool requests" in proposals(mostly)[0].sentence
    assert reasons(of(*map(request, range(1, 12)), gaps=gaps)) == []


def test_a_file_that_could_hardly_be_read() -> None:
    gaps = tuple(Gap("undecodable_step", "") for _ in range(3))
    assert reasons(of(make_step(1), make_step(2), gaps=gaps)) == ["malformed_output"]
    assert reasons(of(*map(make_step, (1, 2, 3)), gaps=gaps)) == []


def test_the_note_lists_the_steps_and_of_many_the_first() -> None:
    (few,) = proposals(stormy(times=5))
    assert few.note == (
        "A rate limit was met 5 times, and no work came after it. Steps #2, #3, #4, #5, #6."
    )
    (many,) = proposals(stormy(times=14))
    assert many.steps == tuple(range(2, 16))
    assert many.note.endswith("#10, #11 and 4 more.")
    (unread,) = proposals(of(gaps=(Gap("undecodable_step", ""),) * 3))
    assert unread.note == "3 steps could not be read, and only 1 could."


def test_a_run_without_steps_is_not_proposed() -> None:
    assert proposals(Transcript("empty", "tests", (), (), outcome=Outcome.FAILED)) == ()

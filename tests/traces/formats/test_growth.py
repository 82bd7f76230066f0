"""Logs that are sent before they are whole: what comes later takes nothing back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.real import content_of
from tests.traces.formats.codex.test_rollout import META, at, call, event, item, output, says
from tests.traces.formats.logs import lines, run_of
from tests.traces.formats.story import FOLDER
from traces.comparing import Compared, compare
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import Transcript

STORIES = ("codex_rollout.jsonl", "codex_exec.jsonl", "crewai.jsonl")
REAL = (
    "codex-cli/rollout-0.40.0.a.text-withheld.jsonl",
    "codex-cli/spawn-parent.rollout.jsonl",
    "crewai/crewai.event-bus.jsonl",
)


def runs_in(content: bytes) -> list[Transcript]:
    return [run.transcript for run in intake.take(content).runs]


def prefixes(content: bytes) -> Iterator[tuple[int, Transcript]]:
    """Each run that the first lines tell of, for each number of lines but all of them."""
    cut = content.splitlines(keepends=True)
    for count in range(1, len(cut)):
        try:
            yield from ((count, run) for run in runs_in(b"".join(cut[:count])))
        except Unreadable:
            continue


def contradicted(content: bytes) -> list[int]:
    """After how many lines a cut tells of a run that the whole does not go on with."""
    whole = {run.external_id: run for run in runs_in(content)}
    return [
        count
        for count, run in prefixes(content)
        if run.external_id not in whole
        or compare(run, whole[run.external_id]) is Compared.OTHER
        or compare(whole[run.external_id], run) is Compared.OTHER
    ]


@pytest.mark.parametrize("name", STORIES)
def test_a_story_goes_on_from_wherever_it_was_cut(name: str) -> None:
    content = (FOLDER / name).read_bytes()

    assert len(list(prefixes(content))) >= 10
    assert contradicted(content) == []


@pytest.mark.parametrize("name", REAL)
def test_a_real_log_goes_on_from_wherever_it_was_cut(name: str) -> None:
    assert contradicted(content_of(f"formats/{name}")) == []


ASKED = says(1, "user", "Run the tests."), event(1, "user_message", message="Run the tests.")
Records = tuple[dict[str, Any], ...]


def piece(which: int, number: int) -> Records:
    """Some way in which a rollout goes on: no two of them say the same, or have a call's id."""
    begin, words, name = 2 + 3 * number, f"Words {number}.", f"c-{number}"
    said = event(begin, "agent_message", message=words)
    thought = item(begin, "reasoning", summary=[], content=None, encrypted_content="gAAA")
    ways: tuple[Records, ...] = (
        (said, thought, says(begin, "assistant", words)),
        (says(begin, "assistant", words), said),
        (said, call(begin + 1, name), output(begin + 2, name, "Ok.")),
        (call(begin, name), said, output(begin + 2, name, "Ok.")),
        (at(begin, "turn_context", model=f"model-{number}", effort="low"),),
        (event(begin, "turn_aborted", reason="interrupted"),),
    )
    return ways[which]


@settings(deadline=None)
@given(st.lists(st.integers(0, 5), max_size=6))
def test_a_rollout_goes_on_from_wherever_it_was_cut(ways: list[int]) -> None:
    meta = at(0, "session_meta", **META)
    context = at(0, "turn_context", model="gpt-5-codex", effort="high")
    later = [record for number, way in enumerate(ways) for record in piece(way, number)]

    assert contradicted(lines(meta, says(0, "user", "Context."), *ASKED, context, *later)) == []


def test_a_reply_is_named_by_the_event_that_tells_of_it_first() -> None:
    run = run_of(*ASKED, *piece(0, 0), *piece(1, 1))

    assert [step.source_id for step in run.steps] == ["line 1", "line 3.reply"]


def test_who_speaks_is_left_open_until_the_program_says_anything() -> None:
    early, later = (
        run_of(says(0, "user", "Some context.")),
        run_of(says(0, "user", "Some context."), *ASKED),
    )

    assert (early.steps[0].capture, early.task_text) == ({"actor": "not_captured"}, "")
    assert (later.steps[0].capture, later.steps[0].actor) == ({}, "codex")
    assert later.task_text == "Run the tests."

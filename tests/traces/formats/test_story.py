"""The same story in many formats: the same actors, tool calls and failure, step by step."""

from __future__ import annotations

import pytest

from tests.traces.formats import story
from tests.traces.formats.story import JUDGEMENT, STORIES
from traces.formats import registry


def test_each_file_is_a_story() -> None:
    files = {path.name for path in story.FOLDER.iterdir()} - {"STORY.md"}

    assert files == STORIES.keys()


@pytest.mark.parametrize("name", STORIES)
def test_the_format_is_recognised_by_content(name: str) -> None:
    run = story.run_of(name)

    assert run.format == f"{STORIES[name].format}@{registry.named(STORIES[name].format).version}"
    assert run.rule


@pytest.mark.parametrize("name", STORIES)
def test_the_story_is_told_step_by_step(name: str) -> None:
    transcript = story.run_of(name).transcript

    assert story.told(transcript) == story.expected(STORIES[name])


@pytest.mark.parametrize("name", [name for name, each in STORIES.items() if each.judges])
def test_a_judgement_is_kept_and_reaches_nobody(name: str) -> None:
    transcript = story.run_of(name).transcript
    judged = [f"{each.reason} {each.data}" for each in transcript.opinions]
    said = [f"{each.text} {part.data}" for each in transcript.steps for part in each.parts]
    shown = [*transcript.gaps, *transcript.failures, *transcript.suspicions]

    assert any(JUDGEMENT in each for each in judged)
    assert not any(JUDGEMENT in str(each) for each in (*said, *shown))

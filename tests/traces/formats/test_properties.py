"""What every format must keep to, tried on the story in each of them and on real files."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import real
from tests.real import FORMATS
from tests.traces.formats import story
from tests.traces.formats.story import STORIES
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.formats.intake import Intake

# Of a file, cut at so many places, spread over all of it.
CUTS = 60
LARGEST = 200_000
STRANGE: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1e400,
    "",
    "\x00",
    "\ud83d",
    [],
    {},
    [[]],
    [None],
    {"": None},
)


def taken(content: bytes) -> Intake | Unreadable:
    try:
        return intake.take(content)
    except Unreadable as refusal:
        return refusal


def foreseen(result: Intake | Unreadable) -> bool:
    """Whether nothing happened that nobody had thought of."""
    reasons = [str(result)] if isinstance(result, Unreadable) else []
    if isinstance(result, Intake):
        reasons = [refusal.reason for refusal in result.refusals]
    return not any("failed on this document" in r or "could not be read: " in r for r in reasons)


def real_files() -> list[Any]:
    return real.each_of(p for p in FORMATS.rglob("*") if p.is_file() and p.suffix != ".md")


@pytest.mark.parametrize("name", STORIES)
def test_reading_twice_gives_the_same(name: str) -> None:
    first, second = story.run_of(name), story.run_of(name)

    assert first.sha256 == second.sha256
    assert first == second


@pytest.mark.parametrize("name", [name for name, each in STORIES.items() if each.any_order])
@pytest.mark.parametrize("seed", range(5))
def test_shuffled_records_give_the_same_steps(name: str, seed: int) -> None:
    shuffled = intake.take(in_other_order(name, random.Random(seed))).runs[0]

    # The digest is of all content, the steps' ids and order included, but not of places in a file.
    assert shuffled.sha256 == story.run_of(name).sha256


def in_other_order(name: str, chance: random.Random) -> bytes:
    content = story.content_of(name)
    try:
        value = json.loads(content)
    except ValueError:
        lines = [line for line in content.split(b"\n") if line.strip()]
        chance.shuffle(lines)
        return b"\n".join(lines)
    for each in lists_in(value, STORIES[name].records):
        chance.shuffle(each)
    return json.dumps(value).encode()


def lists_in(value: Any, path: str) -> Iterator[list[Any]]:
    """The lists at a pointer, in which `*` stands for every element."""
    places = [value]
    for key in filter(None, path.split("/")):
        places = [
            inner
            for place in places
            for inner in (
                place
                if key == "*"
                else [place[int(key)] if isinstance(place, list) else place[key]]
            )
        ]
    yield from places


@pytest.mark.parametrize("name", STORIES)
def test_every_raw_record_is_reachable(name: str) -> None:
    run = story.run_of(name)
    known = set(pointers(run))
    lost = [
        place
        for place in records(name)
        if not any(each == place or each.startswith(f"{place}/") for each in known)
    ]

    assert lost == []


def pointers(run: intake.TakenRun) -> Iterator[str]:
    # A trace lies all over its document: what is in it is named by its place there.
    start = "" if run.pointer.startswith("trace ") else run.pointer
    for step in run.transcript.steps:
        yield from (f"{start}{each}" for each in (step.pointer, *step.also_from))
    for record in run.transcript.records:
        yield f"{start}{record.pointer}"


def records(name: str) -> Iterator[str]:
    """The place of each record in a story's file."""
    content, path = story.content_of(name), STORIES[name].records
    try:
        value = json.loads(content)
    except ValueError:
        lines = enumerate(content.split(b"\n"), start=1)
        yield from (f"line {number}" for number, line in lines if line.strip())
        return
    yield from places_in(value, [*filter(None, path.split("/")), "*"])


def places_in(value: Any, path: list[str], place: str = "") -> Iterator[str]:
    """The pointer of everything at a path in which `*` stands for every element."""
    if not path:
        yield place
        return
    key, *rest = path
    listed = isinstance(value, list)
    for each in range(len(value)) if key == "*" else [int(key) if listed else key]:
        yield from places_in(value[each], rest, f"{place}/{each}")


@pytest.mark.parametrize("name", STORIES)
def test_a_cut_file_is_a_partial_import_with_a_notice(name: str) -> None:
    content = story.content_of(name)
    for end in range(1, len(content.rstrip()), max(1, len(content) // CUTS)):
        result = taken(content[:end])

        assert foreseen(result), end
        if isinstance(result, Intake):
            complete = content[:end].endswith((b"}", b"]", b"\n")) and not result.refusals
            gaps = {gap.kind for run in result.runs for gap in run.transcript.gaps}
            assert result.refusals or "damaged" in gaps or complete, end


@pytest.mark.parametrize("path", real_files())
def test_a_real_file_is_read_or_refused_for_a_reason(path: Path) -> None:
    assert foreseen(taken(path.read_bytes()))


@pytest.mark.parametrize("path", real_files())
def test_a_real_file_may_be_cut_anywhere(path: Path) -> None:
    content = path.read_bytes()
    if len(content) > LARGEST:
        pytest.skip("Too large to be cut often.")
    chance = random.Random(path.name)
    for _ in range(4):
        assert foreseen(taken(content[: chance.randint(0, len(content))]))


# The first try of all loads the formats, which takes longer than one try may.
@pytest.mark.parametrize("name", STORIES)
@settings(deadline=None)
@given(chance=st.randoms(use_true_random=False), strange=st.sampled_from(STRANGE))
def test_strange_values_anywhere_cost_no_more_than_their_record(
    name: str, chance: random.Random, strange: Any
) -> None:
    content = story.content_of(name)
    try:
        values = [json.loads(content)]
    except ValueError:
        try:
            values = [json.loads(line) for line in content.split(b"\n") if line.strip()]
        except ValueError:
            return
    index = chance.randrange(len(values))
    values[index] = with_strange(values[index], strange, chance)

    assert foreseen(taken(b"\n".join(json.dumps(value).encode() for value in values)))


def with_strange(value: Any, strange: Any, chance: random.Random) -> Any:
    """The value with something strange in one place, however deep."""
    if not value or not isinstance(value, dict | list) or chance.random() < 0.15:
        return strange
    if isinstance(value, list):
        index = chance.randrange(len(value))
        return [*value[:index], with_strange(value[index], strange, chance), *value[index + 1 :]]
    key = chance.choice(list(value))
    return value | {key: with_strange(value[key], strange, chance)}

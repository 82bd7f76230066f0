from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from attribution.drawn_steps import Into, Marks, elapsed
from attribution.parts import Asked
from attribution.sides import MOST_INPUTS, MOST_PARTS, Side
from tests.attribution.scenes import consumes, failed, says
from tests.factories import AT, make_step
from traces.outline import outline_of
from traces.transcript import (
    Actor,
    ActorKind,
    Gap,
    Link,
    LinkKind,
    Part,
    PartKind,
    Step,
    StepKind,
    Transcript,
)


def side_of(run: Transcript, marks: Marks | None = None) -> Side:
    return Side(outline_of(run), marks or Marks(), gaps=run.gaps, began=run.started_at)


def test_a_step_knows_the_kind_of_its_row_and_whether_it_differs() -> None:
    left, right = failed(says(0, "a 1")), failed(says(0, "a 2"))
    side, step = side_of(right), right.steps[0]
    assert (side.view(step).kind, side.view(step).differs) == ("", False)
    beside = side.view(step, kind="changed", against=left.steps[0])
    assert (beside.kind, beside.differs) == ("changed", True)


def test_of_very_many_parts_the_first_are_shown_and_those_cited() -> None:
    parts = tuple(Part(PartKind.MESSAGE, f"part {n}") for n in range(30_000))
    run = failed(make_step(0, "planner", parts=parts))
    view = side_of(run, Marks(cited={(0, 29_000): [(0, 4)]})).view(run.steps[0])
    assert [part.position for part in view.parts] == [*range(MOST_PARTS), 29_000]
    assert view.hidden_parts == 30_000 - MOST_PARTS - 1
    assert "<mark" in view.parts[-1].value.html


def test_actors_of_one_role_share_a_colour_and_name_their_instance() -> None:
    actors = [Actor(f"coder/{n}", "coder", ActorKind.AGENT, f"coder/{n}") for n in (1, 2)]
    owner = Actor("owner\x07", "owner\x07", ActorKind.HUMAN)
    run = failed(
        says(0, "a", "owner\x07"), says(1, "b", "coder/1"), says(2, "c", "coder/2"),
        actors=(owner, *actors),
    )  # fmt: skip
    views = [side_of(run).view(step) for step in run.steps]
    assert [(v.role, v.instance, v.colour) for v in views] == [
        ("owner⟨U+0007⟩", "", 0),
        ("coder", "1", 1),
        ("coder", "2", 1),
    ]


def test_there_are_eight_colours_and_silent_actors_take_none() -> None:
    silent = Actor("silent", "silent", ActorKind.AGENT)
    named = [Actor(f"a{n}", f"a{n}", ActorKind.AGENT) for n in range(9)]
    run = failed(*(says(n, "x", f"a{n}") for n in range(9)), actors=(silent, *named))
    side = side_of(run)
    assert [side.view(step).colour for step in run.steps] == [0, 1, 2, 3, 4, 5, 6, 7, 0]


def test_a_step_shows_its_inputs_and_its_gaps() -> None:
    inferred = Link(1, 2, LinkKind.FOLLOWS, "same actor")
    gap = Gap("missing_parent", "It refers to s9.", 2)
    run = failed(
        *(says(n, "x") for n in range(3)),
        links=(consumes(0, 2), inferred),
        gaps=(gap, Gap("no_times", "None.")),
    )
    views = [side_of(run).view(step) for step in run.steps]
    recorded, guessed = Into(0, LinkKind.CONSUMES, ""), Into(1, LinkKind.FOLLOWS, "same actor")
    assert [view.inputs for view in views] == [(), (), (recorded, guessed)]
    assert [view.gaps for view in views] == [(), (), (gap,)]


def test_of_very_many_inputs_the_rest_is_counted() -> None:
    links = tuple(consumes(n, 20) for n in range(20))
    run = failed(*(says(n, "x") for n in range(21)), links=links)
    view = side_of(run).view(run.steps[20])
    assert [link.source for link in view.inputs] == list(range(MOST_INPUTS))
    assert view.more_inputs == 20 - MOST_INPUTS


def test_a_grey_step_stands_there_without_its_content() -> None:
    run = failed(says(0, "x"), says(1, "y"), links=(consumes(0, 1),))
    view = side_of(run).view(run.steps[1], grey=True)
    assert (view.grey, view.parts, view.hidden_parts) == (True, (), 0)
    assert (view.role, [link.source for link in view.inputs]) == ("planner", [0])


def test_a_step_and_its_parts_link_only_where_the_run_has_a_page() -> None:
    run = failed(says(0, "x"), says(1, "y"))
    side = Side(outline_of(run), Marks(), address="/runs/r/steps/")
    for of, step, part in (
        (side, "/runs/r/steps/1/", "/runs/r/steps/1/parts/0/"),
        (side_of(run), "", ""),
    ):
        view = of.view(run.steps[1])
        assert (view.address, view.parts[0].address) == (step, part)


def test_a_retry_says_of_which_step_and_a_successor_of_whom_where_it_first_acts() -> None:
    actors = (
        Actor("a", "coder", ActorKind.AGENT),
        Actor("b", "coder", ActorKind.AGENT, replaces="a\x07"),
    )
    run = failed(
        says(0, "x", "a"), says(1, "y", "b"), says(2, "z", "b"),
        actors=actors, links=(Link(0, 2, LinkKind.RETRY_OF),),
    )  # fmt: skip
    views = [side_of(run).view(step) for step in run.steps]
    assert [view.retry_of for view in views] == [None, None, 0]
    assert [view.replaces for view in views] == ["", "a⟨U+0007⟩", ""]


def test_a_call_without_words_shows_what_it_asks_for() -> None:
    silent = (Part(PartKind.MESSAGE, "", {}, {"text": "absent"}),)
    run = failed(
        make_step(0, "planner", kind=StepKind.DECISION, parts=silent),
        replace(says(1, "{}"), kind=StepKind.TOOL, tool="find\x07order"),
        replace(says(2, "{}"), kind=StepKind.TOOL, tool="refund"),
        replace(says(3, "well"), kind=StepKind.MESSAGE),
        make_step(4, "planner", kind=StepKind.DECISION, parts=silent),
        links=(consumes(0, 1), Link(0, 2, LinkKind.CONSUMES, "by name"), consumes(0, 3)),
    )
    first, *_, last = (side_of(run).view(step).parts[0] for step in run.steps)
    assert first.asks == (Asked(1, "find⟨U+0007⟩order"), Asked(2, "refund", "by name"))
    assert (first.capture, last.asks, last.capture) == ((), (), (("text", "absent"),))


def test_a_call_with_words_shows_them_alone() -> None:
    spoken = replace(says(0, "I look it up."), kind=StepKind.DECISION)
    call = replace(says(1, "{}"), kind=StepKind.TOOL, tool="find_order")
    run = failed(spoken, call, links=(consumes(0, 1),))
    assert side_of(run).view(run.steps[0]).parts[0].asks == ()


def test_why_its_times_are_empty_stands_on_the_page_of_the_step() -> None:
    capture = {"started_at": "not_captured", "ended_at": "absent", "model": "withheld"}
    run = failed(replace(says(0, "x"), capture=capture))
    assert side_of(run).view(run.steps[0]).unfilled == (("model", "withheld"),)


def timed(*at: datetime | None, **fields: Any) -> list[str]:
    steps: tuple[Step, ...] = tuple(
        replace(says(n, "x"), started_at=time) for n, time in enumerate(at)
    )
    run = failed(*steps, **fields)
    return [side_of(run).view(step).offset for step in run.steps]


def test_times_count_from_the_start_of_the_run_or_its_first_step() -> None:
    second = timedelta(seconds=1)
    assert timed(AT + 5 * second, None, AT) == ["00:05.0", "", "00:00.0"]
    assert timed(AT + second, started_at=AT) == ["00:01.0"]
    assert timed(None, None) == ["", ""]


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "00:00.0"),
        (9.96, "00:10.0"),
        (59.94, "00:59.9"),
        (59.96, "01:00.0"),
        (61.25, "01:01.2"),
        (3599.99, "1:00:00.0"),
        (3600, "1:00:00.0"),
        (90_061.5, "25:01:01.5"),
        (-2.5, "-00:02.5"),
    ],
)
def test_elapsed(seconds: float, shown: str) -> None:
    assert elapsed(AT, AT + timedelta(seconds=seconds)) == shown


def test_elapsed_of_a_time_that_is_not_known() -> None:
    assert elapsed(None, AT) == elapsed(AT, None) == ""

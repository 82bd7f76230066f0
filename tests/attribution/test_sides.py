from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from attribution import sides
from attribution.sides import Marks, PartView, Side, elapsed
from tests.attribution.scenes import consumes, failed, says
from tests.factories import AT, make_step
from traces.transcript import Actor, ActorKind, Gap, Link, LinkKind, Part, PartKind, Step


def part_of(part: Part, kind: ActorKind = ActorKind.AGENT) -> PartView:
    """How a part is shown, in a run of one step by an actor of this kind."""
    actor = Actor(key="a", role="a", kind=kind)
    run = failed(make_step(0, "a", parts=(part,)), actors=(actor,))
    return Side(run, Marks()).view(run.steps[0]).parts[0]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (Part(PartKind.MESSAGE, "a 1"), Part(PartKind.DECISION, "a 2")),
        (Part(PartKind.MESSAGE, "a 1"), Part(PartKind.MESSAGE, "a 1")),
        (Part(PartKind.MESSAGE, "a 1" * 1400), Part(PartKind.MESSAGE, "a 2")),
    ],
)
def test_no_difference_is_shown_where_it_would_not_read(ours: Part, theirs: Part) -> None:
    left, right = (failed(make_step(0, parts=(part,))) for part in (ours, theirs))
    view = Side(right, Marks()).view(right.steps[0], against=left.steps[0])
    assert view.parts[0].diff == ()


def test_a_part_without_a_counterpart_has_no_difference() -> None:
    other = make_step(0, parts=())
    run = failed(says(0, "alone"))
    assert Side(run, Marks()).view(run.steps[0], against=other).parts[0].diff == ()


@pytest.mark.parametrize(
    ("kind", "actor", "observed"),
    [
        (PartKind.TOOL_RESPONSE, ActorKind.AGENT, True),
        (PartKind.VERIFICATION, ActorKind.AGENT, True),
        (PartKind.MESSAGE, ActorKind.AGENT, False),
        (PartKind.INTERPRETATION, ActorKind.AGENT, False),
        (PartKind.INPUT, ActorKind.AGENT, False),
        (PartKind.INPUT, ActorKind.ENVIRONMENT, True),
    ],
)
def test_what_was_seen_is_told_from_what_was_said(
    kind: PartKind, actor: ActorKind, observed: bool
) -> None:
    assert part_of(Part(kind, "x"), actor).observed is observed


def test_every_kind_of_part_has_a_label() -> None:
    assert set(sides.LABELS) == set(PartKind)


def test_facts_are_shown_in_order_without_empty_ones() -> None:
    data = {"verdict": "failed", "check": "works", "expected": "", "accepted": None, "to": [],
            "side_effects": "wrote a\u202eb", "secret": "no", "observed": 0}  # fmt: skip
    assert part_of(Part(PartKind.VERIFICATION, "", data)).facts == (
        ("side effects", "wrote a⟨U+202E⟩b"),
        ("check", "works"),
        ("verdict", "failed"),
        ("observed", "0"),
    )


@pytest.mark.parametrize(
    ("rejected", "shown"),
    [
        ([{"option": "v2", "reason": "too new\x1b"}], (("v2", "too new⟨U+001B⟩"),)),
        ([{"option": "v2"}, {}, "v3", None], (("v2", ""), ("", ""))),
        ("v2", ()),
        ({"option": "v2"}, ()),
        (None, ()),
        (7, ()),
    ],
)
def test_rejected_options_whatever_shape_they_have(rejected: Any, shown: Any) -> None:
    part = Part(PartKind.DECISION, "x", {"rejected": rejected})
    assert part_of(part).rejected == shown


def test_capture_states_of_a_part_are_sorted() -> None:
    part = Part(PartKind.TOOL_REQUEST, "", capture={"text": "withheld", "items": "absent"})
    assert part_of(part).capture == (("items", "absent"), ("text", "withheld"))


def test_actors_of_one_role_share_a_colour_and_name_their_instance() -> None:
    actors = [Actor(f"coder/{n}", "coder", ActorKind.AGENT, f"coder/{n}") for n in (1, 2)]
    owner = Actor("owner\x07", "owner\x07", ActorKind.HUMAN)
    run = failed(
        says(0, "a", "owner\x07"), says(1, "b", "coder/1"), says(2, "c", "coder/2"),
        actors=(owner, *actors),
    )  # fmt: skip
    views = [Side(run, Marks()).view(step) for step in run.steps]
    assert [(v.role, v.instance, v.colour) for v in views] == [
        ("owner⟨U+0007⟩", "", 0),
        ("coder", "1", 1),
        ("coder", "2", 1),
    ]


def test_there_are_eight_colours_and_silent_actors_take_none() -> None:
    silent = Actor("silent", "silent", ActorKind.AGENT)
    named = [Actor(f"a{n}", f"a{n}", ActorKind.AGENT) for n in range(9)]
    run = failed(*(says(n, "x", f"a{n}") for n in range(9)), actors=(silent, *named))
    side = Side(run, Marks())
    assert [side.view(step).colour for step in run.steps] == [0, 1, 2, 3, 4, 5, 6, 7, 0]


def test_a_step_shows_its_inputs_and_its_gaps() -> None:
    inferred = Link(1, 2, LinkKind.FOLLOWS, "same actor")
    gap = Gap("missing_parent", "It refers to s9.", 2)
    run = failed(
        *(says(n, "x") for n in range(3)),
        links=(consumes(0, 2), inferred),
        gaps=(gap, Gap("no_times", "None.")),
    )
    views = [Side(run, Marks()).view(step) for step in run.steps]
    assert [view.inputs for view in views] == [(), (), (consumes(0, 2), inferred)]
    assert [view.gaps for view in views] == [(), (), (gap,)]


def timed(*at: datetime | None, **fields: Any) -> list[str]:
    steps: tuple[Step, ...] = tuple(
        replace(says(n, "x"), started_at=time) for n, time in enumerate(at)
    )
    run = failed(*steps, **fields)
    side = Side(run, Marks())
    return [side.view(step).offset for step in run.steps]


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

from __future__ import annotations

from dataclasses import replace

import pytest

from attribution.alignment.canonical import HEAD, TAIL, State, canonical_steps, masked
from tests.attribution.scenes import actors, calls, changes, decides, failed, says, thinks
from tests.factories import make_step
from traces.facts import fact_lines, with_facts
from traces.transcript import Part, PartKind, StepKind, StepStatus


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no digits here", "no digits here"),
        ("id 6f1c2b9e-0a1b-4c3d-8e4f-5a6b7c8d9e0f.", "id <uuid>."),
        ("at 2026-11-03T13:22:41.138Z exactly", "at <time> exactly"),
        ("at 2026-11-03 13:22 exactly", "at <time> exactly"),
        ("due 2026-11-03", "due 2026-11-03"),
        ("it is 13:24 now", "it is <clock> now"),
        ("merge 44e39e91 done", "merge <hash> done"),
        ("sha256:57e460696e29e9c2 it is", "<hash> it is"),
        ("wrote /tmp/pytest-of-x/run1/out.txt, ok", "wrote <temp>, ok"),
        ("call_4aad1d0b answered", "<call> answered"),
        ("since 1764408000 s", "since <epoch> s"),
        ("12 of 4711 bookings, 2026", "12 of 4711 bookings, 2026"),
        ("defaced facade", "defaced facade"),
    ],
)
def test_volatile_values_are_masked_and_others_kept(text: str, expected: str):
    assert masked(text) == expected


def test_arguments_are_sorted_by_name_and_equal_whatever_their_order():
    one, other = (
        calls(0, "run", b="2", a={"y": 1, "x": 2}),
        calls(1, "run", a={"x": 2, "y": 1}, b="2"),
    )

    first, second = canonical_steps(failed(one, other))

    assert first.arguments == (("a", '{"x": 2, "y": 1}'), ("b", "2"))
    assert first.key == second.key


@pytest.mark.parametrize("text", ["ls -l /srv", '{"broken": ', "[1, 2]"])
def test_a_request_that_is_no_object_is_one_unnamed_argument(text: str):
    request = Part(PartKind.TOOL_REQUEST, text, {"tool": "shell"})
    step = make_step(0, "coder", kind=StepKind.TOOL, parts=(request,))

    (only,) = canonical_steps(failed(step))

    assert only.tool == "shell"
    assert only.arguments == (("", text),)


def test_a_choice_is_its_chosen_option_and_a_state_what_it_became():
    choice, state = canonical_steps(
        failed(decides(0, "wait", rejected=("go", "stop")), changes(1, "plan", "plan@3"))
    )

    assert (choice.decision, choice.rejected) == ("wait", ("go", "stop"))
    assert state.states == (State("plan", "plan", "now plan@3"),)


def test_a_status_is_kept_only_if_the_step_ended_badly():
    fine, bad = calls(0, "run", status="ok"), calls(1, "run", status="timeout")
    cancelled = says(2, "Stop.", status=StepStatus.CANCELLED)

    assert [step.status for step in canonical_steps(failed(fine, bad, cancelled))] == [
        "",
        "timeout",
        "cancelled",
    ]


def test_a_long_text_is_compared_at_both_ends():
    middle = "x" * 100_000
    (one,) = canonical_steps(failed(says(0, f"begin {middle} end")))
    (other,) = canonical_steps(failed(says(0, f"begin {middle} other end")))

    assert len(one.text) <= HEAD + TAIL + 3
    assert one.text.startswith("begin")
    assert one.text != other.text


def test_durations_are_no_words_of_a_text():
    one, other = canonical_steps(failed(says(0, "4 passed in 9.31s"), says(1, "4 passed in 12 s")))

    assert one.text == other.text == "4 passed in <duration>"


def test_a_thought_is_compared_only_if_there_is_nothing_else():
    thought = Part(PartKind.INTERPRETATION, "I wonder.")
    both = make_step(0, parts=(thought, Part(PartKind.MESSAGE, "Sent.")))

    spoken, silent = canonical_steps(failed(both, thinks(1, "I wonder.")))

    assert (spoken.text, spoken.only_thought) == ("Sent.", False)
    assert (silent.text, silent.only_thought) == ("I wonder.", True)


def test_agents_and_people_act_and_others_do_not():
    kinds = actors(planner="agent", owner="human", shell="tool", grader="evaluator")
    steps = (says(n, "x", actor.key) for n, actor in enumerate(kinds))

    found = canonical_steps(failed(*steps, actors=kinds))

    assert [step.by_agent for step in found] == [True, True, False, False]


def test_an_option_without_words_is_none():
    part = Part(PartKind.DECISION, "So.", {"chosen": "a", "rejected": ["b", {"reason": "c"}]})

    (only,) = canonical_steps(failed(make_step(0, parts=(part,))))

    assert only.rejected == ()


def test_facts_in_a_text_change_nothing_of_what_is_compared():
    request = Part(PartKind.TOOL_REQUEST, '{"q":"x"}', {"tool": "grep", "environment": "ci"})
    choice = Part(PartKind.DECISION, "Wait.", {"chosen": "wait", "decided_by": "planner@4"})
    state = Part(PartKind.STATE, "now v1", {"artifact": "plan", "after": "v1", "rule": "last"})
    plain = make_step(0, kind=StepKind.TOOL, parts=(request, choice, state))
    cited = replace(plain, parts=tuple(map(stating_facts, plain.parts)))

    assert cited.parts[0].text == '{"q":"x"}\n\nenvironment: ci'
    assert canonical_steps(failed(cited)) == canonical_steps(failed(plain))


def stating_facts(part: Part) -> Part:
    return replace(part, text=with_facts(part.text, fact_lines(part.data)))

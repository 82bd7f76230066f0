"""Steps, links and gaps are the same in whatever order a format finds them."""

from __future__ import annotations

import random

import pytest

from traces.formats.steps.building import SENT_AGAIN, Builder, Draft
from traces.transcript import (
    ActorKind,
    Fate,
    Link,
    LinkKind,
    Opinion,
    Part,
    PartKind,
    Report,
    StepKind,
    Transcript,
)

HEADER = Transcript("run-1", "test", (), ())


def draft(name: str, *order: int, text: str = "", pointer: str = "") -> Draft:
    part = Part(PartKind.MESSAGE, text or name)
    return Draft(name, "agent", StepKind.MESSAGE, [part], order or (0,), pointer or f"/{name}")


def built(*drafts: Draft) -> Builder:
    builder = Builder()
    builder.actor("agent")
    for each in drafts:
        builder.add(each)
    return builder


def gaps(transcript: Transcript) -> list[tuple[str, int | None]]:
    return [(gap.kind, gap.step) for gap in transcript.gaps]


def test_a_link_from_what_never_came_is_a_gap() -> None:
    builder = built(draft("a", 0))
    builder.link("lost", "a", LinkKind.CONSUMES)
    builder.link("guessed", "a", LinkKind.FOLLOWS, "a rule")
    transcript = builder.transcript(HEADER)
    assert transcript.links == ()
    assert gaps(transcript) == [("missing_parent", 0)]
    assert "lost" in transcript.gaps[0].detail


def test_a_step_does_not_follow_itself() -> None:
    builder = built(draft("a", 0))
    builder.link("a", "a", LinkKind.FOLLOWS)
    assert builder.transcript(HEADER).links == ()


def test_steps_that_wait_for_each_other_are_ordered_and_a_gap_says_so() -> None:
    builder = built(draft("a", 0), draft("b", 1))
    builder.link("a", "b", LinkKind.CONSUMES)
    builder.link("b", "a", LinkKind.CONSUMES)
    transcript = builder.transcript(HEADER)
    assert [step.source_id for step in transcript.steps] == ["a", "b"]
    assert transcript.links == (Link(0, 1, LinkKind.CONSUMES),)
    assert gaps(transcript) == [("cycle", None)]


def test_another_step_with_the_same_id_is_kept_beside_it() -> None:
    builder = built(draft("a", 0), draft("a", 1, text="else"), draft("a", 2, text="more"))
    transcript = builder.transcript(HEADER)
    assert [step.source_id for step in transcript.steps] == ["a", "a#2", "a#3"]
    assert gaps(transcript) == [("duplicate_step", 1), ("duplicate_step", 2)]


def test_the_same_step_sent_again_is_folded_and_its_place_kept() -> None:
    builder = built(draft("a", 0), draft("a", 0, pointer="/again"))
    transcript = builder.transcript(HEADER)
    assert [step.also_from for step in transcript.steps] == [("/again",)]
    assert transcript.folded == {SENT_AGAIN: 1}


def test_a_step_that_has_its_answer_by_now_is_the_same_step() -> None:
    builder = built(draft("a", 0))
    builder.drafts["a"].parts.append(Part(PartKind.TOOL_RESPONSE, "found"))
    known = builder.add(draft("a", 0))
    assert known.parts[1].text == "found"
    assert len(builder.transcript(HEADER).steps) == 1


@pytest.mark.parametrize("seed", range(10))
def test_links_come_before_the_sources_order_and_arrival_does_not_matter(seed: int) -> None:
    drafts = [draft("late", 0), draft("first", 5), draft("mid", 7), draft("last", 9)]
    random.Random(seed).shuffle(drafts)
    builder = built(*drafts)
    builder.link("first", "late", LinkKind.CONSUMES)
    transcript = builder.transcript(HEADER)
    assert [step.source_id for step in transcript.steps] == ["first", "late", "mid", "last"]
    assert [step.number for step in transcript.steps] == [0, 1, 2, 3]


def test_what_is_recorded_is_not_inferred_as_well() -> None:
    builder = built(draft("a", 0), draft("b", 1))
    builder.link("a", "b", LinkKind.FOLLOWS, "a rule")
    builder.link("a", "b", LinkKind.FOLLOWS)
    assert builder.transcript(HEADER).links == (Link(0, 1, LinkKind.FOLLOWS),)


def test_predecessors_are_guessed_only_where_asked() -> None:
    steps = [draft("a", 0), draft("b", 1)]
    assert built(*steps).transcript(HEADER).links == ()
    (guess,) = built(*steps).transcript(HEADER, follows="actor").links
    assert (guess.source, guess.target, guess.recorded) == (0, 1, False)


def test_what_is_said_of_a_step_gets_its_number() -> None:
    builder = built(draft("b", 2), draft("a", 1))
    last = builder.drafts["b"]
    builder.gap("empty_content", "Nothing.", last)
    builder.report(Report("done", "agent"), last)
    builder.opinion(Opinion("judge", "b", 0, None, ""), "b")
    builder.opinion(Opinion("judge", "9", 0, None, ""), "lost")
    builder.record("/c", Fate.CONTEXT, "metadata", last)
    transcript = builder.transcript(HEADER)
    assert gaps(transcript) == [("empty_content", 1)]
    assert [report.step for report in transcript.reports] == [1]
    assert [opinion.step for opinion in transcript.opinions] == [1, None]
    assert [(r.pointer, r.fate, r.step) for r in transcript.records] == [("/c", Fate.CONTEXT, 1)]


def test_what_is_known_of_an_actor_stays_and_what_is_open_may_come_later() -> None:
    builder = Builder()
    builder.actor("a", ActorKind.AGENT, role="planner", model="m-1")
    builder.actor("a", ActorKind.TOOL, model="m-2", instance="7")
    (actor,) = builder.transcript(HEADER).actors
    assert (actor.role, actor.kind, actor.model, actor.instance) == (
        "planner",
        ActorKind.AGENT,
        "m-1",
        "7",
    )


def test_counts_are_sorted_by_their_names() -> None:
    builder = Builder()
    for name in ("b", "a", "b"):
        builder.fold(name)
        builder.unread[name] += 1
    transcript = builder.transcript(HEADER)
    assert list(transcript.folded.items()) == [("a", 1), ("b", 2)]
    assert list(transcript.unread.items()) == [("a", 1), ("b", 2)]


def test_a_hundred_thousand_steps_take_seconds() -> None:
    builder = Builder()
    builder.actor("agent")
    for number in range(100_000):
        builder.add(draft(str(number), number))
        builder.link(str(number - 1), str(number), LinkKind.FOLLOWS)
    assert len(builder.transcript(HEADER).links) == 99_999

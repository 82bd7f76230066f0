from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from attribution import parts
from attribution.alignment.part_pairs import counterparts
from attribution.parts import LABELS, Before, Folded, PartView, Showing
from tests.attribution.scenes import sample
from tests.factories import make_step
from traces.display import MOST
from traces.facts import fact_lines, with_facts
from traces.payload_views import PayloadView
from traces.transcript import Actor, ActorKind, Part, PartKind


def parts_of(
    *given: Part, against: tuple[Part, ...] = (), cited: Any = (), actor: str = "agent"
) -> tuple[PartView, ...]:
    """How the parts of a step are shown, beside a step of other parts."""
    own = Actor(key="a", role="a", kind=ActorKind(actor))
    step = make_step(0, "a", parts=given)
    others = counterparts(step, make_step(0, "a", parts=against))
    return tuple(
        parts.view(part, at, observed=part.is_observation(own), cited=cited, other=other)
        for at, (part, other) in enumerate(zip(given, others, strict=True))
    )


def part_of(part: Part, actor: str = "agent", cited: Any = ()) -> PartView:
    (only,) = parts_of(part, actor=actor, cited=cited)
    return only


def stating(kind: PartKind, text: str, **data: Any) -> Part:
    """A part whose text ends with its facts."""
    return Part(kind, with_facts(text, fact_lines(data)), data)


def before(view: PartView) -> str:
    return "".join(text for op, text in view.diff if op != "insert")


def after(view: PartView) -> str:
    return "".join(text for op, text in view.diff if op != "delete")


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (Part(PartKind.MESSAGE, "a 1"), Part(PartKind.DECISION, "a 2")),
        (Part(PartKind.MESSAGE, "a 1"), Part(PartKind.MESSAGE, "a 1")),
        (Part(PartKind.MESSAGE, "a 1" * 1400), Part(PartKind.MESSAGE, "a 2")),
        (
            Part(PartKind.STATE, "a 1", {"artifact": "plan"}),
            Part(PartKind.STATE, "a 2", {"artifact": "code"}),
        ),
    ],
)
def test_no_difference_is_shown_where_it_would_not_read(theirs: Part, ours: Part) -> None:
    (view,) = parts_of(ours, against=(theirs,))
    assert view.diff == ()


def test_a_part_without_a_counterpart_is_shown_plain() -> None:
    one, two = Part(PartKind.MESSAGE, "one"), Part(PartKind.MESSAGE, "two")
    assert [view.diff for view in parts_of(one, two, against=(one,))] == [(), ()]


def test_parts_are_compared_by_kind_and_states_by_artifact() -> None:
    def state(artifact: str, text: str) -> Part:
        return Part(PartKind.STATE, text, {"artifact": artifact})

    request = Part(PartKind.TOOL_REQUEST, "ls /old", {"tool": "sh"})
    theirs = (state("plan", "plan 1"), request, state("code", "code 1"))
    ours = (
        Part(PartKind.TOOL_REQUEST, "ls /new"),
        state("code", "code 2"),
        state("plan", "plan 2"),
    )
    first, second, third = parts_of(*ours, against=theirs)
    assert (before(first), after(first)) == ("ls /old", "ls /new")
    assert before(second).startswith("code 1")
    assert before(third).startswith("plan 1")


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
    assert set(LABELS) == set(PartKind)


def test_facts_are_shown_in_order_and_cannot_be_cited_from_outside_the_text() -> None:
    data = {"verdict": "failed", "check": "works", "expected": "", "side_effects": "wrote a\u202eb"}
    view = part_of(Part(PartKind.VERIFICATION, "It failed.", data))
    assert [(fact.label, fact.value, fact.start) for fact in view.facts] == [
        ("side effects", "wrote a⟨U+202E⟩b", None),
        ("check", "works", None),
        ("verdict", "failed", None),
    ]
    assert [piece.mark for piece in view.facts[0].pieces] == ["", "U+202E", ""]
    assert (view.value.html, view.value.start) == ("It failed.", 0)


def test_a_fact_in_the_text_is_shown_apart_and_can_be_cited() -> None:
    part = stating(PartKind.DECISION, "Take theirs.", chosen="merge-queue@2 rule 3")
    at = part.text.index("rule 3")
    view = part_of(part, cited=[(0, 4), (at, at + 6)])
    (fact,) = view.facts
    assert view.value.html == '<mark class="cite">Take</mark> theirs.'
    assert fact.start == part.text.index("merge-queue")
    assert [(piece.text, piece.cited) for piece in fact.pieces] == [
        ("merge-queue@2 ", False),
        ("rule 3", True),
    ]
    assert fact.pieces[1].start == at


@pytest.mark.parametrize("apart", [False, True])
def test_a_very_long_fact_is_cut_and_its_rest_counted(apart: bool) -> None:
    part = stating(PartKind.DECISION, "Take it.", chosen="y" * 100_000)
    view = part_of(replace(part, text="Take it.") if apart else part)
    (fact,) = view.facts
    assert (len(fact.pieces[0].text), fact.hidden) == (MOST, 100_000 - MOST)


@pytest.mark.parametrize("apart", [False, True])
def test_a_difference_covers_the_facts_wherever_a_format_keeps_them(apart: bool) -> None:
    one, other = (stating(PartKind.STATE, "x", artifact="plan", after=v) for v in ("v1", "v2"))
    if apart:
        one, other = replace(one, text="x"), replace(other, text="x")
    (view,) = parts_of(other, against=(one,))
    assert [text for op, text in view.diff if op != "equal"] == ["v1", "v2"]
    assert after(view) == "x\n\nartifact: plan\nafter: v2"
    assert view.facts == ()


def test_every_fact_of_the_sample_runs_stands_at_its_place() -> None:
    run = sample("merge-conflict-failed")
    found = 0
    for _, position, part in run.citable():
        for fact in parts.view(part, position, observed=True, cited=(), other=None).facts:
            assert fact.start is not None
            assert part.text[fact.start :].startswith("".join(p.text for p in fact.pieces))
            found += 1
    assert found > len(run.steps)


def test_capture_states_of_a_part_are_sorted() -> None:
    part = Part(PartKind.TOOL_REQUEST, "", capture={"text": "withheld", "items": "absent"})
    assert part_of(part).capture == (("items", "absent"), ("text", "withheld"))


DIGEST = "0123456789abcdef" * 4


def payload_views(*references: dict[str, object]) -> tuple[PayloadView, ...]:
    data = {"payload": references[0], "payloads": list(references[1:])}
    part = Part(PartKind.MESSAGE, "text", data)
    return parts_of(part)[0].payloads


def test_a_payload_is_told_by_type_size_and_digest():
    stored = {"media_type": "image/png", "size": 1_234, "sha256": DIGEST, "stored": True}
    assert payload_views(stored, stored) == (
        PayloadView("image/png", "1,234 bytes", DIGEST, stored=True),
    )


@pytest.mark.parametrize("sha256", ["../../secret", DIGEST.upper(), f"{DIGEST}\n", "\u202e" * 64])
def test_no_address_is_made_of_what_is_no_digest(sha256):
    (shown,) = payload_views({"sha256": sha256, "stored": True, "size": "big"})
    assert not shown.stored
    assert (shown.media_type, shown.size) == ("unknown type", "size unknown")
    assert "\u202e" not in shown.sha256


def shown(part: Part, mode: str = "", **more: Any) -> PartView:
    """The part as a row of a page shows it to somebody who wants this kind in this mode."""
    showing = Showing("/run/steps/3/parts/", {part.kind.value: mode} if mode else {})
    return parts.view(part, 0, observed=False, cited=(), other=None, showing=showing, **more)


def test_raw_is_the_text_to_the_character_with_its_facts() -> None:
    part = stating(PartKind.DECISION, "**Take** theirs.", chosen="rule 3")
    assert shown(part).value.html == "<p><strong>Take</strong> theirs.</p>"
    raw = shown(part, "raw")
    assert (raw.value.html, raw.value.start, raw.facts) == (part.text, 0, ())


def test_json_shows_the_text_or_else_the_data() -> None:
    assert "<b>path</b>" in shown(Part(PartKind.STATE, '{"path": 1}', {"x": 1}), "json").value.html
    view = shown(Part(PartKind.STATE, "words", {"x": [{}, {}, {}, {}, {}]}), "json")
    assert "as=json&amp;of=data&amp;path=/x" in view.value.html
    assert shown(Part(PartKind.STATE, "words"), "json").value.html == "words"


def test_what_the_actor_had_before_is_folded_and_counted() -> None:
    earlier = "one\ntwo\nthree\n"
    view = shown(Part(PartKind.INPUT, earlier + "four"), before=Before(earlier, 12))
    assert (view.folded, view.value.html, view.value.start) == (Folded(3, 12), "four", 14)
    assert shown(Part(PartKind.INPUT, earlier), before=Before("two", 12)).folded is None


def test_a_citation_among_what_is_folded_is_shown_apart() -> None:
    earlier, text = "one\ntwo\nthree\n", "one\ntwo\nthree\nfour"
    view = parts.view(
        Part(PartKind.INPUT, text),
        0,
        observed=False,
        cited=[(4, 7)],
        other=None,
        before=Before(earlier, 2),
    )
    (excerpt,) = view.value.excerpts
    assert (excerpt.where, excerpt.start) == ("cited above", 0)
    assert '<mark class="cite">two</mark>' in excerpt.html


def test_a_state_is_shown_as_what_changed_in_it() -> None:
    data = {
        "artifact": "plan",
        "before": {"a": 1, "b": 2, "c": 3},
        "after": {"a": 1, "b": 5, "d": 4},
    }
    view = shown(stating(PartKind.STATE, "Changed.", **data))
    assert view.change == (
        '<ul class="tree changes"><li><b>b</b> <del>2</del> <ins>5</ins></li>'
        "<li><b>c</b> <del>3</del></li><li><b>d</b> <ins>4</ins></li>"
        '<li class="soft">1 unchanged</li></ul>'
    )
    assert [fact.label for fact in view.facts] == ["artifact"]
    assert view.value.modes == ("rendered", "raw")


def test_how_a_tool_fared_is_one_line() -> None:
    data = {"status": "error", "exit_code": 2, "duration_ms": 1_250, "timed_out": True}
    view = shown(Part(PartKind.TOOL_RESPONSE, "no", data))
    assert view.told == "status error · exit code 2 · timed out · took 1.2 s"
    assert shown(Part(PartKind.TOOL_REQUEST, "no", data)).told == ""


def test_a_part_knows_its_address_and_that_of_its_run() -> None:
    view = shown(Part(PartKind.MESSAGE, "x"))
    assert (view.address, view.run_address) == ("/run/steps/3/parts/0/", "/run/")

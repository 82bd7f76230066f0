from __future__ import annotations

from django.http import QueryDict
from django.template.loader import render_to_string

from attribution.above import FilterForm
from attribution.filters import Filter, listing
from attribution.place import Place
from tests.attribution.scenes import says
from tests.attribution.test_filters import SCENE
from tests.factories import make_transcript
from traces.outline import Outline, outline_of


def form(query: str, run: Outline = SCENE, *, unread: int = 0) -> FilterForm:
    given = QueryDict(query)
    wanted = Filter.from_query(given)
    return FilterForm(run, wanted, listing(run, wanted), Place.from_query(given), unread=unread)


def drawn(query: str, run: Outline = SCENE, *, unread: int = 0) -> str:
    context = {"filter_form": form(query, run, unread=unread)}
    return render_to_string("attribution/_filters.html", context)


def offered(query: str, name: str, run: Outline = SCENE) -> list[tuple[str, int, bool]]:
    group = next(group for group in form(query, run).groups if group.name == name)
    return [(choice.label, choice.steps, choice.chosen) for choice in group.choices]


CROWD = outline_of(make_transcript(*(says(n, "x", f"agent-{n % 5000}") for n in range(5_003))))


def test_a_hostile_name_is_escaped_and_cut() -> None:
    run = outline_of(make_transcript(says(0, "x", "<b>\u202e" + "y" * 150), says(1, "x", "b")))
    page = drawn("actor=b", run)
    assert "<b>" not in page.replace("<b>1</b>", "")
    assert "⟨U+202E⟩" in page
    assert "y" * 100 + "…" not in page


def test_who_is_nobody_is_said() -> None:
    assert "no actor is called “nobody”" in drawn("actor=nobody&actor=planner")
    assert "no actor is called" not in drawn("actor=plan")


def test_choices_come_with_how_many_steps_they_have() -> None:
    """Counted by hand in the scene."""
    assert offered("actor=coder", "actor") == [
        ("planner", 2, False),
        ("other", 5, False),
        ("coder", 2, True),
        ("checker", 1, False),
    ]
    assert offered("", "kind") == [
        ("message", 7, False),
        ("tool", 2, False),
        ("verification", 1, False),
    ]
    assert offered("part=error", "part") == [
        ("message", 7, False),
        ("tool request", 2, False),
        ("tool response", 2, False),
        ("verification", 1, False),
        ("error", 0, True),
    ]
    assert offered("", "status") == [
        ("failed", 2, False),
        ("retry", 1, False),
        ("ok", 1, False),
        ("timeout", 1, False),
        ("not captured", 8, False),
    ]


def test_of_very_many_actors_the_busiest_are_offered() -> None:
    group = form("", CROWD).groups[0]
    assert len(group.choices) == 20
    assert [choice.label for choice in group.choices[:4]] == [
        "agent-0",
        "agent-1",
        "agent-2",
        "agent-3",
    ]
    assert group.choices[0].steps == 2
    assert group.further == 4_980
    assert len(drawn("", CROWD)) < 12_000


def test_who_is_asked_for_is_offered_too() -> None:
    assert offered("actor=agent-4999&actor=T-49", "actor", CROWD)[-2:] == [
        ("T-49", 111, True),
        ("agent-4999", 1, True),
    ]


def test_the_form_keeps_what_else_the_address_holds() -> None:
    page = drawn("with=none&step=3&find=x&actor=coder&open=1-2&seen=1")
    assert form("with=none&step=3&find=x&actor=coder&open=1-2&seen=1").fields == [
        ("with", "none"),
        ("find", "x"),
        ("seen", "1"),
        ("step", "3"),
    ]
    assert '<input type="hidden" name="with" value="none">' in page
    assert '<a href="?with=none&amp;find=x&amp;seen=1&amp;step=3">clear</a>' in page
    assert '<input type="checkbox" name="actor" value="coder" checked>' in page


def test_hits_what_is_greyed_and_what_is_folded_are_counted() -> None:
    page = drawn("status=failed&open=1-1")
    assert "<b>2</b> hits · 3 greyed · 1 opened" in page
    assert "· 4 folded" in page
    assert '<a href="?status=failed">fold again</a>' in page
    assert "folded" not in drawn("step=3")


def test_what_could_not_be_searched_is_said() -> None:
    assert "2 payloads could not be searched whole" in drawn("text=x", unread=2)

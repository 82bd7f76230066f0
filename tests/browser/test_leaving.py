"""Leaving a field, a fold or a narrow screen's top for the trace, and what stays behind."""

from __future__ import annotations

import pytest

from tests.factories import make_project, make_run, make_step, make_transcript

OPEN = "document.querySelectorAll('.heads details[open]').length"
# Whether the head of the selected step is what stands at its place on the screen.
IN_SIGHT = """() => {
    const step = document.querySelector("article.sel");
    const box = step.getBoundingClientRect();
    return step.contains(document.elementFromPoint(box.left + 40, box.top + 12));
}"""


@pytest.fixture
def address() -> str:
    steps = (
        make_step(n, ("planner", "coder")[n % 2], f"Ship {n} of the fleet.") for n in range(12)
    )
    return f"/p/demo/runs/{make_run(make_project(), make_transcript(*steps)).pk}/"


@pytest.fixture
def vera(people, address):
    person = people("vera")
    person.goes_to(address)
    person.page.locator("article#s0.sel").wait_for()
    return person


def test_escape_keeps_a_search_that_found_something(vera):
    vera.presses("/")
    vera.page.keyboard.type("fleet")
    vera.presses("Enter")
    vera.sees_in("#found", "1 of 12")
    vera.presses("Escape")
    assert vera.page.evaluate("document.activeElement.id") == "s0"
    vera.presses(";")
    vera.sees_in("#found", "2 of 12")
    vera.presses("/", "Backspace")
    vera.page.locator("#found:empty").wait_for(state="attached")
    assert "find=" not in vera.page.url


def test_escape_drops_words_that_were_not_looked_for(vera):
    vera.presses("j", "/")
    vera.page.keyboard.type("fle")
    vera.presses("Escape")
    vera.page.locator("article#s1:focus").wait_for()
    assert vera.page.locator("#find [name=q]").input_value() == ""


def test_a_fold_over_the_trace_closes_by_escape_and_by_going_elsewhere(vera):
    vera.presses("q", "Enter")
    assert vera.page.evaluate(OPEN) == 1
    vera.presses("Escape")
    assert vera.page.evaluate(OPEN) == 0
    assert vera.page.evaluate("document.activeElement.localName") == "summary"
    vera.presses("Enter")
    assert vera.page.evaluate(OPEN) == 1
    vera.page.locator("#where").click()
    assert vera.page.evaluate(OPEN) == 0


def test_a_narrow_page_scrolls_to_the_step_that_a_key_selects(vera, address):
    vera.page.set_viewport_size({"width": 720, "height": 450})
    vera.goes_to(address)
    vera.page.locator("article#s0.sel").wait_for()
    for _ in range(4):
        vera.presses("j")
        assert vera.page.evaluate(IN_SIGHT)


def test_what_stands_beside_is_below_on_a_narrow_page(vera, address):
    vera.page.set_viewport_size({"width": 720, "height": 450})
    vera.goes_to(f"{address}?with=step:3")
    beside = vera.page.locator("#beside").bounding_box()
    assert beside
    assert beside["width"] == 720

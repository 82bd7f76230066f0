"""The trace browser in a real Chromium: windows, places, comparison, filters, search, values."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import pytest

from attribution import comparing
from tests.factories import make_project, make_run, make_step, make_transcript
from traces.transcript import Link, LinkKind, Outcome, Part, PartKind, StepKind, StepStatus

STEPS = 400
MANY = "document.querySelectorAll('*').length"
WHERE = re.compile(r"^steps #(\d+)–#(\d+) of 400$")
MARKDOWN = "# Plan\n\n- read the **ticket**\n- [do it](https://elsewhere.example/x)\n"


def transcript(name: str, outcome: Outcome, odd: int):
    """A planner and a coder in turn; the step `odd` differs between the two runs."""
    steps = []
    for n in range(STEPS):
        given = {"status": StepStatus.ERROR} if n == 250 else {}
        steps.append(make_step(n, ("planner", "coder")[n % 2], f"Step {n} does its part.", **given))
    asked = (Part(PartKind.TOOL_REQUEST, json.dumps({"path": f"src/{name}.py"})),)
    steps[odd] = make_step(odd, "planner", kind=StepKind.TOOL, tool="write", parts=asked)
    steps[5] = make_step(5, "coder", parts=(Part(PartKind.MESSAGE, MARKDOWN),))
    steps[7] = make_step(
        7,
        "coder",
        kind=StepKind.TOOL,
        tool="read",
        parts=(Part(PartKind.TOOL_RESPONSE, "\n".join(f"line {n}" for n in range(600))),),
    )
    links = tuple(Link(a, b, LinkKind.CONSUMES) for a, b in pairwise(range(STEPS)))
    return make_transcript(*steps, links=links, external_id=name, outcome=outcome)


@pytest.fixture
def address() -> str:
    project = make_project()
    good = make_run(project, transcript("good", Outcome.SUCCEEDED, odd=300))
    run = make_run(project, transcript("bad", Outcome.FAILED, odd=300))
    comparing.compare(run, good)
    return f"/p/demo/runs/{run.pk}/"


@pytest.fixture
def vera(people, address):
    person = people("vera")
    person.goes_to(address)
    person.page.locator("article#s0.sel").wait_for()
    return person


def where(person) -> tuple[int, int]:
    match = WHERE.match(person.page.locator("#where").text_content())
    assert match
    return int(match[1]), int(match[2])


def settles_at(person, step: int) -> None:
    """Until the step is selected, drawn and counted among those in view."""
    person.page.locator(f"article#s{step}.sel").wait_for()
    person.page.wait_for_function(
        """step => {
            const match = /#(\\d+)–#(\\d+)/.exec(document.getElementById("where").textContent);
            return Number(match[1]) <= step && step <= Number(match[2]);
        }""",
        arg=step,
    )


def test_any_step_is_reached_and_few_rows_are_kept(vera):
    pane = vera.page.locator("#browser")
    pane.evaluate("pane => { pane.scrollTop = pane.scrollHeight * 0.5; }")
    vera.page.wait_for_function("() => document.querySelector('.chunk').dataset.first > 100")
    for _ in range(25):
        vera.page.mouse.move(300, 600)
        vera.page.mouse.wheel(0, 1500)
        vera.page.wait_for_timeout(40)
        assert vera.page.evaluate(MANY) <= 3_000
    vera.presses("$")
    settles_at(vera, STEPS - 1)
    vera.presses("0")
    settles_at(vera, 0)
    numbers = [int(each) for each in vera.page.locator("article[id^=s]").evaluate_all(
        "all => all.map(one => one.dataset.step)")]  # fmt: skip
    assert numbers == list(range(len(numbers)))


def test_jumps_back_forward_and_copied_links_land_on_the_same_step(vera, people):
    vera.presses(">")
    settles_at(vera, 250)
    vera.presses(".")
    settles_at(vera, STEPS - 1)
    vera.page.go_back()
    settles_at(vera, 250)
    vera.page.go_forward()
    settles_at(vera, STEPS - 1)
    vera.presses("u")
    settles_at(vera, STEPS - 2)
    copied = vera.page.url
    other = people("ben")
    other.page.goto(copied)
    settles_at(other, STEPS - 2)


def test_a_divergence_is_gone_to_and_says_what_differs(vera):
    vera.presses("]")
    settles_at(vera, 300)
    row = vera.page.locator(".row.at")
    assert "first divergence" in row.locator(".explain").text_content()
    assert "argument `path` differs" in row.locator(".explain").text_content()


def test_both_sides_scroll_apart_and_together_again(vera):
    vera.presses("y")
    vera.page.wait_for_url(re.compile("lock=off"))
    beside = vera.page.locator("#beside")
    beside.evaluate("pane => { pane.scrollTop = pane.scrollHeight; }")
    vera.page.locator(f"#beside article#r{STEPS - 1}").wait_for()
    assert vera.page.locator("article#s0").count() == 1
    vera.presses("y")
    vera.page.wait_for_url(lambda url: "lock" not in url)
    vera.page.locator(".row article#r0").wait_for()


def test_what_stands_beside_is_chosen_from_a_menu(vera):
    vera.presses("b")
    vera.page.get_by_text("The raw source of the selected step").click()
    vera.page.wait_for_url(re.compile("with=raw"))
    vera.page.locator("#beside-content").wait_for()
    vera.presses("j")
    vera.page.locator("#beside-content", has_text="#1").wait_for()


def test_a_filter_keeps_hits_in_place_and_counts_the_rest(vera, address):
    vera.goes_to(f"{address}?status=failed")
    settles_at(vera, 250)
    assert vera.page.locator("article[id^=s]:not(.grey)").count() == 1
    vera.page.locator(".folded a").first.click()
    vera.page.wait_for_url(re.compile("open=0-247"))
    vera.page.locator("article#s0:not(.grey)").wait_for()


def test_search_finds_what_is_not_loaded(vera):
    vera.presses("/")
    vera.page.keyboard.type("step 333 does")
    vera.presses("Enter")
    vera.page.locator("#found", has_text="1 of 1").wait_for()
    vera.page.locator("article#s333").wait_for()
    assert "find=" in vera.page.url
    vera.presses("Escape")
    assert vera.page.evaluate("document.activeElement.id") != "q"


def test_values_are_rendered_raw_and_opened_in_place(vera):
    step = vera.page.locator("article#s5")
    assert step.locator("p.h1").text_content() == "Plan"
    assert step.locator("a[href^='https:']").count() == 0
    step.get_by_text("raw", exact=True).click()
    step.get_by_text("# Plan").wait_for()
    long = vera.page.locator("article#s7")
    assert "line 599" not in long.text_content()
    vera.page.locator("article#s7 header").click()
    vera.presses("o")
    long.get_by_text("line 150").first.wait_for()


def test_without_a_script_windows_are_links(people, address):
    vera = people("vera", java_script_enabled=False)
    vera.goes_to(address)
    seen: set[int] = set()
    for _ in range(3):
        articles = vera.page.locator("article[id^=s]").evaluate_all
        seen |= {int(n) for n in articles("all => all.map(one => one.dataset.step)")}
        vera.page.get_by_text("Later steps").click()
    assert seen == set(range(len(seen)))
    vera.page.locator(".jumps a", has_text="End").click()
    assert vera.page.locator(f"article#s{STEPS - 1}").count() == 1

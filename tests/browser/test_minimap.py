"""The map by keyboard and by pointer: one tab stop that names each step and jumps to it."""

from __future__ import annotations

import re

import pytest

from tests.factories import make_project, make_run, make_step, make_transcript
from traces.transcript import Link, LinkKind


@pytest.fixture
def address() -> str:
    """A run of three actors in turn, each of whom takes from the one before."""
    steps = tuple(make_step(n, "abc"[n % 3]) for n in range(60))
    links = tuple(Link(n - 1, n, LinkKind.CONSUMES) for n in range(1, 60))
    run = make_run(make_project(), make_transcript(*steps, links=links))
    return f"/p/demo/runs/{run.pk}/"


def test_the_keyboard_reaches_every_step(people, address):
    vera = people("vera")
    vera.goes_to(f"{address}?step=4")
    stops = vera.page.locator("#minimap [tabindex='0']")
    assert [stop.get_attribute("id") for stop in stops.all()] == ["map-probe"]
    vera.focuses("#map-probe")
    readout = vera.page.locator("#map-readout")
    # Of each actor every third step; the nearest one of the row below 7 is 8.
    for key, named in (
        ("ArrowRight", "#7 b"),
        ("ArrowDown", "#8 c"),
        ("ArrowLeft", "#5 c"),
        ("PageDown", "#14 c"),
        ("End", "#59 c"),
        ("Home", "#0 a"),
        ("ArrowDown", "#1 b"),
    ):
        vera.presses(key)
        readout.get_by_text(re.compile(f"^{named} ")).wait_for()
        value = vera.page.get_attribute("#map-probe", "aria-valuetext")
        assert value.startswith(f"{named} ")
    vera.presses("Enter")
    vera.page.wait_for_url(re.compile(r"step=1$"))
    vera.sees("before it: 1 recorded; after it: 58 recorded; neither: 0")


def test_the_pointer_names_and_jumps(people, address):
    vera = people("vera")
    vera.goes_to(f"{address}?step=4&with=none")
    box = vera.page.locator("#minimap svg.whole").bounding_box()
    scale = box["width"] / 1408
    # The middle of step 30, in the first row.
    x, y = box["x"] + (128 + 30.5 * 1272 / 60) * scale, box["y"] + 12 * scale
    vera.page.mouse.move(x, y)
    vera.page.locator("#map-readout", has_text="#30 a").wait_for()
    vera.page.mouse.click(x, y)
    vera.page.wait_for_url(re.compile(r"with=none&step=30$"))
    vera.page.locator("#map-lit[data-step='30']").wait_for(state="attached")
    vera.page.locator("article#s30").wait_for()


def test_without_a_script_links_lead_there(people, address):
    vera = people("vera", java_script_enabled=False)
    vera.goes_to(f"{address}?step=4&with=none")
    vera.page.locator("#minimap .hits a").nth(31).click()
    vera.page.wait_for_url(re.compile(r"with=none&step=31#s31$"))
    vera.sees("before it: 31 recorded; after it: 28 recorded; neither: 0")

"""The step list under rough hands: narrow windows, other sizes, a network that fails."""

from __future__ import annotations

from dataclasses import replace

import pytest

from attribution import comparing
from tests.factories import make_project, make_run, make_step, make_transcript
from traces.transcript import Outcome

STEPS = 600
MANY = "document.querySelectorAll('*').length"
IN_VIEW = """step => {
    const pane = document.getElementById("browser").getBoundingClientRect();
    const box = document.getElementById(`s${step}`)?.getBoundingClientRect();
    const shown = /#(\\d+)–#(\\d+)/.exec(document.getElementById("where").textContent) ?? [];
    const inside = box && box.bottom > pane.top && box.top < pane.bottom;
    return inside && shown[1] <= step && step <= shown[2];
}"""


@pytest.fixture
def vera(people):
    steps = (make_step(n, text=f"Step {n} says much. " * (1 + n % 9 * 4)) for n in range(STEPS))
    run = make_run(make_project(), make_transcript(*steps, external_id="long"))
    person = people("vera")
    person.goes_to(f"/p/demo/runs/{run.pk}/?step=300")
    person.page.wait_for_function(IN_VIEW, arg=300)
    return person


def test_another_size_keeps_the_step_in_view_and_few_elements(vera):
    for width, height in ((400, 800), (1440, 2000), (700, 500), (1440, 300), (1440, 900)):
        vera.page.set_viewport_size({"width": width, "height": height})
        vera.page.wait_for_function(IN_VIEW, arg=300)
        vera.page.wait_for_timeout(400)
        assert vera.page.evaluate(MANY) <= 3_000, (width, height)


def test_what_got_no_answer_is_asked_for_again_and_not_all_the_time(vera):
    asked: list[str] = []

    def refuse(route):
        asked.append(route.request.url)
        route.abort()

    vera.page.route("**/rows/*", refuse)
    drag = "pane => { pane.scrollTop = pane.scrollHeight * 0.8; }"
    vera.page.locator("#browser").evaluate(drag)
    vera.page.wait_for_timeout(1_500)
    assert 1 <= len(asked) <= 3
    vera.page.unroute("**/rows/*")
    vera.page.wait_for_function("() => Number(document.querySelector('.chunk').dataset.last) > 450")
    vera.complaints.clear()


def test_rows_of_the_other_run_alone_are_said_to_come_after_a_step(people):
    project = make_project()
    long = [make_step(n, text=f"Step {n} is told.\n" * 6) for n in range(60)]
    other = make_run(project, make_transcript(*long, external_id="good", outcome=Outcome.SUCCEEDED))
    short = [replace(step, number=n) for n, step in enumerate(long[:20] + long[40:])]
    run = make_run(project, make_transcript(*short, external_id="bad"))
    row = next(n for n, left in enumerate(comparing.compare(run, other).left) if left < 0) + 10
    vera = people("vera")
    vera.goes_to(f"/p/demo/runs/{run.pk}/?with={other.pk}&row={row}")
    vera.sees_in("#where", "after step #19 of 40")

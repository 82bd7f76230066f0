"""What a reviewer cites of a step's facts, and how a step is read that stands in another order."""

from __future__ import annotations

import pytest

from reviews.models import Draft
from tests.attribution.scenes import sample
from tests.browser.conftest import Person
from tests.factories import AT, make_project, make_run
from tests.reviews.scenes import case_of, make_policy

RULE = "merge-queue@2 rule 3"


@pytest.fixture
def ada(people) -> Person:
    project = make_project()
    make_policy(project, signatures_needed=1)
    make_run(project, sample("merge-conflict-passed"), at=AT)
    case = case_of(make_run(project, sample("merge-conflict-failed"), at=AT))
    ada = people("ada")
    ada.goes_to(case.get_absolute_url())
    ada.presses("t")
    ada.sees("Your claim")
    return ada


def goes_to_step(ada, number: int) -> None:
    ada.page.goto(f"{ada.page.url.partition('?')[0]}?step={number}")
    ada.page.locator(f"article#s{number}.sel").wait_for()


def test_the_words_of_a_fact_can_be_cited(ada):
    (step,) = {step.number for step in sample("merge-conflict-failed").steps if RULE in step.text}
    goes_to_step(ada, step)
    fact = ada.page.locator("article[id^=s] dd.text", has_text=RULE).first
    fact.evaluate(
        """(element, length) => {
            element.scrollIntoView({ block: "center" });
            getSelection().setBaseAndExtent(element.firstChild, 0, element.firstChild, length);
        }""",
        len(RULE),
    )
    ada.presses("c")
    ada.page.locator("article[id^=s] dd mark.cite", has_text=RULE).wait_for()
    (quote,) = Draft.objects.get().fields["evidence"]
    assert quote["text"] == RULE


def test_a_moved_step_is_reached_from_the_place_it_left(ada):
    goes_to_step(ada, 15)
    row = ada.page.locator(".row", has=ada.page.locator("#s15"))
    assert row.locator(".absent").inner_text() == "Moved: see #16 there"
    row.locator(".absent a").click()
    there = ada.page.locator("#r16")
    there.wait_for()
    assert there.evaluate("one => one.getBoundingClientRect().top < innerHeight")
    assert there.locator("ins").count() > 0
    beside = ada.page.locator(".row", has=there).locator(".absent")
    assert beside.inner_text() == "Moved: see #15 here"

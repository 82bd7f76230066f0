"""What the map asks about a step: what lights up, what could be seen, which step stands where."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from django.urls import reverse

from tests.clients import signed_in
from tests.factories import make_project, make_run, make_step, make_transcript, make_user
from traces.models import Project
from traces.transcript import Link, LinkKind, StepStatus

pytestmark = [pytest.mark.django_db, pytest.mark.database]
FRAGMENTS = {"X-Inquest": "fragments"}
VIEWS = ("reach", "seen", "at")


@pytest.fixture
def addresses() -> dict[str, str]:
    """Of a run in which b takes from a at 1, c from b at 3; 2 is a's own, and hostile."""
    steps = (
        make_step(0, "a"),
        make_step(1, "b"),
        make_step(2, "a", tool="<b>\u202e", status=StepStatus.ERROR),
        make_step(3, "c"),
    )
    links = (Link(0, 1, LinkKind.CONSUMES), Link(1, 3, LinkKind.CONSUMES, "a guess"))
    run = make_run(make_project(), make_transcript(*steps, links=links))
    return {name: reverse(f"attribution:{name}", args=["demo", run.pk]) for name in VIEWS}


@pytest.mark.parametrize("name", VIEWS)
def test_strangers_do_not_see_that_there_is_a_run(addresses: dict[str, str], name: str) -> None:
    make_user("sam")
    assert signed_in("sam").get(addresses[name], {"step": "1"}).status_code == 404


@pytest.mark.parametrize("name", VIEWS)
def test_questions_are_only_asked(addresses: dict[str, str], name: str) -> None:
    assert signed_in("vera").post(addresses[name], {"step": "1"}).status_code == 405


@pytest.mark.parametrize("name", VIEWS)
def test_a_run_without_steps_has_no_answers(addresses: dict[str, str], name: str) -> None:
    run = make_run(Project.objects.get(), replace(make_transcript(external_id="empty"), steps=()))
    address = reverse(f"attribution:{name}", args=["demo", run.pk])
    assert signed_in("vera").get(address).status_code == 404


@pytest.mark.parametrize("step", ["", "-1", "x", "²", "99999999999", "\0"])
@pytest.mark.parametrize("name", VIEWS)
def test_what_is_no_step_is_the_first(addresses: dict[str, str], name: str, step: str) -> None:
    answer = signed_in("vera").get(addresses[name], {"step": step})
    assert answer.status_code == 200
    assert (
        answer.content == signed_in("vera").get(addresses[name], {"step": "0"}).content
        or name == "seen"
    )


@pytest.mark.parametrize("name", VIEWS)
def test_questions_take_few_queries(
    addresses: dict[str, str], name: str, django_assert_max_num_queries: Any
) -> None:
    client = signed_in("vera")
    with django_assert_max_num_queries(8):
        client.get(addresses[name], {"step": "3"}, headers=FRAGMENTS)


def test_what_lights_up_comes_as_pieces_of_the_map(addresses: dict[str, str]) -> None:
    answer = signed_in("vera").get(addresses["reach"], {"step": "1"})
    page = answer.content.decode()
    assert answer["X-Inquest"] == "fragments"
    assert re.findall(r"<(svg|p) id=\"([\w-]+)\"", page) == [("svg", "map-lit"), ("p", "reach")]
    assert 'class="before"' in page
    assert "before it: 1 recorded; after it: 1 by memory or guess; neither: 1" in page
    ranges = json.loads(unescape(page.partition('data-ranges="')[2].partition('"')[0]))
    assert (ranges["before"], ranges["perhaps_after"], ranges["after"]) == ([[0, 0]], [[3, 3]], [])


def test_what_could_be_seen_is_a_page_and_a_piece(addresses: dict[str, str]) -> None:
    client = signed_in("vera")
    page = client.get(addresses["seen"], {"step": "3"}).content.decode()
    assert page.startswith("<!doctype html>")
    assert "2 steps, 0 surely taken in" in page
    assert "1 earlier step cannot have" in page
    answer = client.get(addresses["seen"], {"step": "1", "with": "none"}, headers=FRAGMENTS)
    piece = answer.content.decode()
    assert answer["X-Inquest"] == "fragments"
    assert piece.startswith('<section id="seen"')
    assert '<svg id="map-strip"' in piece
    assert "1 step, 1 surely taken in" in piece
    assert 'href="?with=none&amp;step=0#s0"' in piece


def test_a_first_step_could_see_nothing(addresses: dict[str, str]) -> None:
    page = signed_in("vera").get(addresses["seen"]).content.decode()
    assert "Nothing in the record can have reached this step." in page


def test_a_place_of_the_map_is_the_nearest_step_of_its_row(addresses: dict[str, str]) -> None:
    client = signed_in("vera")
    assert client.get(addresses["at"], {"step": "3", "row": "0"}).json() == {
        "step": 2,
        "row": 0,
        "text": "#2 a message <b>⟨U+202E⟩ error",
        "before": 0,
        "after": None,
    }
    assert client.get(addresses["at"], {"step": "3"}).json()["step"] == 3
    assert client.get(addresses["at"], {"step": "3", "row": "77"}).json()["step"] == 3


def test_the_page_draws_without_a_script_what_the_question_answers(
    addresses: dict[str, str],
) -> None:
    client = signed_in("vera")
    page = client.get(addresses["reach"].replace("reach/", ""), {"step": "1"}).content.decode()
    answer = client.get(addresses["reach"], {"step": "1"}).content.decode()
    overlay, line = answer.partition("</svg>")[0], answer.partition("</svg>")[2].strip()
    assert overlay in page
    assert line in page

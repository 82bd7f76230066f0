"""What a page of a run holds at most, however large the run is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.template.loader import render_to_string

from attribution import minimap
from attribution.browser import WINDOW, browse
from attribution.sides import MOST_PARTS, Marks
from attribution.views.run import MOST_LINKS, links_for
from tests.clients import signed_in
from tests.factories import make_project, make_run, make_step, make_transcript
from traces import gaps
from traces.models import Project, RawDocument, Run
from traces.transcript import (
    Actor,
    ActorKind,
    Failure,
    Gap,
    Link,
    LinkKind,
    Part,
    PartKind,
    Report,
    Transcript,
)

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def page_of(transcript: Transcript) -> str:
    """The page a viewer gets, of a run in a project of its own."""
    run = make_run(make_project(), transcript)
    response = signed_in("vera").get(f"/p/demo/runs/{run.pk}/")
    return response.content.decode()


def test_a_text_of_two_million_characters_makes_a_small_page() -> None:
    text = "a\u202e" * 500_000 + "\u202e" * 1_000_000
    page = page_of(make_transcript(make_step(0, "owner", text), external_id="long"))
    assert len(page) < 1_000_000
    assert "1980000 more characters" in page


def test_what_a_step_has_too_much_of_is_counted() -> None:
    parts = tuple(Part(PartKind.MESSAGE, f"p{n}") for n in range(MOST_PARTS + 7))
    steps = (*(make_step(n) for n in range(105)), make_step(105, parts=parts))
    links = tuple(Link(n, 105, LinkKind.CONSUMES) for n in range(105))
    gaps = tuple(Gap("missing_parent", f"It refers to x{n}.", 105) for n in range(23))
    transcript = make_transcript(*steps, external_id="wide", links=links, gaps=gaps)
    page = page_of(transcript)
    last = page.split('id="s105"')[1].split("</article>")[0]
    for words in ("and 7 more parts", "and 5 more</p>", "and 3 more gaps"):
        assert words in last, words


def test_what_a_record_has_too_much_of_is_counted() -> None:
    gaps = tuple(Gap("no_times", f"gap {n}.") for n in range(101))
    reports = tuple(Report("passed", "agent", None, None, f"report {n}.") for n in range(102))
    failures = tuple(Failure(f"f{n}", f"failure {n}.") for n in range(103))
    silent = tuple(Actor(f"actor {n}.", "silent", ActorKind.AGENT) for n in range(103))
    actors = (Actor("planner", "planner", ActorKind.AGENT), *silent)
    record = {"gaps": gaps, "reports": reports, "failures": failures, "actors": actors}
    page = page_of(make_transcript(make_step(0), external_id="wide", **record))
    assert "<b>101</b> <a" in page
    for more, name in ((2, "report"), (3, "failure"), (4, "actor")):
        assert f"and {more} more</p>" in page, name
        assert f"{name} 98." in page
        assert f"{name} 100." not in page


def links_around(step: int, transcript: Transcript) -> list[list[int]]:
    return links_for(transcript, browse(transcript, None, marks=Marks(), around=step))


def test_links_say_whether_they_were_recorded() -> None:
    links = (Link(0, 1, LinkKind.CONSUMES), Link(1, 2, LinkKind.FOLLOWS, "order"))
    run = make_transcript(*(make_step(n) for n in range(3)), links=links)
    assert links_around(0, run) == [[0, 1, 1], [1, 2, 0]]
    assert links_around(0, replace(run, steps=(), links=())) == []


def test_only_links_that_touch_the_window_come_with_it() -> None:
    steps = [make_step(n) for n in range(2 * WINDOW)]
    ends = [(0, 1), (0, WINDOW), (WINDOW - 1, WINDOW), (WINDOW, WINDOW + 1)]
    links = tuple(Link(a, b, LinkKind.CONSUMES) for a, b in ends)
    run = make_transcript(*steps, links=links)
    first, second = ({(a, b) for a, b, _ in links_around(n, run)} for n in (0, WINDOW))
    assert (first, second) == (set(ends[:3]), set(ends[1:]))


def test_of_very_many_links_those_that_reach_the_least_far_come() -> None:
    links = tuple(Link(0, n, LinkKind.CONSUMES) for n in range(MOST_LINKS + 100, 0, -1))
    run = make_transcript(*(make_step(n) for n in range(MOST_LINKS + 101)), links=links)
    assert [target for _, target, _ in links_around(0, run)] == list(range(1, MOST_LINKS + 1))


def page_of_a_very_long_run() -> str:
    """The page of a run of 50,000 steps, without a database between them."""
    steps = tuple(make_step(n, f"actor-{n % 8}") for n in range(50_000))
    links = tuple(Link(n - 1, n, LinkKind.CONSUMES) for n in range(1, 50_000))
    transcript = make_transcript(*steps, links=links)
    window = browse(transcript, None, marks=Marks())
    run = Run(
        project=Project(slug="demo", name="Demo"), document=RawDocument(sha256="0" * 64, size=1)
    )
    context = {
        "run": run,
        "project": run.project,
        "browser": window,
        "map": minimap.draw(transcript, Marks()),
        "links": links_for(transcript, window),
        "transcript": transcript,
        "gap_kinds": gaps.KINDS,
    }
    return render_to_string("attribution/run.html", context)


def test_the_page_of_a_very_long_run_is_small() -> None:
    assert len(page_of_a_very_long_run().encode()) < 600_000

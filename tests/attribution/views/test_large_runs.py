"""What a page of a run holds at most, however large the run is."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from attribution import comparing
from attribution.sides import MOST_PARTS
from tests.clients import signed_in
from tests.factories import make_project, make_run, make_step, make_transcript
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


# What a page may cost, whatever the run: elements, and bytes of HTML.
ELEMENTS, BYTES = 3_000, 300_000


def weigh(page: str) -> tuple[int, int]:
    """Elements and bytes of a page."""
    return len(re.findall(r"<[a-zA-Z]", page)), len(page.encode())


def page_of(transcript: Transcript, **query: int) -> str:
    """The page a viewer gets, of a run in a project of its own."""
    run = make_run(make_project(), transcript)
    response = signed_in("vera").get(f"/p/demo/runs/{run.pk}/", query)
    return response.content.decode()


def test_a_text_of_two_million_characters_makes_a_small_page() -> None:
    text = "a\u202e" * 500_000 + "\u202e" * 1_000_000
    page = page_of(make_transcript(make_step(0, "owner", text), external_id="long"))
    elements, size = weigh(page)
    assert elements <= ELEMENTS
    assert size <= BYTES
    assert re.search(r"1,9\d\d,\d\d\d more characters", page)


def test_what_a_step_has_too_much_of_is_counted() -> None:
    parts = tuple(Part(PartKind.MESSAGE, f"p{n}") for n in range(MOST_PARTS + 7))
    steps = (*(make_step(n) for n in range(105)), make_step(105, parts=parts))
    links = tuple(Link(n, 105, LinkKind.CONSUMES) for n in range(105))
    gaps = tuple(Gap("missing_parent", f"It refers to x{n}.", 105) for n in range(23))
    transcript = make_transcript(*steps, external_id="wide", links=links, gaps=gaps)
    page = page_of(transcript, step=105)
    last = page.split('id="s105"')[1].split("</article>")[0]
    for words in ("and 7 more parts", "and 93 more</p>", "and 17 more gaps"):
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


def many_parts() -> Transcript:
    parts = tuple(Part(PartKind(kind), f"part {n}") for n in range(10) for kind in PartKind)
    steps = (make_step(n, parts=parts[:60]) for n in range(30))
    return make_transcript(*steps, external_id="parts")


def long_texts() -> Transcript:
    text = "".join(f"{n:06}<>&\u202e\n" for n in range(1_800))
    return make_transcript(*(make_step(n, "owner", text) for n in range(30)), external_id="texts")


def many_actors() -> Transcript:
    steps = (make_step(n, f"actor-{n}") for n in range(5_000))
    return make_transcript(*steps, external_id="actors")


def many_gaps() -> Transcript:
    at = (n if n < 30 else 7 for n in range(20_000))
    gaps = tuple(Gap(f"kind-{n % 500}", f"It refers to x{n}.", step) for n, step in enumerate(at))
    return make_transcript(*(make_step(n) for n in range(30)), external_id="gaps", gaps=gaps)


def many_links() -> Transcript:
    """Each step builds on all before it."""
    links = tuple(Link(a, b, LinkKind.CONSUMES) for b in range(200) for a in range(b))
    return make_transcript(*(make_step(n) for n in range(200)), external_id="links", links=links)


HOSTILE = [many_parts, long_texts, many_actors, many_gaps, many_links]


@pytest.mark.parametrize("make", HOSTILE)
@pytest.mark.parametrize("compared", [False, True], ids=["alone", "compared"])
def test_pages_and_windows_of_a_hostile_run_are_small(
    make: Callable[[], Transcript], compared: bool
) -> None:
    transcript = make()
    run = make_run(make_project(), transcript)
    beside = {"with": "none"}
    if compared:
        other = make_run(run.project, replace(transcript, external_id="other"))
        comparing.compare(run, other)
        beside = {"with": str(other.pk)}
    client = signed_in("vera")
    for path in ("", "rows/"):
        for query in ({}, {"step": 20}):
            response = client.get(f"/p/demo/runs/{run.pk}/{path}", beside | query)
            assert response.status_code == 200
            elements, size = weigh(response.content.decode())
            assert elements <= ELEMENTS, (path, query)
            assert size <= BYTES, (path, query)

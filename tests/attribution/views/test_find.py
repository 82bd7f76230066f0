from __future__ import annotations

import re
from typing import Any

import pytest
from django.urls import reverse

from tests.clients import signed_in
from tests.factories import make_project, make_run, make_step, make_transcript, make_user
from tests.traces.test_payload_store import MEMORY, send
from traces import payload_store
from traces.models import Part, Run

pytestmark = [pytest.mark.django_db, pytest.mark.database]
SCRIPT = {"X-Inquest": "fragments"}


def address_of(run: Run) -> str:
    return reverse("attribution:find", args=["demo", run.pk])


@pytest.fixture
def address() -> str:
    """Places of "retired" by hand: one in step 0, two in 2, one in 3."""
    steps = (
        make_step(0, "docs", "status: RETIRED"),
        make_step(1, "planner", "What is it?"),
        make_step(2, "docs", "retired, and again retired"),
        make_step(3, "planner", "<b>It is retired</b>"),
    )
    return address_of(make_run(make_project(), make_transcript(*steps)))


def asked(address: str, **query: Any) -> dict[str, str]:
    """The data that a script gets for these parameters."""
    answer = signed_in("vera").get(address, query, headers=SCRIPT)
    assert answer["X-Inquest"] == "fragments"
    page = answer.content.decode()
    assert page.startswith('<span id="found"')
    return dict(re.findall(r' data-([a-z]+)="([^"]*)"', page.split("<svg")[0])) | {"page": page}


def test_strangers_do_not_see_that_there_is_a_run(address: str) -> None:
    make_user("sam")
    assert signed_in("sam").get(address, {"q": "retired"}).status_code == 404


def test_a_run_of_another_project_is_not_there(address: str) -> None:
    make_project("other")
    assert signed_in("vera").get(address.replace("/demo/", "/other/")).status_code == 404


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_it_is_only_read(address: str, method: str) -> None:
    assert getattr(signed_in("vera"), method)(address).status_code == 405


def test_what_cannot_be_looked_for_is_said(address: str) -> None:
    page = signed_in("vera").get(address, {"q": "x" * 401}).content.decode()
    assert "Look for at most 400 characters." in page
    assert "at most 400" in asked(address, q="x" * 401)["page"]
    assert "Type what to look for." in asked(address, q="\0 ")["page"]


def test_without_words_there_is_a_form(address: str) -> None:
    answer = signed_in("vera").get(address)
    assert answer.status_code == 200
    assert "Type what" not in answer.content.decode()


def test_all_places_are_listed_and_marked(address: str) -> None:
    page = signed_in("vera").get(address, {"q": "retired"}).content.decode()
    assert "4 places in 3 steps" in page
    assert page.count('<mark class="cite">') == 4
    assert "&lt;b&gt;It is" in page
    assert "<b>It is" not in page
    assert [int(n) for n in re.findall(r'<li value="(\d+)">', page)] == [1, 2, 3, 4]


@pytest.mark.parametrize("query", [{"from": "99999999"}, {"from": "-1"}, {"from": "x"}])
def test_no_page_is_beyond_the_list(address: str, query: dict[str, str]) -> None:
    assert signed_in("vera").get(address, {"q": "retired", **query}).context["hits"]


def test_links_lead_back_to_where_one_was(address: str) -> None:
    run = address.removesuffix("find/")
    page = signed_in("vera").get(address, {"q": "status", "with": "none", "back": run})
    assert f'href="{run}?with=none&amp;find=status&amp;step=0#s0"' in page.content.decode()


def test_links_open_what_a_filter_folds_away(address: str) -> None:
    page = signed_in("vera").get(address, {"q": "status", "actor": "planner"}).content.decode()
    assert "?actor=planner&amp;find=status&amp;step=0&amp;open=0-0#s0" in page


@pytest.mark.parametrize(
    "back",
    [
        "https://evil.example/p/demo/",
        "//evil.example/",
        "javascript:alert(1)",
        "/p/other/cases/1/",
        "x\0",
    ],
)
def test_links_lead_nowhere_else(address: str, back: str) -> None:
    answer = signed_in("vera").get(address, {"q": "status", "back": back})
    assert answer.context["back"] == address.removesuffix("find/")
    assert "evil" not in answer.content.decode()
    assert "javascript:" not in answer.content.decode()


def test_long_lists_come_in_pages() -> None:
    texts = (make_step(n, "a", "word " * 10) for n in range(5))
    address = address_of(make_run(make_project(), make_transcript(*texts)))
    answer = signed_in("vera").get(address, {"q": "word", "from": "20"})
    assert [hit["hit"].step for hit in answer.context["hits"]] == [2] * 10 + [3] * 10
    page = answer.content.decode()
    assert "from the 21. on" in page
    assert "&amp;from=0" in page
    assert "&amp;from=40" in page


@pytest.mark.parametrize(
    ("query", "at", "step"),
    [
        ({}, "0", "0"),
        ({"step": "1"}, "1", "2"),
        ({"step": "2"}, "1", "2"),
        ({"step": "2", "direction": "next"}, "3", "3"),
        ({"step": "2", "direction": "previous"}, "0", "0"),
        ({"step": "3", "direction": "next"}, "0", "0"),
        ({"step": "0", "direction": "previous"}, "3", "3"),
        ({"at": "1", "direction": "next"}, "2", "2"),
        ({"at": "3", "direction": "next"}, "0", "0"),
        ({"at": "0", "direction": "previous"}, "3", "3"),
        ({"at": "2"}, "2", "2"),
        ({"at": "999", "direction": "previous"}, "2", "2"),
        ({"at": "x", "step": "²", "direction": "sideways"}, "0", "0"),
    ],
)
def test_a_script_is_told_the_next_place(
    address: str, query: dict[str, str], at: str, step: str
) -> None:
    found = asked(address, q="retired", **query)
    assert (found["at"], found["step"], found["total"]) == (at, step, "4")
    assert found["strip"] == "0,2,3"
    assert f"{int(at) + 1} of 4 in 3 steps" in found["page"]


def test_a_place_is_a_range_of_its_part(address: str) -> None:
    found = asked(address, q="retired", at="2")
    assert (found["part"], found["start"], found["end"]) == ("0", "19", "26")


def test_the_map_shows_where_it_is(address: str) -> None:
    page = asked(address, q="retired")["page"]
    assert '<svg id="map-strip"' in page
    assert '<g data-steps="0,2,3">' in page
    assert 'display="none"' in asked(address, q="absent")["page"]


def test_what_is_nowhere_is_said(address: str) -> None:
    found = asked(address, q="absent")
    assert "nowhere in this run" in found["page"]
    assert "step" not in found
    assert "nowhere in this run" in signed_in("vera").get(address, {"q": "absent"}).content.decode()


def test_what_is_looked_for_is_escaped(address: str) -> None:
    for headers in (SCRIPT, {}):
        page = signed_in("vera").get(address, {"q": '"><script>x'}, headers=headers)
        assert "<script>x" not in page.content.decode()


def test_the_whole_of_a_moved_text_is_searched() -> None:
    middle = "\n".join(f"row {n}" for n in range(20_000)).replace("row 9999\n", "needle here\n")
    send(make_project(), "What is it?", middle, "needle")
    run = Run.objects.get()
    assert "needle" not in Part.objects.get(run=run, step=1).text
    found = asked(address_of(run), q="NEEDLE")
    assert (found["step"], found["total"]) == ("1", "2")
    assert middle[int(found["start"]) : int(found["end"])] == "needle"
    assert "in a payload" in found["page"]
    page = signed_in("vera").get(address_of(run), {"q": "needle"}).content.decode()
    assert 'row 9998\n<mark class="cite">needle</mark> here' in page


def test_what_could_not_be_searched_is_said(settings) -> None:
    settings.STORAGES = {**settings.STORAGES, **MEMORY}
    send(make_project(), "What is it?", "needle\n" * 20_000)
    outside, run = payload_store.outside(), Run.objects.get()
    assert outside
    payload = run.payload_uses.get().payload
    outside.delete(payload_store.name_of(payload.project_id, payload.sha256))
    found = asked(address_of(run), q="needle")
    assert "1 payload could not be searched whole" in found["page"]
    assert 0 < int(found["total"]) < 20_000


@pytest.mark.parametrize("headers", [SCRIPT, {}])
def test_the_queries_do_not_grow(
    address: str, headers: dict[str, str], django_assert_max_num_queries: Any
) -> None:
    client = signed_in("vera")
    many = (make_step(n, f"actor-{n}", "retired " * 50) for n in range(60))
    project = Run.objects.get().project
    longer = make_run(project, make_transcript(*many, external_id="longer"))
    for one in (address, address_of(longer)):
        with django_assert_max_num_queries(12):
            client.get(one, {"q": "retired"}, headers=headers)

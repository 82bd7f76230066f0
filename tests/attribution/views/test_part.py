from __future__ import annotations

import json

import pytest
from django.test import Client
from django.urls import reverse

from tests.clients import signed_in
from tests.factories import make_project, make_run, make_step, make_transcript, make_user
from tests.traces.test_payload_store import TEXT, send
from traces.models import Part as Row
from traces.models import Run
from traces.transcript import Part, PartKind

pytestmark = [pytest.mark.django_db, pytest.mark.database]
LONG = "".join(f"line {number} of it\n" for number in range(1, 3_413))
DATA = {"list": list(range(5_000)), "a/b": {"deep": {"er": "x" * 9_000}}}
MARKDOWN = (
    "Use **the new** API, see [docs](https://evil.example/x?y=1).\n\n![pic](https://spy.example/i)"
)
TEXTS = {
    "plain": Part(PartKind.MESSAGE, "a < b \u202e c", {"x": {"y": 1}}),
    "long": Part(PartKind.TOOL_RESPONSE, LONG),
    "markdown": Part(PartKind.MESSAGE, MARKDOWN),
    "json": Part(PartKind.TOOL_REQUEST, json.dumps(DATA)),
}
PLACES = {name: position for position, name in enumerate(TEXTS)}
VIEWS = ("part", "part-text", "part-locate", "leaving")


@pytest.fixture
def run() -> Run:
    step = make_step(0, parts=tuple(TEXTS.values()))
    return make_run(make_project(), make_transcript(step))


def address(run: Run, part: str = "plain", view: str = "part", slug: str = "demo") -> str:
    return reverse(f"attribution:{view}", args=[slug, run.pk, 0, PLACES[part]])


def page(run: Run, part: str, **query: str) -> str:
    return signed_in("vera").get(address(run, part), query).content.decode()


def fragment(run: Run, part: str, **query: str) -> str:
    answer = signed_in("vera", script=True).get(address(run, part), query)
    assert answer["X-Inquest"] == "fragments"
    return answer.content.decode()


@pytest.mark.parametrize("view", VIEWS)
def test_strangers_and_other_projects_find_nothing(run: Run, view: str) -> None:
    make_user("sam")
    make_project("other")
    assert Client().get(address(run, view=view)).status_code == 302
    assert signed_in("sam").get(address(run, view=view)).status_code == 404
    assert signed_in("lena").get(address(run, view=view, slug="other")).status_code == 404
    assert signed_in("vera").post(address(run, view=view)).status_code == 405


@pytest.mark.parametrize(("number", "position"), [(0, 9), (1, 0), (2**40, 0), (0, 10**30)])
def test_there_is_no_page_of_no_part(run: Run, number: int, position: int) -> None:
    made = reverse("attribution:part", args=["demo", run.pk, number, position])
    assert signed_in("vera").get(made).status_code == 404


@pytest.mark.parametrize("path", ["x", "/9", "/list/5000", "/list/-1", "/a", "/list/0/0", "/~~9"])
def test_what_stands_nowhere_in_the_json_is_not_found(run: Run, path: str) -> None:
    query = {"as": "json", "path": path}
    assert signed_in("vera").get(address(run, "json"), query).status_code == 404
    assert signed_in("vera").get(address(run, "long"), query).status_code == 404


def test_a_text_is_shown_with_its_invisible_characters_named(run: Run) -> None:
    shown = page(run, "plain", **{"as": "raw"})
    assert 'data-start="0">a &lt; b <span class="ctl" title="invisible character">U+202E' in shown
    assert "\u202e" not in shown


def test_a_long_text_is_cut_and_all_of_it_is_one_click_away(run: Run) -> None:
    cut = fragment(run, "long")
    assert "line 200 of it" in cut
    assert "line 201 of it" not in cut
    assert "3,212 more lines" in cut
    assert "show all 3,412 lines" in cut
    assert f'href="{address(run, "long", "part-text")}" download' in cut
    whole = fragment(run, "long", lines="all")
    assert "line 3412 of it" in whole
    assert "show all" not in whole


def test_the_exact_text_is_a_file_to_keep(run: Run) -> None:
    answer = signed_in("vera").get(address(run, "plain", "part-text"))
    assert answer.content.decode() == "a < b \u202e c"
    assert answer["Content-Disposition"] == 'attachment; filename="step-0-part-0.txt"'
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_markdown_loads_nothing_and_its_links_ask_first(run: Run) -> None:
    shown = fragment(run, "markdown")
    assert "<strong>the new</strong>" in shown
    assert "<img" not in shown
    assert "[image: pic (spy.example)]" in shown
    leaving = address(run, "markdown", "leaving")
    assert f'href="{leaving}?to=https%3A%2F%2Fevil.example%2Fx%3Fy%3D1"' in shown
    assert " (evil.example)" in shown


def test_a_link_is_left_for_by_a_page_that_names_its_host(run: Run) -> None:
    def told(target: str) -> str:
        made = address(run, "markdown", "leaving")
        return signed_in("vera").get(made, {"to": target}).content.decode()

    assert "It leads to <b>evil.example</b>" in told("https://evil.example/x")
    assert 'href="https://evil.example/x" rel="noopener noreferrer nofollow"' in told(
        "https://evil.example/x"
    )
    for bad in ("javascript:alert(1)", "data:text/html,x", "//evil.example", "", " java\nscript:x"):
        assert "is not followed from here" in told(bad)
        assert 'rel="noopener' not in told(bad)


def test_json_comes_by_its_branches(run: Run) -> None:
    top = fragment(run, "json")
    assert "5,000 items" in top
    assert "path=/a~1b" in top
    listed = fragment(run, "json", **{"as": "json", "path": "/list", "from": "150"})
    assert listed.startswith('<ul class="tree"><li><b>150</b> <i>150</i></li>')
    assert "4,700 more of 5,000 items" in listed
    string = fragment(run, "json", **{"as": "json", "path": "/a~1b/deep/er"})
    assert string == f'<div class="text string" dir="auto">{"x" * 9_000}</div>'


def test_a_part_is_shown_as_its_data_where_its_text_is_no_json(run: Run) -> None:
    shown = fragment(run, "plain", **{"as": "json"})
    assert "<b>x</b> <code>{y: 1}</code>" in shown
    branch = fragment(run, "plain", **{"as": "json", "of": "data", "path": "/x"})
    assert branch == '<ul class="tree"><li><b>y</b> <i>1</i></li></ul>'


def test_a_branch_without_a_script_is_a_page(run: Run) -> None:
    shown = page(run, "json", **{"as": "json", "path": "/a~1b"})
    assert "<h1>/a~1b" in shown
    assert "1 key" in shown


def test_who_switches_is_remembered_and_who_only_looks_is_not(run: Run) -> None:
    client = signed_in("vera", script=True)
    client.get(address(run, "markdown"), {"as": "raw"})
    assert "inquest_shown" not in client.cookies
    client.get(address(run, "markdown"), {"as": "raw", "keep": "1"})
    cookie = client.cookies["inquest_shown"]
    assert (cookie.value, cookie["samesite"]) == ("message-raw", "Lax")
    assert "**the new**" in client.get(address(run, "markdown")).content.decode()
    client.get(address(run, "markdown"), {"as": "rendered", "keep": "1"})
    assert client.cookies["inquest_shown"].value == ""


@pytest.mark.parametrize(
    "cookie", ["x", "message-nonsense", "-.-.-", "message-raw-raw", "é" * 2000]
)
def test_a_cookie_of_nonsense_changes_nothing(run: Run, cookie: str) -> None:
    client = signed_in("vera", script=True)
    client.cookies["inquest_shown"] = cookie
    assert "<strong>" in client.get(address(run, "markdown")).content.decode()


def test_selected_words_are_found_in_the_text(run: Run) -> None:
    def ranges(text: str) -> list[list[int]]:
        made = address(run, "markdown", "part-locate")
        return signed_in("vera").get(made, {"text": text}).json()["ranges"]

    ((start, end),) = ranges("the new API")
    assert MARKDOWN[start:end] == "the new** API"
    assert ranges("docs") == [[MARKDOWN.index("docs"), MARKDOWN.index("docs") + 4]]
    assert ranges("e") != []
    assert ranges("nowhere") == []


def test_a_text_that_was_moved_is_read_whole_and_cited_by_what_the_part_kept() -> None:
    send(make_project(), TEXT)
    run = Run.objects.get()
    row = Row.objects.get(run=run, data__has_key="payload")
    made = reverse("attribution:part", args=["demo", run.pk, row.step, row.position])
    client = signed_in("vera", script=True)
    shown = client.get(made, {"lines": "all", "as": "raw"}).content.decode()
    kept = row.text.index("\n[… ")
    citable = shown.partition('data-start="0">')[2].partition("</p>")[0]
    assert citable == TEXT[:kept]
    assert f'<p class="text moved" dir="auto">{TEXT[kept:]}</p>' in shown
    assert client.get(f"{made}text/").content.decode() == TEXT


def test_a_part_costs_few_queries(run: Run, django_assert_max_num_queries) -> None:
    client = signed_in("vera")
    with django_assert_max_num_queries(9):
        client.get(address(run, "json"))

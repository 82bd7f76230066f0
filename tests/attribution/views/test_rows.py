"""Windows of the step list, as the page's script asks for them."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest
from django.http import HttpResponse
from django.test import Client

from attribution.models import Comparison
from attribution.views import run as run_view
from tests.clients import roots_of, signed_in
from tests.factories import AT, make_project, make_run, make_step, make_transcript
from tests.reviews.conftest import Desk
from tests.reviews.scenes import case_of, make_candidate, make_policy, user
from traces import quarantine
from traces.models import Run
from traces.transcript import Gap, Outcome

pytestmark = [pytest.mark.django_db, pytest.mark.database]
STEPS = 60


@pytest.fixture
def run(db: None) -> Run:
    """Sixty steps, of which the last one exposes the failure; a gap at #40."""
    project = make_project()
    make_policy(project)
    steps = (make_step(n) for n in range(STEPS))
    return make_run(project, make_transcript(*steps, gaps=(Gap("no_times", "x", 40),)))


@pytest.fixture
def other(run: Run) -> Run:
    steps = (make_step(n) for n in range(3))
    return make_run(run.project, make_transcript(*steps, external_id="other", task_id="T-9"))


def address(run: Run, view: str = "rows", slug: str = "demo") -> str:
    return f"/p/{slug}/runs/{run.pk}/{view}/"


def rows(run: Run, name: str = "vera", **query: Any) -> HttpResponse:
    return signed_in(name, script=True).get(address(run), query)


def steps_in(response: HttpResponse) -> list[int]:
    return [int(n) for n in re.findall(r'id="s(\d+)"', response.content.decode())]


def chunk(response: HttpResponse) -> dict[str, int]:
    """What the chunk says of itself."""
    head = response.content.decode().split(">", 1)[0]
    return {name: int(value) for name, value in re.findall(r'data-(\w+)="(-?\d+)"', head)}


@pytest.mark.parametrize("view", ["rows", "compare"])
def test_strangers_find_nothing(run: Run, view: str) -> None:
    make_project("other")
    assert Client().get(address(run, view)).url.startswith("/accounts/login/")
    assert signed_in("sam").get(address(run, view)).status_code == 404
    assert signed_in("lena").get(address(run, view, "other")).status_code == 404
    assert signed_in("lena").get(f"/p/demo/runs/{uuid4()}/{view}/").status_code == 404


@pytest.mark.parametrize("view", ["rows", "compare"])
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_another_method_is_refused(run: Run, view: str, method: str) -> None:
    assert signed_in("lena").generic(method, address(run, view)).status_code == 405


@pytest.mark.parametrize("view", ["rows", "compare"])
def test_a_run_that_was_closed_is_refused_as_its_page_is(run: Run, other: Run, view: str) -> None:
    given = {"reason": "personal_data", "note": "x", "by": user("lena"), "at": AT}
    quarantine.set_aside(run=run, **given)
    for name, status in (("vera", 403), ("ada", 403)):
        page = signed_in(name).get(f"/p/demo/runs/{run.pk}/")
        assert page.status_code == status
        assert signed_in(name).get(address(run, view)).status_code == status
        beside = {"with": str(run.pk)}
        assert signed_in(name).get(address(other, view), beside).status_code == status
    assert signed_in("lena").get(address(run, view)).status_code in (200, 302)


@pytest.mark.parametrize("view", ["rows", "compare"])
@pytest.mark.parametrize(
    "wanted",
    ["x", "step:", "step:60", "step:1-2", "branch:1", "branch:1-60", "step:²", str(uuid4())],
)
def test_what_cannot_be_beside_is_not_found(run: Run, view: str, wanted: str) -> None:
    assert signed_in("vera").get(address(run, view), {"with": wanted}).status_code == 404


def test_a_window_is_one_fragment_that_says_what_it_holds(run: Run) -> None:
    response = rows(run)
    assert response.headers["X-Inquest"] == "fragments"
    assert len(roots_of(response.content)) == 1
    assert chunk(response) == {"first": 0, "last": 23, "total": STEPS, "selected": 0}


@pytest.mark.parametrize(
    ("query", "first", "last", "selected"),
    [
        ({"from": 24}, 24, 47, 24),
        ({"from": 48}, 48, 59, 48),
        ({"until": 23}, 0, 23, 23),
        ({"until": 5}, 0, 5, 5),
        ({"step": 30}, 28, 51, 30),
        ({"row": 30}, 28, 51, 30),
        ({"step": 3, "go": "end"}, 57, 59, 59),
        ({"step": 3, "go": "next-gap"}, 38, 59, 40),
        ({"step": 3, "go": "nowhere"}, 1, 24, 3),
        ({"step": 99_999_999}, 57, 59, 59),
        ({"row": 99_999_999}, 57, 59, 59),
        ({"until": 99_999_999}, 36, 59, 59),
        ({"step": "-1", "from": "x", "until": "²"}, 0, 23, 0),
        ({"step": "9" * 5000}, 0, 23, 0),
    ],
)
def test_windows(run: Run, query: dict[str, Any], first: int, last: int, selected: int) -> None:
    response = rows(run, **query)
    told = {"first": first, "last": last, "total": STEPS, "selected": selected}
    assert chunk(response) == told
    assert steps_in(response) == list(range(first, last + 1))


def test_beyond_the_end_is_nothing(run: Run) -> None:
    response = rows(run, **{"from": 99_999_999})
    assert (response.status_code, steps_in(response)) == (200, [])
    assert chunk(response)["last"] < chunk(response)["first"]


def test_a_window_beside_another_run_has_both_sides(run: Run, other: Run) -> None:
    response = rows(run, **{"with": other.pk, "from": 0})
    page = response.content.decode()
    assert chunk(response)["total"] >= STEPS
    assert re.findall(r'id="r(\d+)"', page)
    assert f"?with={other.pk}&amp;step=1#s1" in page
    assert f'href="/p/demo/runs/{other.pk}/steps/0/parts/0/"' in page


def test_numbers_of_candidates_stand_in_the_window_and_nothing_of_a_case(run: Run) -> None:
    quote = {"step": 1, "part": 0, "start": 0, "end": 4, "text": "Step"}
    make_candidate(run, step=1, quotes=[quote])
    desk = Desk(case_of(run))
    desk.post("mark", mark="decisive-1")
    page = rows(run, "ada").content.decode()
    assert 'class="tag cand">candidate 1' in page
    assert "first upstream" not in page


def test_the_rows_of_a_case_carry_the_readers_marks_and_nobody_elses(run: Run) -> None:
    make_policy(run.project, signatures_needed=2)
    case = case_of(make_run(run.project, make_transcript(make_step(0), external_id="two")))
    ada, ben = Desk(case, script=True), Desk(case, "ben", script=True)
    ada.post("mark", mark="decisive-0")
    ada.post("cite", step=0)
    assert ben.post("mark", mark="carrier-0").status_code == 200
    marked = [
        [
            words in desk.get("rows").content.decode()
            for words in ("first upstream", "carried it", "<mark")
        ]
        for desk in (ada, ben)
    ]
    assert marked == [[True, False, True], [False, True, False]]
    for name in ("vera", "lena"):
        page = signed_in(name).get(f"/p/demo/cases/{case.number}/rows/").content.decode()
        assert 'class="tag' not in page
        assert "<mark" not in page


# Comparing


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages wait for every comparison."""
    monkeypatch.setattr("attribution.viewing.AT_ONCE", 0)


def test_a_page_that_waits_asks_for_the_comparison_and_then_has_it(
    run: Run, other: Run, slow: None
) -> None:
    client, beside = signed_in("vera"), {"with": str(other.pk), "step": 2}
    page = client.get(f"/p/demo/runs/{run.pk}/", beside).content.decode()
    asked = f'hx-get="{address(run, "compare")}?with={other.pk}&amp;step=2"'
    assert asked in page
    assert 'id="r0"' not in page
    response = client.get(address(run, "compare"), beside)
    assert response.url == f"/p/demo/runs/{run.pk}/?with={other.pk}&step=2"
    page = client.get(response.url).content.decode()
    assert asked not in page
    assert re.findall(r'id="r\d"', page)


def test_our_script_is_told_to_draw_the_page_anew(run: Run, other: Run, slow: None) -> None:
    client = Client(headers={"HX-Request": "true"})
    client.force_login(user("vera"))
    response = client.get(address(run, "compare"), {"with": str(other.pk)})
    assert response.status_code == 200
    assert b"data-compared" in response.content
    assert Comparison.objects.count() == 1


def test_the_neighbour_is_compared_if_the_address_says_nothing(run: Run, slow: None) -> None:
    passed = make_transcript(make_step(0), external_id="ok", outcome=Outcome.SUCCEEDED)
    neighbour = make_run(run.project, passed)
    signed_in("vera").get(address(run, "compare"))
    assert [c.right_id for c in Comparison.objects.all()] == [neighbour.pk]


@pytest.mark.parametrize("wanted", ["none", "raw", "step:1", "branch:1-2"])
def test_what_needs_no_comparison_gets_none(run: Run, wanted: str) -> None:
    response = signed_in("vera").get(address(run, "compare"), {"with": wanted})
    assert response.status_code == 302
    assert not Comparison.objects.exists()


def test_too_long_runs_are_not_compared(
    run: Run, other: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_view.comparing, "ALIGNABLE", STEPS - 1)
    beside = {"with": str(other.pk)}
    assert signed_in("vera").get(address(run, "compare"), beside).status_code == 302
    assert not Comparison.objects.exists()
    page = signed_in("vera").get(f"/p/demo/runs/{run.pk}/", beside).content.decode()
    assert "One of these runs has 60 steps" in page
    assert 'hx-get="' + address(run, "compare") not in page

"""How many queries a page takes, whatever it shows: the numbers are literal, for eyes to see."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from attribution import comparing, neighbours, pairings
from attribution.models import Comparison
from reviews import assignment
from reviews.models import Case, Category, Contract
from tests.clients import address, signed_in
from tests.factories import AT, make_project, make_run, make_step, make_transcript
from tests.reviews.scenes import (
    case_of,
    make_candidate,
    make_failed_run,
    make_policy,
    settle,
    sign,
    user,
)
from traces import keys
from traces.models import Project
from traces.transcript import Outcome

pytestmark = [pytest.mark.django_db, pytest.mark.database]
rows = pytest.mark.parametrize("number", [1, 3])
steps = pytest.mark.parametrize("number", [3, 60])


@pytest.fixture
def project() -> Project:
    project = make_project()
    make_policy(project)
    return project


def make_cases(project: Project, number: int, *, prefix: str) -> list[Case]:
    return [case_of(make_failed_run(project, f"{prefix}-{n}")) for n in range(number)]


def make_all(project: Project, number: int) -> None:
    """This many cases held by ada, open, waiting for a lead, and settled."""
    for case in make_cases(project, number, prefix="held"):
        assignment.take(case=case, reviewer=user("ada"), at=timezone.now())
    make_cases(project, number, prefix="open")
    for case in make_cases(project, number, prefix="waiting"):
        sign(case, "ben")
    for case in make_cases(project, number, prefix="settled"):
        settle(case, sign(case, "ben"))


@rows
@pytest.mark.parametrize(
    ("path", "name", "queries"),
    [
        ("", "ada", 8),
        ("", "lena", 10),
        ("cases/", "ada", 6),
        ("verdicts/", "ada", 8),
        ("verdicts/", "lena", 9),
        ("runs/", "ada", 6),
    ],
)
def test_lists(
    project: Project,
    number: int,
    path: str,
    name: str,
    queries: int,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    make_all(project, number)
    client = signed_in(name)
    with django_assert_num_queries(queries):
        assert client.get(f"/p/demo/{path}").status_code == 200


@rows
def test_settings(
    project: Project, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for n in range(number):
        keys.create(project=project, name=f"key {n}", scopes=["read"], by=user("lena"), at=AT)
        Contract.objects.create(
            project=project, key=f"c{n}", component="verifier", clause="Checks.", valid_from=AT
        )
    client = signed_in("lena")
    with django_assert_num_queries(9):
        assert client.get("/p/demo/settings/").status_code == 200


def make_long_case(project: Project, number: int) -> Case:
    """A case with candidates, contracts and categories, and three successful runs beside it.

    The newest of them has been laid beside it.
    """
    texts = [make_step(n, ("planner", "coder")[n % 2], f"Step {n} says so.") for n in range(number)]
    for n in range(3):
        passed = make_transcript(*texts, external_id=f"passed-{n}", outcome=Outcome.SUCCEEDED)
        make_run(project, passed)
    case = case_of(make_run(project, make_transcript(*texts, external_id="failed")))
    neighbour = neighbours.comparison_for(case.run)
    assert neighbour
    comparing.compare(case.run, neighbour.run)
    for n in range(number):
        quote = {"step": n, "part": 0, "start": 0, "end": 4, "text": "Step"}
        make_candidate(case.run, step=n, actor=texts[n].actor, quotes=[quote])
    Contract.objects.create(
        project=project, key="c", component="verifier", clause="Checks.", valid_from=AT
    )
    Category.objects.create(project=project, key="k", name="Stale", definition="It was stale.")
    return case


def take(case: Case, name: str) -> dict[str, Any]:
    slot = assignment.take(case=case, reviewer=user(name), at=timezone.now())
    return {"token": str(slot.token)}


@steps
def test_the_case_page_of_who_holds_it(
    project: Project, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    case = make_long_case(project, number)
    token = take(case, "ada")
    client = signed_in("ada")
    candidate = case.run.analyses.get(attributor="first@1").candidates.first()
    client.post(address("start-from", case), token | {"candidate": candidate.pk})
    for n in range(number):
        client.post(address("mark", case), token | {"mark": f"carrier-{n}"})
        client.post(address("cite", case), token | {"step": n})
    with django_assert_num_queries(11):
        assert client.get(address("case", case)).status_code == 200


@steps
@pytest.mark.parametrize(("name", "queries"), [("vera", 10), ("ada", 10), ("lena", 11)])
def test_the_case_page_of_who_does_not_hold_it(
    project: Project,
    number: int,
    name: str,
    queries: int,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    case = make_long_case(project, number)
    client = signed_in(name)
    with django_assert_num_queries(queries):
        assert client.get(address("case", case)).status_code == 200


@rows
def test_the_case_page_with_every_claim(
    number: int, project: Project, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make_policy(project, signatures_needed=2)
    case = case_of(make_failed_run(project))
    carriers = (2,) if number == 1 else (0, 2)
    claim = sign(case, "ada", carriers=carriers)
    sign(case, "ben", carriers=carriers)
    case.refresh_from_db()
    settle(case, claim)
    client, page = signed_in("ada"), address("case", case)
    with django_assert_num_queries(10):
        assert client.get(page).status_code == 200


@steps
@pytest.mark.parametrize(("name", "queries"), [("vera", 8), ("lena", 9)])
def test_the_run_page(
    project: Project,
    number: int,
    name: str,
    queries: int,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    run = make_long_case(project, number).run
    client = signed_in(name)
    with django_assert_num_queries(queries):
        assert client.get(f"/p/demo/runs/{run.pk}/").status_code == 200


def path_of(where: str, case: Case) -> str:
    """The page of the case or of its run, or its rows."""
    page, _, rest = where.partition("/")
    return (address("case", case) if page == "case" else f"/p/demo/runs/{case.run.pk}/") + rest


@rows
@pytest.mark.parametrize(
    ("where", "name", "queries"),
    [
        ("run", "vera", 9), ("run", "lena", 10), ("run/rows/", "vera", 9), ("run/rows/", "lena", 9),
        ("case", "vera", 11), ("case", "ada", 11), ("case", "lena", 12), ("case/rows/", "vera", 11),
    ],
)  # fmt: skip
def test_pages_with_pairs(
    project: Project,
    number: int,
    where: str,
    name: str,
    queries: int,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    case = make_long_case(project, 6)
    neighbour = neighbours.comparison_for(case.run)
    assert neighbour
    for n in range(number):
        pairings.pair(
            user=user(name), left=case.run, right=neighbour.run, left_step=n, right_step=n + 1,
            at=AT,
        )  # fmt: skip
    client = signed_in(name)
    with django_assert_num_queries(queries):
        assert client.get(path_of(where, case)).status_code == 200


@steps
@pytest.mark.parametrize(
    ("where", "name", "queries"),
    [
        ("run/rows/", "vera", 8), ("run/rows/", "lena", 8),
        ("case/rows/", "vera", 10), ("case/rows/", "lena", 10), ("run/?with=none", "vera", 7),
    ],
)  # fmt: skip
def test_windows_of_rows(
    project: Project,
    number: int,
    where: str,
    name: str,
    queries: int,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    case = make_long_case(project, number)
    client = signed_in(name)
    with django_assert_num_queries(queries):
        assert client.get(path_of(where, case)).status_code == 200


@pytest.mark.parametrize(
    ("where", "name", "queries"),
    [
        ("run", "vera", 8), ("run", "ada", 8), ("run", "lena", 9),
        ("case", "vera", 10), ("case", "ada", 10), ("case", "lena", 11),
    ],
)  # fmt: skip
def test_pages_that_wait_for_a_comparison(
    project: Project,
    where: str,
    name: str,
    queries: int,
    monkeypatch: pytest.MonkeyPatch,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    """They take no more than those that have it."""
    monkeypatch.setattr("attribution.viewing.AT_ONCE", 0)
    case = make_long_case(project, 3)
    Comparison.objects.all().delete()
    client = signed_in(name)
    path = path_of(where, case)
    with django_assert_num_queries(queries):
        assert b'id="comparing"' in client.get(path).content


@steps
@pytest.mark.parametrize(
    ("view", "given", "queries"),
    [("write-draft", {"note": "I see."}, 11), ("mark", {"mark": "decisive-1"}, 19)],
)
def test_a_change_of_the_draft(
    project: Project,
    number: int,
    view: str,
    given: dict[str, str],
    queries: int,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    """Also for a lead, whose top bar counts cases: the answer has no top bar."""
    case = make_long_case(project, number)
    token = take(case, "lena")
    client = signed_in("lena", script=True)
    client.post(address("write-draft", case), token | {"note": "I look."})
    with django_assert_num_queries(queries):
        response = client.post(address(view, case), token | given)
    assert response.status_code == 200

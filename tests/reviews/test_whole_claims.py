from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from reviews.claim_facts import facts_of_claim
from reviews.models import Alternative, Carrier, Claim, Contract, Evidence, Miss
from reviews.whole_claims import CHILDREN, whole
from tests.factories import AT, make_project
from tests.reviews.scenes import case_of, make_failed_run, make_policy, sign

pytestmark = [pytest.mark.django_db, pytest.mark.database]
HOSTILE = 'He said "so\\u0000", \u202e<b>\n{"a": [1]}\t’'


@pytest.fixture
def claims(db: None) -> list[Claim]:
    """Two claims of a case. To each were added two rows of every sort, and to the first three."""
    project = make_project()
    make_policy(project, signatures_needed=2)
    case = case_of(make_failed_run(project))
    first, second = sign(case, "ada", carriers=()), sign(case, "ben", carriers=())
    contracts = [
        Contract.objects.create(
            project=project, key=f"c{n}", component="verifier", clause=HOSTILE, valid_from=AT,
            configurations=["a", "b"],
        )
        for n in range(2)
    ]  # fmt: skip
    for claim, number in ((first, 3), (second, 2)):
        for n in range(number):
            at = {"step": n, "claim": claim}
            given = {"part": 0, "start": 0, "end": 4, "sha256": "0" * 64, "text": HOSTILE}
            Evidence.objects.create(**at, purpose="note", **given)
            Carrier.objects.create(**at)
            Alternative.objects.create(claim=claim, step=n or None, rejected_because=HOSTILE)
            Miss.objects.create(**at, contract=contracts[n % 2])
    return [first, second]


def test_no_claim_is_none(claims: list[Claim]) -> None:
    assert whole(Claim.objects.none()) == []


def test_a_claim_without_anything_has_nothing() -> None:
    project = make_project()
    make_policy(project)
    sign(case_of(make_failed_run(project)), "ada", carriers=())
    (claim,) = whole(Claim.objects.all())
    assert list(claim.misses.all()) == list(claim.carriers.all()) == []


@pytest.mark.parametrize("number", [1, 2])
def test_all_of_it_is_what_the_rows_say_in_one_query(
    claims: list[Claim], number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    wanted = Claim.objects.filter(pk__in=[claim.pk for claim in claims[:number]])
    with django_assert_num_queries(1):
        found = whole(wanted)
        told = [facts_of_claim(claim, roles=["planner"] * 4) for claim in found]
        said = [[row_of(row) for name in CHILDREN for row in rows_of(each, name)] for each in found]
        owed = [[row_of(miss.contract) for miss in each.misses.all()] for each in found]
    assert found == claims[:number]
    alone = [Claim.objects.get(pk=claim.pk) for claim in found]
    assert told == [facts_of_claim(claim, roles=["planner"] * 4) for claim in alone]
    assert owed == [[row_of(m.contract) for m in each.misses.order_by("pk")] for each in alone]
    assert said == [
        [row_of(row) for name in CHILDREN for row in getattr(each, name).order_by("pk")]
        for each in alone
    ]


def rows_of(claim: Claim, name: str) -> list[object]:
    return list(getattr(claim, name).all())


def row_of(row: object) -> dict[str, object]:
    return {name: value for name, value in vars(row).items() if not name.startswith("_")}

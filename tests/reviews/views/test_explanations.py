"""Explanations side by side, for whoever may see them: nobody learns of a claim by its id."""

from __future__ import annotations

import pytest
from django.http import HttpResponse
from pytest_django import DjangoAssertNumQueries

from reviews.fields import Rejected
from reviews.models import Case, Claim, Contract
from tests.clients import address, ids_of, roots_of, signed_in
from tests.factories import AT
from tests.reviews.conftest import Desk
from tests.reviews.scenes import QUOTE, make_candidate, make_scene, settle, sign

pytestmark = [pytest.mark.django_db, pytest.mark.database]
WORD = "ZEBRACROSSING"
ABSENT = "An explanation that this address names is not here, or not for you to see."


@pytest.fixture
def case() -> Case:
    """Two candidates, and a claim of ada's full of a word that stands nowhere else."""
    case = make_scene(signatures=2)
    make_candidate(case.run, step=1)
    make_candidate(case.run, step=2, actor="coder", score=0.4, rationale="It wrote that.")
    given = {"note": f"{WORD} note", "state_change": f"{WORD} state"}
    sign(case, "ada", alternatives=(Rejected(2, f"{WORD} alternative"),), **given)
    case.refresh_from_db()
    return case


def key() -> str:
    return f"k{Claim.objects.get(reviewer__username='ada').pk}"


def piece(name: str, case: Case, explain: str) -> str:
    return told(signed_in(name, script=True).get(address("explain", case), {"explain": explain}))


def told(response: HttpResponse) -> str:
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.parametrize("name", ["ben", "vera"])
def test_who_may_not_see_a_claim_learns_nothing_of_it(case: Case, name: str) -> None:
    if name == "ben":
        Desk(case, "ben")
    absent = f"k{Claim.objects.latest('pk').pk + 1000}"
    for wanted in (key(), f"c1,{key()}", f"{key()},d", f"{key()},{key()}"):
        found = piece(name, case, wanted)
        assert WORD not in found
        assert "Claim of" not in found
        assert ABSENT in found
        # What is not for them reads like what is not there.
        assert found.replace(key(), absent) == piece(name, case, wanted.replace(key(), absent))


def test_a_lead_who_holds_the_case_sees_no_claim() -> None:
    case = make_scene(signatures=2)
    make_candidate(case.run)
    Desk(case, "lena")
    sign(case, "ada", note=f"{WORD} note")
    found = piece("lena", case, f"c1,{key()}")
    assert (WORD in found, "Claim of" in found, ABSENT in found) == (False, False, True)


def test_a_claim_of_another_case_is_not_here(case: Case) -> None:
    other = make_scene("other", signatures=1)
    claim = sign(other, "ben", note=f"{WORD} elsewhere")
    settle(Case.objects.get(pk=other.pk), claim)
    for name in ("ada", "lena"):
        found = piece(name, case, f"c1,k{claim.pk}")
        assert (f"{WORD} elsewhere" in found, ABSENT in found) == (False, True)


def test_the_draft_of_somebody_else_is_not_here(case: Case) -> None:
    Desk(case, "ben").post("write-draft", state_change=f"{WORD} draft")
    for name in ("ada", "lena", "vera"):
        assert f"{WORD} draft" not in piece(name, case, "c1,d")
        assert ABSENT in piece(name, case, "c1,d")


def test_who_holds_the_case_compares_a_candidate_with_their_own_draft(case: Case) -> None:
    Desk(case, "ben").post("mark", mark="decisive-2")
    found = piece("ben", case, "c1,d")
    assert "My draft" in found
    assert "#2 coder</a>" in found
    assert "are concurrent" in found


def test_who_has_signed_compares_the_claim_with_a_candidate(case: Case) -> None:
    found = piece("ada", case, f"{key()},c2")
    for words in (
        f"{WORD} state", f"{WORD} alternative", "A considered ", "Claim of ada", "Candidate 2",
        "It wrote that.", "proposed by first@1 · not measured yet: 0 signed cases",
        "attributed · own finding · confidence high", QUOTE.text,
    ):  # fmt: skip
        assert words in found, words


def test_everybody_may_once_it_is_settled(case: Case) -> None:
    claim = Claim.objects.get()
    sign(case, "ben")
    case.refresh_from_db()
    settle(case, claim)
    assert f"{WORD} state" in piece("vera", case, f"c1,{key()}")


def test_the_contract_in_force_is_told_of_its_own_actor(case: Case) -> None:
    for component in ("planner", "verifier"):
        Contract.objects.create(
            project=case.project, key=component, component=component, clause="Asks.", valid_from=AT
        )
    found = piece("ada", case, "c1,c2")
    assert ("planner: Asks." in found, "verifier: Asks." in found) == (True, False)


def test_nothing_is_picked_beforehand(case: Case) -> None:
    found = piece("ada", case, "")
    assert "<table" not in found
    assert "hidden>" in found
    assert {"pick-c1", "pick-c2", f"pick-{key()}"} <= ids_of(found.encode())


def test_a_script_gets_pieces_that_replace_what_has_their_ids(case: Case) -> None:
    response = signed_in("ada", script=True).get(address("explain", case), {"explain": "c1,c2"})
    assert response.headers["X-Inquest"] == "fragments"
    picks = ["pick-c1", "pick-c2", f"pick-{key()}"]
    assert roots_of(response.content) == ["explaining", "map-explain", *picks]


def test_without_a_script_the_page_itself_is_the_answer(case: Case) -> None:
    client, page = signed_in("ada"), address("case", case)
    given = {"a": "c1", "b": key(), "step": "2", "with": "none"}
    response = client.get(address("explain", case), given)
    assert (response.status_code, response.url) == (
        302, f"{page}?with=none&explain=c1%2C{key()}&step=2#explaining"
    )  # fmt: skip


@pytest.mark.parametrize("signed", [1, 3])
def test_queries_do_not_grow_with_claims(
    signed: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    case = make_scene(signatures=signed)
    make_candidate(case.run)
    make_candidate(case.run, step=2, actor="coder")
    for name in ("lena", "ada", "ben")[-signed:] if signed > 1 else ["ada"]:
        sign(case, name)
        case.refresh_from_db()
    settle(case, Claim.objects.filter(reviewer__username="ada").get())
    client, path = signed_in("vera", script=True), address("explain", case)
    for explain in ("c1,c2", f"c1,{key()}"):
        with django_assert_num_queries(10):
            client.get(path, {"explain": explain})

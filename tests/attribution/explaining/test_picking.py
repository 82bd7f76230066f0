"""What the address may hold, and where each control leads."""

from __future__ import annotations

import pytest
from django.http import QueryDict

from attribution.explaining.picking import Pick, Picked, keys_of, place_of
from attribution.place import Place
from tests.attribution.explaining.scenes import candidate


def picked(query: str, number: int = 3) -> Picked:
    found = (candidate(n, n) for n in range(1, number + 1))
    return Picked({each.key: each for each in found}, Place.from_query(QueryDict(query)))


@pytest.mark.parametrize(
    "text", ["", ",", "c0", "c-1", "k", "c1 ", "x1", "dd", "c٣", "c" + "9" * 400, "<b>", "k1;--"]
)  # fmt: skip
def test_what_is_no_key_is_dropped(text: str) -> None:
    assert keys_of(text) == ()


def test_two_different_keys_count() -> None:
    assert keys_of("c1,c1,k12,d") == ("c1", "k12")
    assert keys_of("c1,,nonsense,d") == ("c1", "d")


def test_what_is_not_known_is_as_if_it_never_was() -> None:
    found = picked("explain=k7,c2")
    assert (found.keys, found.unknown) == (("c2",), True)
    assert [each.key for each in found.chosen] == ["c2"]
    assert not picked("explain=c1,c2").unknown


def test_one_explanation_alone_has_nothing_to_be_compared_with() -> None:
    assert picked("", 1).picks == {}


def test_each_control_adds_takes_out_or_replaces_the_second() -> None:
    assert picked("with=none&step=4").picks["c2"] == Pick(
        "c2", "Candidate 2", "?with=none&step=4&explain=c2"
    )
    two = picked("step=4&explain=c1,c3")
    assert two.picks == {
        "c1": Pick("c1", "Candidate 1", "?step=4&explain=c3", "A"),
        "c2": Pick("c2", "Candidate 2", "?step=4&explain=c1%2Cc2"),
        "c3": Pick("c3", "Candidate 3", "?step=4&explain=c1", "B"),
    }
    assert two.swapped == "?step=4&explain=c3%2Cc1"
    assert two.without == "?step=4"


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("step=4&a=c1&b=k12", "?step=4&explain=c1%2Ck12"),
        ("explain=c1,c2&a=c3", "?explain=c3"),
        ("explain=c1,c2&a=nonsense&b=", "?"),
        ("with=none&explain=c1,c2", "?with=none&explain=c1%2Cc2"),
    ],
)
def test_a_form_may_name_them_apart(query: str, place: str) -> None:
    found = place_of(QueryDict(query))
    assert sorted(found.query()[1:].split("&")) == sorted(place[1:].split("&"))

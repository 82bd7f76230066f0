from __future__ import annotations

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from attribution.place import KEPT, LONGEST, MOST, Place, number


def place(address: str) -> Place:
    return Place.from_query(QueryDict(address))


@pytest.mark.parametrize(
    "text",
    ["", "x", "-1", "+1", " 1", "1 ", "1.0", "1e3", "²", "١", "0x1", "123456789", "9" * 5000],
)
def test_what_is_no_number_of_a_step(text: str) -> None:
    assert number(text) is None


@pytest.mark.parametrize(("text", "found"), [("0", 0), ("007", 7), ("99999999", 99_999_999)])
def test_numbers(text: str, found: int) -> None:
    assert number(text) == found


def test_nothing_is_said() -> None:
    assert place("") == Place()
    assert (Place().kept, Place().query(), Place().fields()) == ("", "?", [])
    assert (Place().value("with"), Place().getlist("actor")) == ("", [])


@pytest.mark.parametrize("name", ["step", "row", "from", "until"])
@pytest.mark.parametrize("value", ["", "x", "-1", "%C2%B2", "1%00", "%00", "9" * 9])
def test_a_number_that_is_none_is_dropped(name: str, value: str) -> None:
    assert place(f"{name}={value}") == Place()


def test_what_is_unknown_or_cannot_be_is_dropped() -> None:
    assert place("q=1&csrf=2&given=3&__class__=4&with=&actor=a%00b") == Place()


def test_nothing_is_longer_than_an_address_should_be() -> None:
    query = QueryDict(mutable=True)
    query.setlist("actor", [f"a{n}" for n in range(5_000)])
    query["text"], query["go"] = "x" * 100_000, "end" * 100_000
    found = Place.from_query(query)
    assert found.getlist("actor") == [f"a{n}" for n in range(MOST)]
    assert (len(found.value("text")), len(found.go)) == (LONGEST, 40)


def test_the_numbers_are_read_by_name_and_the_last_one_counts() -> None:
    found = place("step=1&step=5&row=6&from=7&until=8&go=next-gap")
    assert found == Place(5, 6, 7, 8, "next-gap")


def test_links_keep_all_but_the_step_and_the_window() -> None:
    found = place("step=5&from=2&until=3&row=4&go=up&actor=a+%26+b&with=none&actor=c")
    assert found.kept == "with=none&actor=a+%26+b&actor=c&"
    assert found.query() == "?with=none&actor=a+%26+b&actor=c&step=5"
    assert found.query(step=7) == "?with=none&actor=a+%26+b&actor=c&step=7"
    assert found.query(step=None) == "?with=none&actor=a+%26+b&actor=c"
    assert found.query(actor=None) == "?with=none&step=5"
    assert found.query(actor=["d", "e"], seen=1) == "?with=none&step=5&actor=d&actor=e&seen=1"


def test_the_first_step_is_kept_like_any_other() -> None:
    assert place("step=0").query() == "?step=0"


def test_a_form_repeats_what_it_does_not_set() -> None:
    found = place("step=5&actor=a&actor=b&text=x")
    assert found.fields() == [("actor", "a"), ("actor", "b"), ("text", "x"), ("step", "5")]
    assert found.fields("actor", "step") == [("text", "x")]


def test_of_a_value_given_twice_the_last_one_counts() -> None:
    assert place("with=a&with=b").value("with") == "b"


values = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
queries = st.dictionaries(st.sampled_from([*KEPT, "step", "go", "x"]), st.lists(values, max_size=4))


def place_of(given: dict[str, list[str]]) -> Place:
    query = QueryDict(mutable=True)
    for name, several in given.items():
        query.setlist(name, several)
    return Place.from_query(query)


@given(queries, st.none() | st.integers(0, 10**8 - 1))
def test_an_address_leads_back_to_its_place(given: dict[str, list[str]], step: int | None) -> None:
    found = place_of(given)
    expected = Place(step=step, given=found.given)
    assert place(found.query(step=step)[1:]) == expected
    assert place(f"{found.kept}step={'' if step is None else step}") == expected


@given(queries)
def test_a_form_leads_back_to_its_place(given: dict[str, list[str]]) -> None:
    found = place_of(given)
    sent: dict[str, list[str]] = {}
    for name, value in found.fields():
        sent.setdefault(name, []).append(value)
    assert place_of(sent) == Place(step=found.step, given=found.given)

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.compact import compact, moment, usual

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=()))
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)

# Summer time of Amsterdam until 1937, in whole seconds.
ZONE = timezone(timedelta(hours=1, minutes=19, seconds=32))


def standard(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def test_what_no_json_holds_is_refused() -> None:
    with pytest.raises(TypeError):
        compact({"a": object()})


@given(VALUES)
def test_it_writes_letter_for_letter_what_the_standard_library_writes(value: object) -> None:
    assert compact(value) == standard(value)


@pytest.mark.parametrize(
    "value", [1e16, 1.234e-5, float("nan"), 2**70, {1: 2}, "\ud800", ("a", "b"), {"a": (1.5,)}]
)
def test_odd_values_are_left_to_the_standard_library(value: object) -> None:
    assert compact(value) == standard(value)


@given(st.datetimes(timezones=st.sampled_from([UTC, None, ZONE]) | st.timezones()))
def test_times_are_written_as_the_standard_library_does(value: datetime) -> None:
    assert moment(value) == value.isoformat()


def test_numbers_with_a_fraction_are_not_usual_at_any_depth() -> None:
    assert usual({"a": [1, "b", None, True, {"c": []}]})
    assert not usual({"a": [1, {"c": [0.5]}]})

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
import rfc8785

from reviews.postmortems.plain import moment, plain


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"a": [1, True, None, "x"]}, {"a": [1, True, None, "x"]}),
        ([2**53 - 1, 2**53, -(2**53)], [2**53 - 1, str(2**53), str(-(2**53))]),
        ([0.5, float("nan"), float("-inf")], [0.5, "nan", "-inf"]),
    ],
)
def test_a_record_can_be_written_canonically(value: Any, expected: Any) -> None:
    assert plain(value) == expected
    assert rfc8785.dumps(plain(value))


def test_moments_are_in_utc_with_their_offset() -> None:
    zone = timezone(timedelta(hours=2))
    assert moment(datetime(2026, 9, 1, 2, tzinfo=zone)) == "2026-09-01T00:00:00+00:00"
    assert moment(datetime(2026, 9, 1, 2, 0, 0, 500, tzinfo=UTC)) == "2026-09-01T02:00:00.000500+00:00"  # noqa: E501 # fmt: skip
    assert moment(None) is None

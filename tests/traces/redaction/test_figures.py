"""Which number a value is part of."""

from __future__ import annotations

import pytest

from traces.redaction.figures import number_around


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("value", None),
        ("12value34", None),
        ("12", None),
        ("[-1.5e3]", None),
        ("[-777.5e3]", "-777.5e3"),
        ("777", "777"),
        ("777.0,", "777.0"),
        ("1-777", None),
        ("777x", None),
        ("777" + "0" * 400, None),
        ("0" * 400 + "777", None),
    ],
)
def test_a_part_stands_for_its_number(text: str, number: str | None) -> None:
    wanted = "777" if "777" in text else "value"
    start = max(0, text.find(wanted))
    found = number_around(text, start, start + len(wanted))
    assert (found and text[slice(*found)]) == number

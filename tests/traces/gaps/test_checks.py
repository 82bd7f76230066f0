from dataclasses import replace

import pytest

from tests.factories import make_step, make_transcript
from tests.traces.gaps.pieces import answers, asks, check, found


def test_a_verdict_with_nothing_to_it_is_found() -> None:
    transcript = make_transcript(
        make_step(0, parts=(check(),)),
        make_step(1, parts=(check("failed", observed="410"),)),
        make_step(2, parts=(check(method="pytest"),)),
        make_step(3, parts=(asks(), answers(), check())),
        make_step(4, parts=(check("skipped"),)),
    )
    assert found(transcript, "check_without_details") == [0]


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("12 passed in 3.2s", []),
        ("Rows, totals and currencies agree.", []),
        ("passed", [0]),
        ("ci: the check passed", [0]),
        ("All good.", [0]),
    ],
)
def test_words_beside_the_verdict_are_details(text: str, there: list[int]) -> None:
    transcript = make_transcript(make_step(0, parts=(replace(check(), text=text),)))
    assert found(transcript, "check_without_details") == there


def test_a_payload_is_a_detail() -> None:
    transcript = make_transcript(make_step(0, parts=(check(payload={"sha256": "0" * 64}),)))
    assert found(transcript, "check_without_details") == []

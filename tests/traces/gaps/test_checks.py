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

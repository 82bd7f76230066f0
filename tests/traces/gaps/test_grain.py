from tests.factories import make_step, make_transcript
from tests.traces.gaps.pieces import answers, asks, check, found, says, state
from traces.transcript import Part, PartKind

DECIDES = Part(PartKind.DECISION, "I do it.")


def test_a_step_that_does_three_things_is_too_coarse() -> None:
    calls = (asks("a"), answers("a"), asks("b"), answers("b"))
    transcript = make_transcript(
        make_step(0, parts=(DECIDES, *calls, state("app", "1", "2"), check())),
        make_step(1, parts=(DECIDES, state("app", "2", "3"), check())),
        make_step(2, parts=(DECIDES, state("plan", "1", "2"), says())),
        make_step(3, parts=(asks("c"), answers("c"), state("app", "3", "4"), check())),
        make_step(4, parts=(DECIDES, asks("d"), answers("d"), check())),
    )
    assert found(transcript, "step_too_coarse") == [0, 1]


def test_a_stream_of_tokens_is_one_gap_at_its_first_step() -> None:
    steps = [make_step(0, text="A sentence that is longer than a token is.")]
    steps += [make_step(n, text="tok") for n in range(1, 31)]
    assert found(make_transcript(*steps), "step_too_fine") == [1]


def test_a_short_exchange_is_no_stream() -> None:
    steps = [make_step(n, "ab"[n % 2], text="ok") for n in range(60)]
    assert found(make_transcript(*steps), "step_too_fine") == []
    assert found(make_transcript(*steps[:19]), "step_too_fine") == []

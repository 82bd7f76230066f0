import pytest

from tests.factories import make_step, make_transcript
from tests.traces.gaps.pieces import answers, asks, check, found, says
from traces.transcript import Actor, ActorKind, Link, LinkKind, StepStatus

KIND = "interpretation_for_observation"


def test_an_answer_that_only_its_reader_tells_of_is_found() -> None:
    transcript = make_transcript(
        make_step(0, parts=(asks("a"),)),
        make_step(1, "coder", parts=(says("The tests passed."),)),
        make_step(2, parts=(says("The query returned two rows."),)),
    )
    assert found(transcript, KIND) == [2]


def test_who_asks_again_or_saw_something_or_says_nothing_of_it_is_not_suspected() -> None:
    told = says("It returned two rows.")
    for second in ((asks("b"), answers("b"), told), (says("Now the other file."),)):
        transcript = make_transcript(make_step(0, parts=(asks("a"),)), make_step(1, parts=second))
        assert found(transcript, KIND) == []
    broken = make_step(0, parts=(asks("a"),), status=StepStatus.TIMEOUT)
    assert found(make_transcript(broken, make_step(1, parts=(told,))), KIND) == []
    answered = make_step(0, parts=(asks("a"), answers("a")))
    assert found(make_transcript(answered, make_step(1, parts=(told,))), KIND) == []


@pytest.mark.parametrize(
    "text",
    [
        "Next I will check the output directory.",
        "Let me see what it returned.",
        "If it returned two rows we go on.",
        "Has it passed?",
        "I write the results to a file.",
    ],
)
def test_who_speaks_of_what_is_yet_to_come_is_not_suspected(text: str) -> None:
    transcript = make_transcript(
        make_step(0, parts=(asks("a"),)), make_step(1, parts=(says(text),))
    )
    assert found(transcript, KIND) == []


def test_an_answer_is_missed_in_the_same_step_and_after_another_word() -> None:
    told = says("The query returned two rows.")
    both = make_step(0, parts=(asks("a"), told))
    assert found(make_transcript(both), KIND) == [0]
    before = make_step(0, parts=(told, asks("a")))
    assert found(make_transcript(before), KIND) == []
    silent = make_step(1, parts=(says("Good to know."),))
    asked = make_step(0, parts=(asks("a"),))
    assert found(make_transcript(asked, silent, make_step(2, parts=(told,))), KIND) == [2]
    saw = make_step(1, parts=(answers("b"),))
    assert found(make_transcript(asked, saw, make_step(2, parts=(told,))), KIND) == []


def test_an_agents_verdict_without_anything_seen_is_found() -> None:
    actors = (
        Actor("planner", "planner", ActorKind.AGENT),
        Actor("ci", "ci", ActorKind.EVALUATOR),
    )
    transcript = make_transcript(
        make_step(0, parts=(asks(), answers())),
        make_step(1, parts=(check(),)),
        make_step(2, parts=(check(),)),
        make_step(3, parts=(check(observed="12 passed"),)),
        make_step(4, "ci", parts=(check(),)),
        links=(Link(0, 1, LinkKind.CONSUMES), Link(0, 2, LinkKind.FOLLOWS, "a guess")),
        actors=actors,
    )
    assert found(transcript, KIND) == [2]

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from attribution.attributors.base import (
    LONGEST_CATEGORY,
    LONGEST_EXCERPT,
    SYMPTOMS_FIRST,
    Attributor,
    BadProposal,
    Proposal,
    Quote,
    Reading,
    Role,
    checked,
    excerpt,
    quote,
)
from tests.attribution.scenes import calls, decides, failed, passed, sample, says
from tests.factories import make_step
from traces.facts import main_text
from traces.transcript import Opinion, Part, PartKind

RUN = failed(says(0, "Send the mails."), calls(1, "mail", answer="sent 12 of 12"))
# sha256 of "mails", from `printf mails | sha256sum`.
MAILS = "f3faffe969095fb84ead9abf0a67c24a132877cae2804c378373ed9e2db1dfdc"


def proposal(**fields: object) -> Proposal:
    given = {
        "step": 0,
        "actor": "planner",
        "part": Role.PRODUCED,
        "score": 0.5,
        "rationale": "It says so.",
        "quotes": (quote(RUN, step=0, part=0, start=9, end=14),),
    }
    return Proposal(**{**given, **fields})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"quotes": ()}, "it quotes nothing from the record."),
        ({"step": 2}, "there is no such step."),
        ({"step": -1}, "there is no such step."),
        ({"actor": "nobody"}, "there is no actor 'nobody'."),
        ({"part": "guilty"}, "'guilty' is no part in a failure."),
        ({"score": 1.5}, "the score 1.5 is not between 0 and 1."),
        ({"score": float("nan")}, "the score nan is not between 0 and 1."),
        ({"rationale": " "}, "it has no rationale."),
        ({"rationale": "a\0b"}, "no database stores its words: NUL, or half of a surrogate pair."),
        ({"category": "\ud800"}, "no database stores its words: NUL, or half of a surrogate pair."),
        ({"category": "x" * 121}, f"its category has more than {LONGEST_CATEGORY} characters."),
    ],
)
def test_a_proposal_the_record_does_not_bear_is_refused(fields: dict[str, object], reason: str):
    bad = proposal(**fields)

    with pytest.raises(BadProposal, match="Proposal for step") as refused:
        checked([proposal(), bad], RUN)

    assert str(refused.value) == f"Proposal for step #{bad.step}: {reason}"


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"text": "letters"}, "“letters” is not what stands at its place in step #0."),
        ({"sha256": "0" * 64}, "“mails” is not what stands at its place in step #0."),
        ({"start": 8, "end": 13}, "“mails” is not what stands at its place in step #0."),
        ({"end": 99}, "Part 0 of step #0 has no characters 9 to 99."),
        ({"part": 1}, "There is no part 1 in step #0 to quote."),
        ({"step": 7}, "There is no part 0 in step #7 to quote."),
    ],
)
def test_a_proposal_with_a_quote_that_does_not_match_is_refused(
    wrong: dict[str, object], reason: str
):
    true = quote(RUN, step=0, part=0, start=9, end=14)
    false = replace(true, **wrong)  # type: ignore[arg-type]

    with pytest.raises(BadProposal) as refused:
        checked([proposal(quotes=(true, false))], RUN)

    assert str(refused.value) == f"Proposal for step #0: {reason}"


@pytest.mark.parametrize(
    ("step", "part", "start", "end"),
    [
        (2, 0, 0, 1),
        (-1, 0, 0, 1),
        (0, 1, 0, 1),
        (0, -1, 0, 1),
        (0, 0, 3, 3),
        (0, 0, -2, 3),
        (0, 0, 0, 16),
    ],
)
def test_a_range_that_is_not_there_cannot_be_quoted(step: int, part: int, start: int, end: int):
    with pytest.raises(BadProposal):
        quote(RUN, step=step, part=part, start=start, end=end)


def test_a_quote_holds_the_text_of_its_range_and_its_hash():
    found = quote(RUN, step=0, part=0, start=9, end=14)

    assert found == Quote(step=0, part=0, start=9, end=14, text="mails", sha256=found.sha256)
    assert found.sha256 == MAILS


def test_proposals_come_back_best_first():
    low, high = proposal(score=0.1), proposal(score=0.9)

    assert checked([low, high], RUN) == [high, low]
    assert checked([], RUN) == []


def test_an_excerpt_is_the_first_line_of_the_most_telling_part():
    thought = Part(PartKind.INTERPRETATION, "Let me think.")
    choice = Part(PartKind.DECISION, "\n  Wait for coder-2.  \nThen merge.")
    run = failed(make_step(0, parts=(thought, choice)))

    assert excerpt(run, 0) == quote(run, step=0, part=1, start=3, end=20)
    assert excerpt(run, 0).text == "Wait for coder-2."


def test_an_excerpt_of_a_symptom_prefers_what_was_seen():
    assert excerpt(RUN, 1).text == "{}"
    assert excerpt(RUN, 1, SYMPTOMS_FIRST).text == "sent 12 of 12"


def test_an_excerpt_is_short_and_a_step_without_text_has_none():
    long = failed(says(0, "x" * 1000), make_step(1, parts=(Part(PartKind.MESSAGE, " \n "),)))

    assert len(excerpt(long, 0).text) == LONGEST_EXCERPT
    assert excerpt(long, 1) is None


def test_a_reading_holds_neither_opinions_nor_what_is_withheld():
    opinion = Opinion(source="a file", native_step="3", base=0, step=0, actor="planner")
    labelled = failed(says(0, "x"), opinions=(opinion,), withheld={"ground_truth": "42"})
    other = passed(says(0, "x"), opinions=(opinion,), withheld={"ground_truth": "42"})

    reading = Reading.of(labelled, other)

    for run in (reading.transcript, reading.reference):
        assert run is not None
        assert (run.opinions, run.withheld) == ((), {})
    assert Reading.of(labelled).reference is None


def test_a_label_is_name_and_version():
    class Guess(Attributor):
        name = "guess"
        version = 3

        def propose(self, reading: Reading) -> Sequence[Proposal]:
            return []

    assert Guess().label == "guess@3"
    assert not Guess().needs_reference


def test_decisions_are_quoted_from_their_words():
    run = failed(decides(0, "wait"))

    assert excerpt(run, 0).text == "I choose wait."


def test_an_excerpt_is_not_taken_from_a_fact():
    run = sample("merge-conflict-failed")
    for step in run.steps:
        found = excerpt(run, step.number)
        if found:
            assert found.end <= len(main_text(step.parts[found.part]))
    silent = Part(PartKind.MESSAGE, "to: owner", {"to": "owner"})
    assert excerpt(failed(make_step(0, parts=(silent,))), 0) is None

import pytest

from tests.factories import make_step, make_transcript
from tests.traces.gaps.pieces import answers, found
from traces.gaps.content import how_cut
from traces.transcript import Part, PartKind


@pytest.mark.parametrize(
    "text",
    [
        "a\n[truncated]",
        "a\n... (1,234 characters truncated)",
        "a ...\n[... 120 lines omitted ...]\nb",
        "a\n<response clipped><NOTE>Too long.</NOTE>",
        "a\n[... Observation truncated due to length ...]",
        "a [output truncated]",
        "[... omitted 12 lines ...]",
    ],
)
def test_a_text_that_says_that_it_was_cut_is_believed(text: str) -> None:
    assert how_cut(Part(PartKind.TOOL_RESPONSE, text)).startswith("The text says so itself")


@pytest.mark.parametrize(
    "text",
    [
        "The list was truncated to ten.",
        'mark = "[truncated]" if long else ""',
        "TRUNCATE TABLE lines",
        "omitted: none",
        "(truncated) normal distribution",
    ],
)
def test_a_text_that_speaks_of_cutting_is_not_cut(text: str) -> None:
    assert how_cut(Part(PartKind.TOOL_RESPONSE, text)) == ""


def test_what_people_say_of_cutting_is_no_mark() -> None:
    assert how_cut(Part(PartKind.MESSAGE, "It ends in\n[truncated]")) == ""


def test_the_recorder_is_believed() -> None:
    cut = Part(PartKind.MESSAGE, "a", {"cut": {"characters": 12_000, "sha256": "0" * 64}})
    damaged = Part(PartKind.MESSAGE, "a", capture={"text": "damaged"})
    assert how_cut(cut) == "The original had 12,000 characters."
    wrong = Part(PartKind.MESSAGE, "abc", {"cut": {"characters": 2, "sha256": "0" * 64}})
    assert how_cut(wrong) == "The original had 2 characters, fewer than were kept."
    assert how_cut(damaged) == "The recorder calls the text damaged."


def test_a_payload_that_was_only_named_is_found() -> None:
    named = {"sha256": "ab" * 32, "size": 3, "media_type": "image/png"}
    withheld = Part(PartKind.INPUT, "x", {"payload": named}, {"payload": "withheld"})
    transcript = make_transcript(
        make_step(0, parts=(answers(payload=named),)),
        make_step(1, parts=(answers(payload={**named, "stored": True}),)),
        make_step(2, parts=(answers(payload={"content": "aGk="}),)),
        make_step(3, parts=(withheld,)),
    )
    assert found(transcript, "payload_not_sent") == [0]

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.carrying import Carrier
from tests.factories import make_step, make_transcript
from traces.counterparts import Counterparts
from traces.transcript import Transcript

TEXT = "The v1 interface is simpler. Use it."
QUOTE = {"purpose": "origin", "step": 1, "part": 0, "start": 29, "end": 36, "text": "Use it."}
BEFORE = make_transcript(
    make_step(0, "owner", "Go."), make_step(1, "planner", TEXT), make_step(2, "coder", "Done.")
)
DRAFT = {
    "note": "Wrong version.",
    "decisive_step": 1,
    "responsible": "actor",
    "actor": "planner",
    "exposing_step": 2,
    "carriers": [0, 2],
    "evidence": [QUOTE],
    "misses": [{"step": 2, "contract": "7"}],
    "alternatives": [
        {"step": 0, "rejected_because": "He only asked."},
        {"step": None, "rejected_because": "The weather."},
    ],
    "candidate": 5,
}


def after(*steps: tuple[str, str, str]) -> Transcript:
    return make_transcript(
        *(
            make_step(number, actor, text, source_id=name)
            for number, (name, actor, text) in enumerate(steps)
        )
    )


INSERTED = after(
    ("s0", "owner", "Go."), ("new", "tool", "?"), ("s1", "planner", TEXT), ("s2", "coder", "Done.")
)


def carried(
    draft: dict[str, Any], now: Transcript, *candidates: int
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    carrier = Carrier(Counterparts(BEFORE, now))
    return carrier.carry(draft, candidates=frozenset(candidates)), carrier.lost


def test_all_marks_follow_their_steps() -> None:
    fields, lost = carried(DRAFT, INSERTED, 5)
    assert fields == DRAFT | {
        "decisive_step": 2,
        "exposing_step": 3,
        "carriers": [0, 3],
        "evidence": [QUOTE | {"step": 2}],
        "misses": [{"step": 3, "contract": "7"}],
        "alternatives": [
            {"step": 0, "rejected_because": "He only asked."},
            {"step": None, "rejected_because": "The weather."},
        ],
    }
    assert lost == []


def test_marks_of_a_step_that_is_gone_are_taken_out_and_told() -> None:
    fields, lost = carried(DRAFT, after(("s0", "owner", "Go."), ("s2", "coder", "Done.")), 5)
    assert (fields["decisive_step"], fields["exposing_step"]) == ("", 1)
    assert (fields["carriers"], fields["evidence"]) == ([0, 1], [])
    assert {"what": "first upstream step", "step": 1, "text": ""} in lost
    assert {"what": "quote", "step": 1, "text": "Use it."} in lost
    assert {"what": "responsible actor", "step": None, "text": "planner"} in lost


def test_a_quote_of_words_that_changed_is_taken_out_and_told() -> None:
    now = after(("s0", "owner", "Go."), ("s1", "planner", "Use v2."), ("s2", "coder", "Done."))
    fields, lost = carried(DRAFT, now, 5)
    assert (fields["decisive_step"], fields["evidence"]) == (1, [])
    assert lost == [{"what": "quote", "step": 1, "text": "Use it."}]


def test_what_was_written_about_a_lost_alternative_is_told() -> None:
    _, lost = carried({"alternatives": DRAFT["alternatives"]}, after(("s1", "planner", TEXT)))
    assert lost == [{"what": "alternative", "step": 0, "text": "He only asked."}]


def test_who_acted_at_the_decisive_step_is_blamed_by_the_key_it_has_now() -> None:
    now = after(("s0", "owner", "Go."), ("s1", "planner/1", TEXT), ("s2", "coder", "Done."))
    assert carried(DRAFT, now, 5)[0]["actor"] == "planner/1"


def test_a_candidate_that_was_taken_back_is_told() -> None:
    fields, lost = carried(DRAFT, INSERTED)
    assert fields["candidate"] == ""
    assert [each["what"] for each in lost] == ["candidate you started from"]


def test_an_empty_draft_stays_empty() -> None:
    assert carried({}, INSERTED) == ({}, [])


SCALARS = st.sampled_from([None, -1, 0, 1, 99, "", "1", "x", True])
ROWS = st.dictionaries(st.sampled_from([*QUOTE, "contract"]), SCALARS, max_size=6)
ANYTHING = SCALARS | st.lists(SCALARS | ROWS, max_size=3) | ROWS


@given(st.dictionaries(st.sampled_from(list(DRAFT)), ANYTHING))
def test_whatever_stands_in_a_draft_is_carried(draft: dict[str, Any]) -> None:
    fields, _ = carried(draft, INSERTED)
    assert fields.keys() == draft.keys()


@pytest.mark.parametrize("name", ["decisive_step", "exposing_step"])
def test_a_mark_outside_the_run_is_lost(name: str) -> None:
    fields, lost = carried({name: 99}, INSERTED)
    assert fields == {name: ""}
    assert [each["step"] for each in lost] == [99]

"""Changes that do not follow from each other: small runs worked out by hand."""

from __future__ import annotations

from tests.factories import make_transcript
from tests.traces.test_states import run, writes
from traces.chains import breaks
from traces.transcript import Step


def found(*steps: Step, links: tuple[tuple[int, int], ...] = ()) -> list[tuple[int, str]]:
    return [tuple(each) for each in breaks(run(*steps, links=links))]


def test_a_write_from_a_version_that_its_author_knew_was_replaced_is_found() -> None:
    steps = (
        writes(0, "ann", "v0", "v1"),
        writes(1, "ann", "v1", "v2"),
        writes(2, "bob", "v0", "v3"),
    )
    told = "app: step 2 started from v0, which step 0 had replaced; the last was v2."
    assert found(*steps, links=((1, 2),)) == [(2, told)]


def test_who_could_not_know_or_publishes_or_goes_back_first_is_not_suspected() -> None:
    first = writes(0, "ann", "v0", "v1")
    assert found(first, writes(1, "bob", "v0", "v2"), links=()) == []
    assert found(first, writes(1, "ann", "v0", "v1")) == []
    back = writes(1, "ann", "v1", "v0")
    assert found(first, back, writes(2, "ann", "v0", "v2")) == []
    told = writes(1, "ann", "v0", "v2", against=["s0"], resolution="accepted")
    assert found(first, told) == []


def test_after_a_deletion_nothing_starts_from_a_version() -> None:
    gone = (writes(0, "ann", None, "v1"), writes(1, "ann", "v1", None))
    assert found(*gone, writes(2, "ann", None, "v2")) == []
    assert found(*gone, writes(2, "ann", "v9", "v10")) == [
        (2, "app was deleted in step 1, and is v9 before step 2.")
    ]
    assert found(*gone, writes(2, "ann", "v1", "v2")) == [
        (2, "app: step 2 started from v1, which step 1 had deleted.")
    ]


def test_two_versions_that_were_both_accepted_contradict_each_other() -> None:
    steps = (
        writes(0, "ann", "1", "2a", resolution="accepted", against=["s1"]),
        writes(1, "bob", "1", "2b", resolution="accepted", against=["s0"]),
    )
    assert found(*steps) == [(1, "app: said to be accepted are 2a and 2b.")]


def test_an_accepted_version_that_nobody_made_is_found() -> None:
    step = writes(0, "ann", "1", "2", accepted="7")
    assert found(step) == [(0, "app: accepted was 7, which no recorded step made.")]
    assert found(writes(0, "ann", "1", "2", accepted="none so far")) == []


def test_a_run_without_states_has_no_break() -> None:
    assert breaks(make_transcript()) == []

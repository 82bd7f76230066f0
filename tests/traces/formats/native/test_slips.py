from __future__ import annotations

from tests.traces.formats.native_runs import kinds, native_run, native_step, transcript_of


def test_a_join_of_nobody_on_record_is_a_gap_at_its_step() -> None:
    run = transcript_of(native_run(native_step(1), native_step(2, joins=["gone", "lost"])))
    assert kinds(run)["join_without_parents"] == 1


def test_a_sequence_number_given_twice_is_a_gap_of_the_run() -> None:
    run = transcript_of(native_run(native_step(1), native_step(2, sequence=1)))
    (gap,) = [gap for gap in run.gaps if gap.kind == "repeated_sequence"]
    assert gap.detail == "Several steps have the source's sequence number: 1."
    assert "repeated_sequence" not in kinds(transcript_of(native_run()))

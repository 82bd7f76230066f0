from datetime import timedelta

from tests.factories import AT, make_step, make_transcript
from tests.traces.gaps.pieces import found

MINUTE = timedelta(minutes=1)


def test_what_was_written_after_the_record_was_closed_came_late() -> None:
    steps = (
        make_step(0, recorded_at=AT),
        make_step(1, recorded_at=AT + MINUTE),
        make_step(2, started_at=AT),
    )
    assert found(make_transcript(*steps, closed_at=AT), "late_arrival") == [1]
    assert found(make_transcript(*steps), "late_arrival") == []


def test_what_begins_after_the_run_ended_came_late() -> None:
    steps = (make_step(0, started_at=AT), make_step(1, started_at=AT + MINUTE))
    assert found(make_transcript(*steps, ended_at=AT), "late_arrival") == [1]


def test_a_wrong_end_is_one_gap_of_the_run() -> None:
    steps = [make_step(n, started_at=AT + MINUTE) for n in range(8)]
    assert found(make_transcript(*steps, ended_at=AT), "late_arrival") == [None]


def test_times_outside_of_the_run_are_found() -> None:
    steps = (
        make_step(0, started_at=AT - MINUTE),
        make_step(1, started_at=AT, ended_at=AT + MINUTE),
        make_step(2, started_at=AT, ended_at=AT + 2 * MINUTE),
        make_step(3, started_at=AT + 2 * MINUTE, ended_at=AT + 3 * MINUTE),
    )
    run = make_transcript(*steps, started_at=AT, ended_at=AT + MINUTE)
    assert found(run, "clock_skew") == [0, 2]
    assert found(run, "late_arrival") == [3]
    assert found(make_transcript(*steps), "clock_skew") == []


def test_what_was_written_down_before_it_began_is_found() -> None:
    steps = (
        make_step(0, started_at=AT, recorded_at=AT - MINUTE),
        make_step(1, started_at=AT, recorded_at=AT),
    )
    assert found(make_transcript(*steps), "clock_skew") == [0]

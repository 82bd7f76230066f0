from traces.gaps.systematic import once_if_common
from traces.transcript import Gap


def gaps(count: int) -> list[Gap]:
    return [Gap("cut_text", f"Cut {n}.", n) for n in range(count)]


def test_a_few_stay_where_they_are() -> None:
    assert once_if_common(gaps(5), among=5) == gaps(5)
    assert once_if_common(gaps(10), among=20) == gaps(10)
    assert once_if_common([], among=0) == []


def test_a_fault_of_most_steps_is_one_of_the_run() -> None:
    (gap,) = once_if_common(gaps(11), among=20)
    assert gap == Gap("cut_text", "In 11 of 20 places, first in step 0: Cut 0.")

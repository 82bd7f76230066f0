from __future__ import annotations

import time

import psutil

from traces.bench.watch import Watch, milliseconds


def test_a_watch_adds_up_what_passes_inside_it_and_nothing_else() -> None:
    watch = Watch()
    for _ in range(2):
        with watch:
            time.sleep(0.02)
        time.sleep(0.05)
    assert 0.04 <= watch.wall < 0.09
    assert watch.own < watch.wall
    assert watch.cpu == watch.own


def test_a_watch_counts_another_process_too() -> None:
    watch = Watch(psutil.Process())
    end = time.process_time() + 0.1
    with watch:
        while time.process_time() < end:
            pass
    assert watch.own >= 0.09
    # The system counts in hundredths.
    assert abs(watch.server - watch.own) <= 0.05
    assert watch.cpu == watch.own + watch.server


def test_the_quickest_try_counts() -> None:
    naps = iter((200_000, 10, 200_000))
    assert milliseconds(lambda: sum(range(next(naps)))) < 1

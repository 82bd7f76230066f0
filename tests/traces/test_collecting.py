from __future__ import annotations

import gc

import pytest

from traces import collecting


def test_the_collector_runs_again_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), collecting.paused():
        1 / 0  # noqa: B018
    assert gc.isenabled()


def test_who_finds_it_paused_leaves_it_paused() -> None:
    with collecting.paused():
        with collecting.paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()

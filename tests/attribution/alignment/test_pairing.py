from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attribution.alignment import pairing
from attribution.alignment.canonical import Canonical, canonical_steps
from attribution.alignment.likeness import Likeness, sketches
from attribution.alignment.pairing import Block, align_block, anchors, band, pair, split
from attribution.alignment.sequences import equal_ends, longest_rising
from tests.attribution.scenes import failed, says


def test_equal_ends_do_not_overlap():
    assert equal_ends("abcd", "abxd") == (2, 1)
    assert equal_ends("aaa", "aa") == (2, 0)
    assert equal_ends("", "abc") == (0, 0)
    assert equal_ends("abc", "abc") == (3, 0)


def test_the_longest_rising_chain_by_hand():
    pairs = [(0, 4), (1, 0), (2, 2), (3, 1), (4, 3), (5, 9)]

    assert longest_rising(pairs) in (
        [(1, 0), (2, 2), (4, 3), (5, 9)],
        [(1, 0), (3, 1), (4, 3), (5, 9)],
    )
    assert longest_rising([]) == []


@given(st.permutations(range(8)))
def test_the_chain_is_as_long_as_trying_all_finds(order: list[int]):
    def longest_from(last: int, rest: list[int]) -> int:
        later = [(n, value) for n, value in enumerate(rest) if value > last]
        return max((1 + longest_from(value, rest[n + 1 :]) for n, value in later), default=0)

    chain = longest_rising(list(enumerate(order)))

    assert len(chain) == longest_from(-1, list(order))
    assert chain == sorted(chain)
    assert [j for _, j in chain] == sorted(j for _, j in chain)


def test_anchors_occur_once_on_both_sides():
    whole = Block(0, 5, 0, 5)

    assert anchors(whole, "axbxc", "abyyc") == [(0, 0), (2, 1), (4, 4)]
    assert anchors(Block(1, 4, 1, 4), "axbxc", "abyyc") == [(2, 1)]


def test_a_small_block_is_left_whole_and_a_large_one_split(monkeypatch: pytest.MonkeyPatch):
    whole = Block(0, 5, 0, 5)
    assert list(split(whole, "axbxc", "abyyc")) == [whole]

    monkeypatch.setattr(pairing, "SMALL_BLOCK", 1)
    assert [block for block in split(whole, "axbxc", "abyyc") if block.cells] == [
        Block(0, 1, 0, 1),
        Block(2, 3, 1, 2),
        Block(3, 4, 2, 4),
        Block(4, 5, 4, 5),
    ]


def test_a_band_holds_both_corners_and_moves_on():
    lows, highs = band(1000, 200_000)

    assert lows[0] == 0
    assert highs[-1] == 200_000
    assert lows == sorted(lows)
    assert {high - low for low, high in zip(lows, highs, strict=True)} == {10_000}
    assert band(10, 20) == ([0] * 10, [20] * 10)


@given(st.lists(st.sampled_from("abcd"), max_size=9), st.lists(st.sampled_from("abcd"), max_size=9))
@settings(deadline=None)
def test_the_path_has_the_greatest_total(ours: list[str], theirs: list[str]):
    left = canonical_steps(failed(*(says(n, f"{word} {word}x") for n, word in enumerate(ours))))
    right = canonical_steps(failed(*(says(n, f"{word} {word}x") for n, word in enumerate(theirs))))
    if not ours or not theirs:
        return
    likeness = Likeness(left, right)
    gains = [likeness.row(i, 0, len(right)).tolist() for i in range(len(left))]
    best = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in range(1, len(left) + 1):
        for j in range(1, len(right) + 1):
            paired = best[i - 1][j - 1] + gains[i - 1][j - 1]
            best[i][j] = max(paired, best[i - 1][j], best[i][j - 1])

    found = align_block(Block(0, len(left), 0, len(right)), likeness)

    assert sum(gains[i][j] for i, j in found) == best[-1][-1]


def test_a_narrow_band_finds_what_lies_in_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pairing, "MOST_CELLS", 1)
    monkeypatch.setattr(pairing, "NARROWEST_BAND", 4)
    run = failed(*(says(n, f"sentence number {n} about topic {n * n}") for n in range(40)))
    steps = canonical_steps(run)

    found = align_block(Block(0, 40, 0, 40), Likeness(steps, steps))

    assert found == [(n, n) for n in range(40)]


@given(st.integers(3, 30), st.integers(3, 30), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_a_band_loses_no_step_and_crosses_nothing(height: int, width: int, chance: Random):
    def steps(count: int) -> list[Canonical]:
        return canonical_steps(failed(*(says(n, chance.choice("abc")) for n in range(count))))

    left, right = steps(height), steps(width)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairing, "MOST_CELLS", 1)
        patch.setattr(pairing, "NARROWEST_BAND", 4)
        found = align_block(Block(0, height, 0, width), Likeness(left, right))

    for (i, j), (next_i, next_j) in pairwise(found):
        assert i < next_i
        assert j < next_j


def test_anchors_keep_a_long_run_aligned(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pairing, "SMALL_BLOCK", 100)
    left = failed(*(says(n, f"step about topic {n}") for n in range(60)))
    kept = [n for n in range(60) if n % 7]
    right = failed(*(says(n, f"step about topic {topic}") for n, topic in enumerate(kept)))

    found = pair(canonical_steps(left), canonical_steps(right))

    assert found == [(topic, n) for n, topic in enumerate(kept)]


def test_sketches_tell_texts_apart():
    found = sketches(["alpha beta", "beta alpha", "gamma delta", ""])
    likeness = found @ found.T

    assert likeness[0, 1] == pytest.approx(1.0)
    assert likeness[0, 2] < 0.5
    assert likeness[3].tolist() == [0, 0, 0, 0]

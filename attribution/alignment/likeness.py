"""How much speaks for two steps being the same one, a whole row of a table at a time.

Words are compared by small sketches, so that twenty-five million pairs cost a fraction of a
second; the similarity that people see is computed afterwards, for the pairs only.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from attribution.alignment.canonical import Canonical

# What two steps have in common, in thousandths. Pairs at or below the bar are left apart. The same
# actor doing the same kind of thing, or making the same call, just passes it; the same tool with
# other arguments needs half of the words in common too, so that two calls in another order are
# not taken for two other calls.
ROLE, ACTOR, KIND, TOOL, CALL, DEED, WORDS, BAR = 300, 50, 200, 100, 250, 100, 400, 895

# Length of a sketch: a word's place in it is its checksum.
PLACES = 128
_WORD = re.compile(r"\w+")

_FEATURES: tuple[tuple[int, Callable[[Canonical], Hashable]], ...] = (
    (ROLE, lambda step: step.role),
    (ACTOR, lambda step: step.actor),
    (KIND, lambda step: step.kind),
    (TOOL, lambda step: step.tool or None),
    (CALL, lambda step: step.call),
    (DEED, lambda step: step.deed if any(step.deed) else ""),
)


class Likeness:
    """Scores of left steps against right steps; above 0 they may stand for each other."""

    def __init__(self, left: Sequence[Canonical], right: Sequence[Canonical]) -> None:
        self._features = [(weight, *_codes(of, left, right)) for weight, of in _FEATURES]
        sketched = sketches([step.text for step in (*left, *right)])
        self._left = sketched[: len(left)] * WORDS
        self._right = np.ascontiguousarray(sketched[len(left) :].T)

    def row(self, step: int, first: int, last: int) -> NDArray[np.int32]:
        """One left step against the right steps from `first` up to, not including, `last`."""
        scores: NDArray[np.int32] = (self._left[step] @ self._right[:, first:last]).astype(np.int32)
        scores -= BAR
        for weight, left, right in self._features:
            if left[step]:
                scores += weight * (right[first:last] == left[step])
        return scores


def _codes(
    of: Callable[[Canonical], Hashable], left: Sequence[Canonical], right: Sequence[Canonical]
) -> tuple[list[int], NDArray[np.int32]]:
    """Equal values as equal numbers; 0 for a value that is empty."""
    known: dict[Hashable, int] = {"": 0}
    ours = [known.setdefault(of(step), len(known)) for step in left]
    theirs = [known.setdefault(of(step), len(known)) for step in right]
    return ours, np.array(theirs, dtype=np.int32)


def sketches(texts: Sequence[str]) -> NDArray[np.float32]:
    """One row of length 1 per text: its words, rare ones weighing more. Empty text: zeros."""
    counts = np.zeros((len(texts), PLACES), dtype=np.float32)
    places: dict[str, int] = {}
    for row, text in zip(counts, texts, strict=True):
        for word in set(_WORD.findall(text.lower())):
            if word not in places:
                places[word] = zlib.crc32(word.encode()) % PLACES
            row[places[word]] = 1
    rarity = np.log((1 + len(texts)) / (1 + counts.sum(axis=0))) + 0.1
    counts *= rarity
    lengths = np.linalg.norm(counts, axis=1, keepdims=True)
    counts /= np.maximum(lengths, 1e-9)
    return counts

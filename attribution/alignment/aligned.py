"""An alignment in columns: small enough to store, quick enough to open runs of any length.

The rows are those of `Alignment`; what a page needs of them is a window, so that no object is
made for a row that nobody sees.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import orjson
from numpy.typing import NDArray

from attribution.alignment.alignment import Alignment, Divergence, RowKind

# Raise it when `align` would answer otherwise than before: what is stored is computed again.
VERSION = 1
# No step, in columns of step numbers.
NONE = -1
# Of the heaviest divergence's score: what weighs less is drawn, but neither named nor stopped at.
TELLING = 0.5

KINDS = tuple(RowKind)
_COLUMNS = (("left", np.int32), ("right", np.int32), ("kinds", np.uint8), ("moved", np.int32))


@dataclass(frozen=True, eq=False)
class Aligned:
    """One entry a row: the step of either run (-1: none), the place of the row's kind in `KINDS`,
    and the other run's step that a step alone stands for, in another order (-1: none).

    Step numbers rise on both sides. `divergences` are in the order of their rows.
    """

    left: NDArray[np.int32]
    right: NDArray[np.int32]
    kinds: NDArray[np.uint8]
    moved: NDArray[np.int32]
    divergences: tuple[Divergence, ...]

    @classmethod
    def of(cls, alignment: Alignment) -> Aligned:
        rows = alignment.rows
        return cls(
            left=_numbers(row.left for row in rows),
            right=_numbers(row.right for row in rows),
            kinds=np.array([KINDS.index(row.kind) for row in rows], dtype=np.uint8),
            moved=_numbers(row.moved for row in rows),
            divergences=alignment.divergences,
        )

    def __len__(self) -> int:
        return len(self.left)

    def kind(self, row: int) -> RowKind:
        return KINDS[int(self.kinds[row])]

    def left_at(self, row: int) -> int | None:
        return _step(self.left, row)

    def right_at(self, row: int) -> int | None:
        return _step(self.right, row)

    def moved_at(self, row: int) -> int | None:
        return _step(self.moved, row)

    def row_of_left(self, step: int) -> int:
        """The row of a step of the left run; of the nearest before it if that has none, else 0."""
        return _row_of(self._rows_of_left, self.left, step)

    def row_of_right(self, step: int) -> int:
        return _row_of(self._rows_of_right, self.right, step)

    def moved_row(self, row: int) -> int | None:
        """Where the step stands that this row's step was moved from or to; None if in order."""
        step = self.moved_at(row)
        if step is None:
            return None
        return self.row_of_left(step) if self.left[row] == NONE else self.row_of_right(step)

    def step_at(self, row: int) -> int:
        """The left run's step at a row, or the nearest before it; 0 if there is none."""
        at = int(np.searchsorted(self._rows_of_left, row, side="right")) - 1
        return int(self.left[self._rows_of_left[at]]) if at >= 0 else 0

    @cached_property
    def aligned(self) -> int:
        """How many rows hold a step of both runs."""
        return int(((self.left != NONE) & (self.right != NONE)).sum())

    @cached_property
    def first_divergence(self) -> Divergence | None:
        """The first that weighs: see `Alignment.first_divergence`."""
        return max(self.divergences, key=lambda divergence: divergence.score, default=None)

    @cached_property
    def telling(self) -> tuple[Divergence, ...]:
        """The divergences that weigh, in the order of their rows."""
        best = self.first_divergence
        return tuple(d for d in self.divergences if best and d.score >= TELLING * best.score)

    @cached_property
    def counts(self) -> dict[RowKind, int]:
        """How many rows there are of each kind."""
        found = np.bincount(self.kinds, minlength=len(KINDS))
        return {kind: int(count) for kind, count in zip(KINDS, found, strict=True)}

    @cached_property
    def _rows_of_left(self) -> NDArray[np.intp]:
        return np.flatnonzero(self.left != NONE)

    @cached_property
    def _rows_of_right(self) -> NDArray[np.intp]:
        return np.flatnonzero(self.right != NONE)

    def pack(self) -> bytes:
        """As bytes that `unpack` reads; equal alignments give equal bytes."""
        held = io.BytesIO()
        for name, kind in _COLUMNS:
            np.save(held, getattr(self, name).astype(kind, copy=False), allow_pickle=False)
        told = [(d.row, d.sentence, d.score) for d in self.divergences]
        # A sentence cut from a trace may hold half a character, which orjson refuses.
        held.write(orjson.dumps([(row, _whole(text), score) for row, text, score in told]))
        return zlib.compress(held.getvalue(), 1)

    @classmethod
    def unpack(cls, packed: bytes) -> Aligned:
        """Raises ValueError or zlib.error on what `pack` has not written."""
        held = io.BytesIO(zlib.decompress(packed))
        columns = {name: np.load(held, allow_pickle=False) for name, _ in _COLUMNS}
        told = orjson.loads(held.read())
        return cls(**columns, divergences=tuple(Divergence(*each) for each in told))


def aligned_rows(
    rows: Sequence[tuple[int | None, int | None, RowKind]], divergences: Iterable[Divergence] = ()
) -> Aligned:
    """An alignment of these rows, of which none has moved."""
    return Aligned(
        left=_numbers(left for left, _, _ in rows),
        right=_numbers(right for _, right, _ in rows),
        kinds=np.array([KINDS.index(kind) for _, _, kind in rows], dtype=np.uint8),
        moved=np.full(len(rows), NONE, dtype=np.int32),
        divergences=tuple(divergences),
    )


def _numbers(steps: Iterable[int | None]) -> NDArray[np.int32]:
    return np.array([NONE if step is None else step for step in steps], dtype=np.int32)


def _step(column: NDArray[np.int32], row: int) -> int | None:
    return None if column[row] == NONE else int(column[row])


def _row_of(rows: NDArray[np.intp], column: NDArray[np.int32], step: int) -> int:
    at = int(np.searchsorted(column[rows], step, side="right")) - 1
    return int(rows[at]) if at >= 0 else 0


def _whole(text: str) -> str:
    return text.encode(errors="replace").decode()

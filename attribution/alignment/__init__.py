"""Two runs side by side: which step stands for which, and where they part. No Django in here.

`align` is a global alignment of two transcripts. Its rows hold every step of both runs exactly
once, in the order of each; its divergences say in a sentence what differs, and how much that may
explain of what followed.
"""

from __future__ import annotations

from attribution.alignment.alignment import Alignment, Divergence, Row, RowKind, align
from attribution.alignment.words import Op, similarity, word_diff

__all__ = ["Alignment", "Divergence", "Op", "Row", "RowKind", "align", "similarity", "word_diff"]

"""What a kind of gap is, and what finds one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from traces.transcript import Gap, Transcript


class Kind(NamedTuple):
    """A kind of gap: its title, what it means for a reviewer, how to instrument it away."""

    title: str
    meaning: str
    remedy: str


Finder = Callable[[Transcript], Iterable[Gap]]

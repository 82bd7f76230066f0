"""Where a reader is in a trace, as the address says it: a copied link lands on the same place.

Plain Python over the parameters of a query. What is not known is dropped, and nothing is longer
than an address should be.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlencode

# Parameters that every link on the page keeps, in this order.
KEPT = (
    "with", "lock", "actor", "part", "kind", "status", "text", "open", "find", "seen", "value",
    "explain",
)  # fmt: skip
# Values of one parameter, and characters of one value.
MOST, LONGEST = 40, 400


class Query(Protocol):
    """Parameters by name, of which each may come more than once: a QueryDict."""

    def getlist(self, key: str) -> list[str]: ...


@dataclass(frozen=True)
class Place:
    """The selected step, or a row of the list, and all else that the address holds.

    `step` is None when the address names none. `row` is for rows without a step of this run;
    `start` and `until` are the first or the last row of a window; `go` names a jump from the step.
    """

    step: int | None = None
    row: int | None = None
    start: int | None = None
    until: int | None = None
    go: str = ""
    given: tuple[tuple[str, str], ...] = ()

    @classmethod
    def from_query(cls, query: Query) -> Place:
        given = (
            (name, value[:LONGEST])
            for name in KEPT
            for value in query.getlist(name)[:MOST]
            if value and "\0" not in value
        )
        names = ("step", "row", "from", "until")
        step, row, start, until = (number(_last(query, name)) for name in names)
        return cls(step, row, start, until, _last(query, "go")[:40], tuple(given))

    def value(self, name: str) -> str:
        """The last value of a parameter, "" without one."""
        return next((value for key, value in reversed(self.given) if key == name), "")

    def getlist(self, key: str) -> list[str]:
        """All values of a parameter, so that a place can be read like a query."""
        return [value for name, value in self.given if name == key]

    @property
    def kept(self) -> str:
        """What stands before `step=5` in a link that keeps everything else."""
        return f"{urlencode(self.given)}&" if self.given else ""

    def query(self, **changes: str | int | Iterable[str] | None) -> str:
        """The address of this place with changes, from its question mark; None takes away."""
        kept = [(name, value) for name, value in self.given if name not in changes]
        step = {} if self.step is None or "step" in changes else {"step": str(self.step)}
        new = [(name, value) for name, given in changes.items() for value in _texts(given)]
        return "?" + urlencode([*kept, *step.items(), *new])

    def fields(self, *without: str) -> list[tuple[str, str]]:
        """As hidden inputs of a form that sets the parameters `without`."""
        kept = [(name, value) for name, value in self.given if name not in without]
        if self.step is not None and "step" not in without:
            kept.append(("step", str(self.step)))
        return kept


def number(text: str) -> int | None:
    """The number of a step or a row, if the text is one."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else None


def _last(query: Query, name: str) -> str:
    return (query.getlist(name) or [""])[-1]


def _texts(given: str | int | Iterable[str] | None) -> list[str]:
    if given is None:
        return []
    return [str(given)] if isinstance(given, str | int) else list(given)

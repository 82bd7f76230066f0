"""Two explanations of one failure side by side. Plain Python over the outline of a run."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from attribution.explaining.explanation import Account, Explanation, Quoted, signs_of
from attribution.explaining.facts import Sentence, separating
from attribution.explaining.overlays import Path, path_of
from attribution.explaining.picking import LETTERS, Pick, Picked
from attribution.explaining.rows import Row, rows_of
from attribution.explaining.ways import Ways
from traces.outline import Outline

__all__ = ["Explaining", "Explanation", "Path", "Picked", "Quoted"]


class Explaining:
    """What the address picks of what can be compared; the comparison, once it is two.

    `exposing` are the steps that exposed failures of the run, as far as they are known.
    """

    def __init__(self, picked: Picked, outline: Outline, exposing: Iterable[int | None]) -> None:
        self.picked, self.outline, self.exposing = picked, outline, tuple(exposing)

    @cached_property
    def accounts(self) -> list[Account]:
        """Both explanations against the record; none before two are picked."""
        if len(self.picked.chosen) < len(LETTERS):
            return []
        ways, signs = Ways(self.outline), signs_of(self.outline, self.exposing)
        pairs = zip(LETTERS, self.picked.chosen, strict=True)
        return [Account(letter, each, self.outline, ways, signs) for letter, each in pairs]

    @cached_property
    def rows(self) -> list[Row]:
        return rows_of(self.accounts)

    @cached_property
    def facts(self) -> list[Sentence]:
        return separating(*self.accounts) if self.accounts else []

    @cached_property
    def paths(self) -> list[Path]:
        """Both paths, for the map."""
        return [path_of(account) for account in self.accounts]

    @cached_property
    def picks(self) -> dict[str, Pick]:
        return self.picked.picks

    @property
    def candidates(self) -> dict[int, Pick]:
        """The controls beside candidates, by their numbers."""
        return {int(key[1:]): pick for key, pick in self.picks.items() if key[0] == "c"}

    @property
    def claims(self) -> dict[int, Pick]:
        """The controls beside claims, by their ids."""
        return {int(key[1:]): pick for key, pick in self.picks.items() if key[0] == "k"}

    @property
    def draft(self) -> Pick | None:
        return self.picks.get("d")

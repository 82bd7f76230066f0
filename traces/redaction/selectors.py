"""Which fields a rule speaks of: paths over JSON with `*` for one name and `**` for any number.

A selector that takes a field takes all that is in it. Names match whatever their case; a place
in a list is any name, so only `*` and `**` match it. `~1` stands for a slash in a name.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

# Names of a hostile document may never come twice: what was learned is forgotten at this number.
MOST_LEARNED = 20_000

State = frozenset[tuple[int, int]]


class BadSelector(ValueError):
    """The message says what is wrong with it."""


def segments_of(selector: str) -> tuple[str, ...]:
    names = selector.split("/")
    if not selector or "" in names:
        raise BadSelector(f"The selector {selector!r} has an empty name in it.")
    wrong = [name for name in names if "*" in name and name not in ("*", "**")]
    if wrong:
        raise BadSelector(f"In the selector {selector!r}, * stands for a whole name or not at all.")
    return tuple(folded(name.replace("~1", "/").replace("~0", "~")) for name in names)


def folded(name: str) -> str:
    """The name whatever its case, and however its accents are put together."""
    if name.isascii():
        return name.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


class Selectors:
    """All selectors of a policy at once, followed from a value to the values in it.

    Each belongs to an owner, which is any number; `owners` are those that take a place.
    """

    def __init__(self, owned: Sequence[tuple[int, str]]) -> None:
        self.paths = [(owner, segments_of(selector)) for owner, selector in owned]
        self.root = self.closed({(number, 0) for number in range(len(self.paths))})
        self.learned: dict[tuple[State, str | None], State] = {}
        self.moves: dict[State, tuple[State, dict[str, State]]] = {}
        self.taking: dict[State, frozenset[int]] = {}

    def __bool__(self) -> bool:
        return bool(self.paths)

    def below(self, state: State, name: str | None) -> State:
        """The state at the value of this name, or in a list where there is none."""
        if not state:
            return state
        found = self.learned.get((state, name))
        if found is None:
            if len(self.learned) >= MOST_LEARNED:
                self.learned.clear()
            found = self.learned[state, name] = self.stepped(state, name)
        return found

    def stepped(self, state: State, name: str | None) -> State:
        moves = self.moves.get(state)
        if moves is None:
            if len(self.moves) >= MOST_LEARNED:
                self.moves.clear()
            moves = self.moves[state] = self.moves_from(state)
        always, named = moves
        after = named.get(folded(name)) if name is not None else None
        return self.closed({*always, *after}) if after else always

    def moves_from(self, state: State) -> tuple[State, dict[str, State]]:
        """Where any name leads, and where some names lead besides: most names lead nowhere."""
        always: set[tuple[int, int]] = set()
        named: dict[str, set[tuple[int, int]]] = {}
        for number, place in state:
            path = self.paths[number][1]
            if place == len(path) or path[place] == "**":
                always.add((number, place))
            elif path[place] == "*":
                always.add((number, place + 1))
            else:
                named.setdefault(path[place], set()).add((number, place + 1))
        return self.closed(always), {name: frozenset(after) for name, after in named.items()}

    def closed(self, state: set[tuple[int, int]]) -> State:
        """The state with what `**` matches by matching no name at all."""
        waiting = list(state)
        while waiting:
            number, place = waiting.pop()
            path = self.paths[number][1]
            if place < len(path) and path[place] == "**":
                state.add((number, place + 1))
                waiting.append((number, place + 1))
        return frozenset(state)

    def owners(self, state: State) -> frozenset[int]:
        found = self.taking.get(state)
        if found is None:
            ended = (number for number, place in state if place == len(self.paths[number][1]))
            found = self.taking[state] = frozenset(self.paths[number][0] for number in ended)
        return found

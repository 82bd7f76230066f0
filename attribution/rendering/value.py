"""A text as it is shown: rendered by what it is, raw to the character, or as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from attribution.rendering import ansi, code, markdown, tables
from attribution.rendering.cutting import PAGE, Budget, counted, cut, line_count, rest
from attribution.rendering.kinds import Kind, Recognised, recognise
from attribution.rendering.modes import JSON, MODES, RAW, RENDERED
from attribution.rendering.safe import EMPTY, Html, drawn, elements
from attribution.rendering.structure import NotJson, parsed
from attribution.rendering.tree import Branch, tree
from traces.display import pieces

# Characters on each side of a citation that is shown apart, and of itself; citations so shown.
AROUND, QUOTED, MOST_EXCERPTS = 60, 300, 3
# Characters of an address of ours with a link in it.
LEAVING = "leaving/?to="

type_of_ranges = Sequence[tuple[int, int]]


class Excerpt(NamedTuple):
    """A cited range that is not among what is shown, with its surroundings; `start` is theirs."""

    start: int
    html: Html
    where: str


@dataclass(frozen=True, slots=True)
class Value:
    """What a page draws of a text.

    `start` is where a range of the text counts from that is cited by offset; None if what is drawn
    is not the text itself. `tail` is text that cannot be cited. `more` counts
    what is not drawn, `modes` are all ways to show it, if there is more than one.
    """

    html: Html
    kind: str = Kind.PLAIN.value
    mode: str = RENDERED
    start: int | None = 0
    tail: Html = EMPTY
    lines: int = 0
    more: str = ""
    modes: tuple[str, ...] = ()
    excerpts: tuple[Excerpt, ...] = ()
    more_cited: int = 0

    @property
    def lines_shown(self) -> str:
        """ "3,412 lines", all of them."""
        return counted(self.lines, "line")

    @property
    def is_simple(self) -> bool:
        """Whether there is nothing to draw but the text."""
        return self.start is not None and not (
            self.tail or self.more or self.modes or self.excerpts
        )


@dataclass(frozen=True, slots=True)
class Wish:
    """How a text is to be shown: `mode`, how much, from where on, and where its links lead.

    `data` is shown as JSON where the text itself is none. `address` is the part's own. Only the
    first `citable` characters are those of the part's text, if others were moved out of it.
    """

    mode: str = RENDERED
    budget: Budget = PAGE
    start: int = 0
    address: str = ""
    cited: type_of_ranges = ()
    data: Mapping[str, Any] | None = None
    citable: int | None = None


def value_of(text: str, wish: Wish) -> Value:
    """The text as wished, or as near to it as it can be shown."""
    found = recognise(text)
    if wish.mode == JSON and (shown := _as_json(text, found, wish)):
        return shown
    modes: tuple[str, ...] = MODES if found.value is not None else (RENDERED, RAW)
    if wish.mode != RAW and found.kind is not Kind.PLAIN and not _folded_structure(found, wish):
        shown = _rendered(text, found, wish, modes)
        if shown is not None:
            return shown
    mode = RAW if wish.mode == RAW else RENDERED
    if found.kind is Kind.PLAIN and found.value is None:
        modes = ()
    return _raw(text, found, wish, mode, modes)


def _folded_structure(found: Recognised, wish: Wish) -> bool:
    """Whether only the end of a text is shown that makes sense as a whole alone."""
    return wish.start > 0 and found.kind in (Kind.JSON, Kind.TABLE)


def _raw(text: str, found: Recognised, wish: Wish, mode: str, modes: tuple[str, ...]) -> Value:
    end = cut(text, wish.budget, wish.start)
    border = end if wish.citable is None else min(end, wish.citable)
    html = drawn(pieces(text, start=wish.start, end=border, cited=wish.cited))
    shown, beyond = _excerpts(text, wish.cited, wish.start, end)
    return Value(
        html,
        kind=Kind.PLAIN.value,
        mode=mode,
        start=wish.start,
        tail=drawn(pieces(text, start=border, end=end, cited=())),
        lines=line_count(text),
        more=rest(text, end),
        modes=modes,
        excerpts=shown,
        more_cited=beyond,
    )


def _rendered(text: str, found: Recognised, wish: Wish, modes: tuple[str, ...]) -> Value | None:
    """By what the text is; None if that would cost a page too many elements."""
    html, more = _drawn(text, found, wish)
    if elements(html) > wish.budget.elements * 2:
        return None
    shown, beyond = _excerpts(text, wish.cited, 0, 0)
    return Value(
        html,
        kind=found.kind.value,
        mode=RENDERED,
        start=None,
        lines=line_count(text),
        more=more,
        modes=modes,
        excerpts=shown,
        more_cited=beyond,
    )


def _drawn(text: str, found: Recognised, wish: Wish) -> tuple[Html, str]:
    if found.kind is Kind.JSON:
        return _tree(found.value, wish, ""), ""
    if found.table is not None:
        html, left = tables.drawn(found.table, wish.budget)
        return html, counted(left, "more row") if left else ""
    end = cut(text, wish.budget, wish.start)
    if found.kind is Kind.MARKDOWN:
        end = min(end, wish.start + markdown.MOST)
    piece = text[wish.start : end]
    return _of_kind(piece, found, wish), rest(text, end)


def _of_kind(piece: str, found: Recognised, wish: Wish) -> Html:
    if found.kind is Kind.MARKDOWN:
        return markdown.rendered(piece, f"{wish.address}{LEAVING}" if wish.address else "")
    if found.kind is Kind.ANSI:
        return ansi.coloured(piece.replace("\r\n", "\n"), wish.budget.elements)
    return code.highlighted(piece.replace("\r\n", "\n"), found.language, wish.budget.elements)


def _as_json(text: str, found: Recognised, wish: Wish) -> Value | None:
    value, query = found.value, ""
    if value is None:
        try:
            value = parsed(text)
        except NotJson:
            value, query = wish.data, "&of=data"
    if value is None or (query and not value):
        return None
    shown, beyond = _excerpts(text, wish.cited, 0, 0)
    return Value(
        _tree(value, wish, query),
        kind=Kind.JSON.value,
        mode=JSON,
        start=None,
        lines=line_count(text),
        modes=MODES,
        excerpts=shown,
        more_cited=beyond,
    )


def _tree(value: Any, wish: Wish, query: str) -> Html:
    address = f"{wish.address}?as=json{query}" if wish.address else ""
    width = max(80, wish.budget.characters // 10)
    return tree(value, Branch(address, elements=wish.budget.elements, width=min(width, 2_000)))


def _excerpts(
    text: str, cited: type_of_ranges, start: int, end: int
) -> tuple[tuple[Excerpt, ...], int]:
    """Citations that reach out of what is shown, and how many more there are of them."""
    outside = sorted({r for r in cited if r[0] < start or r[1] > end})
    shown = tuple(_excerpt(text, cited, one, start, end) for one in outside[:MOST_EXCERPTS])
    return shown, len(outside) - len(shown)


def _excerpt(
    text: str, cited: type_of_ranges, one: tuple[int, int], start: int, end: int
) -> Excerpt:
    begin = max(0, one[0] - AROUND)
    stop = min(len(text), min(one[1], one[0] + QUOTED) + AROUND)
    where = "cited further down" if one[0] >= end > 0 else "cited"
    if one[0] < start:
        where = "cited above"
    return Excerpt(begin, drawn(pieces(text, start=begin, end=stop, cited=cited)), where)

"""Text as HTML: escaped, and with every invisible character drawn as a mark that names it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from traces.display import INVISIBLE, Piece

# Lone surrogates cannot leave as UTF-8 at all.
ONE_UNSHOWN = f"(?:{INVISIBLE.pattern}|[\ud800-\udfff])"
UNSHOWN = re.compile(f"({ONE_UNSHOWN})\\1*")


class Html(str):
    """HTML that a template draws as it is."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)


EMPTY = Html("")


def escaped(text: str) -> Html:
    """The text for an element's content or an attribute's value of ours."""
    if UNSHOWN.search(text) is None:
        return Html(escape(text))
    found, end = [], 0
    for match in UNSHOWN.finditer(text):
        found.append(escape(text[end : match.start()]))
        found.append(mark(match.group()))
        end = match.end()
    return Html("".join((*found, escape(text[end:]))))


def mark(run: str, name: str = "") -> Html:
    """A mark for one invisible character, or for several of it in a row."""
    times = f" ×{len(run)}" if len(run) > 1 else ""
    length = f' data-length="{len(run)}"' if len(run) > 1 else ""
    shown = escape(name) or f"U+{ord(run[0]):04X}{times}"
    return Html(f'<span class="ctl" title="invisible character"{length}>{shown}</span>')


def attribute(text: str) -> str:
    """The text for an attribute's value: marks are written out, for no element can stand there."""
    return escape(UNSHOWN.sub(lambda m: f"⟨U+{ord(m.group()[0]):04X}⟩", text))


def drawn(pieces: Iterable[Piece]) -> Html:
    """Pieces of a part's text, without a character between them that is not theirs."""
    return Html("".join(map(_piece, pieces)))


def _piece(piece: Piece) -> str:
    if piece.mark:
        length = f' data-length="{piece.length}"' if piece.length > 1 else ""
        return f'<span class="ctl" title="invisible character"{length}>{piece.mark}</span>'
    text = escaped(piece.text)
    return f'<mark class="cite">{text}</mark>' if piece.cited else text


def elements(html: str) -> int:
    """About how many elements a page gets from it."""
    return html.count("<") - html.count("</")

"""Coloured output of a terminal. Colours become classes; every other control is a mark."""

from __future__ import annotations

import re

from rich.ansi import AnsiDecoder
from rich.color import ColorSystem
from rich.style import Style

from attribution.rendering.safe import Html, escaped, mark

COLOURED = re.compile("\x1b\\[[0-9;]{0,60}m")
# Control sequences, commands to the terminal's system, and any other escape of two characters.
SEQUENCE = re.compile(
    "(\x1b\\[[0-9:;<=>?]{0,60}[ -/]{0,4}[@-~])|(\x1b\\][^\x07\x1b\n]{0,2000}(?:\x07|\x1b\\\\))"
    "|(\x1b[ -/]{0,4}[0-Z\\\\^-~])"
)
TRAITS = ("bold", "dim", "italic", "underline", "reverse", "strike")


def coloured(text: str, elements: int) -> Html:
    """The text with its colours and marks; beyond the budget with marks for each sequence."""
    decoder, found, end = AnsiDecoder(), list[str](), 0
    for number, match in enumerate(SEQUENCE.finditer(text)):
        if number == elements:
            break
        found.append(_styled(text[end : match.start()], decoder.style))
        end = match.end()
        if COLOURED.fullmatch(match.group()):
            list(decoder.decode(match.group()))
        else:
            found.append(mark("\x1b", f"ESC{_named(match.group()[1:])}"))
    else:
        return Html("".join(found) + _styled(text[end:], decoder.style))
    return Html("".join(found) + escaped(text[end:]))


def _named(sequence: str) -> str:
    return "".join(c if c.isprintable() else f"⟨U+{ord(c):04X}⟩" for c in sequence[:80])


def _styled(text: str, style: Style) -> str:
    classes = " ".join(_classes(style))
    if not text:
        return ""
    return f'<span class="{classes}">{escaped(text)}</span>' if classes else escaped(text)


def _classes(style: Style) -> list[str]:
    found = [f"t-{trait}" for trait in TRAITS if getattr(style, trait)]
    for prefix, colour in (("f", style.color), ("b", style.bgcolor)):
        if colour is not None and not colour.is_default:
            found.append(f"{prefix}{colour.downgrade(ColorSystem.STANDARD).number}")
    return found


def uncoloured(text: str) -> str:
    """The text without its colours, to be recognised or counted."""
    return COLOURED.sub("", text)

"""Choosing the words of a step that a claim quotes. Plain Python."""

from __future__ import annotations

from reviews.fields import Quote
from traces.transcript import PartKind, Step

# Of an unselected step, the part that says most, and no more of it than a reader would quote.
TELLING = (
    PartKind.DECISION, PartKind.ERROR, PartKind.VERIFICATION, PartKind.TOOL_RESPONSE,
    PartKind.MESSAGE, PartKind.STATE, PartKind.INTERPRETATION, PartKind.TOOL_REQUEST,
    PartKind.INPUT,
)  # fmt: skip
LONGEST_QUOTE = 400


class NothingToQuote(Exception):
    """The step, part or range holds no text."""


def telling_quote(step: Step) -> Quote:
    """What to cite of a step when nothing is selected: the first paragraph of its main part."""
    for kind in TELLING:
        for index, part in enumerate(step.parts):
            lead = len(part.text) - len(part.text.lstrip())
            end = _end_of_paragraph(part.text, lead)
            if part.kind is kind and end > lead:
                return Quote("note", step.number, index, lead, end, part.text[lead:end])
    raise NothingToQuote(f"Step #{step.number} holds no text.")


def _end_of_paragraph(text: str, start: int) -> int:
    """Where its first paragraph ends; a long one is cut after a line, a sentence or a word."""
    blank = text.find("\n\n", start)
    end = len(text.rstrip()) if blank < 0 else blank
    if end - start <= LONGEST_QUOTE:
        return end
    cuts = (text.rfind(mark, start, start + LONGEST_QUOTE) for mark in ("\n", ". ", " "))
    cut = next((at + len(text[at : at + 1].strip()) for at in cuts if at > start), None)
    return cut or start + LONGEST_QUOTE


def exact_quote(step: Step, part: int, start: int, end: int) -> Quote:
    """A selected range as a quote. NothingToQuote if it is empty or outside the text."""
    text = step.parts[part].text if 0 <= part < len(step.parts) else ""
    if not 0 <= start < end <= len(text):
        raise NothingToQuote(f"Step #{step.number} has no such text.")
    return Quote("note", step.number, part, start, end, text[start:end])

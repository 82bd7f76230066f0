"""Template filters that show values of a record; built in, so templates need no load tag."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join

from traces.compact import compact
from traces.display import Piece, visible
from traces.gaps import KINDS, Kind
from traces.models import Run
from traces.tallies import states_below
from traces.transcript import Actor, Gap

register = template.Library()


@register.filter
def utc(value: datetime | None) -> str:
    """A time with its zone, to the second; empty when there is none.

    One that has no zone, or lies beyond the calendar in UTC, is shown as it is.
    """
    if value is None:
        return ""
    if value.tzinfo is None:
        return f"{value:%Y-%m-%d %H:%M:%S} (no zone)"
    try:
        return f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    except OverflowError:
        return value.isoformat(" ", "seconds")


CAPTURE_WORDS = {
    "absent": "did not occur",
    "not_captured": "not captured by the recorder",
    "not_in_schema": "not part of the record's schema",
    "withheld": "withheld by policy",
    "damaged": "damaged: cut or undecodable",
}


@register.filter
def capture_words(state: str) -> str:
    """What a capture state means for somebody who reads the record."""
    return CAPTURE_WORDS.get(state, state)


@register.filter
def state_name(state: str) -> str:
    """A capture state by its own name, where the page says beside it what each means."""
    return state.replace("_", " ")


@register.filter
def why_empty(capture: Mapping[str, str], field: str) -> str:
    """Why a field without a value is empty, by name: an empty cell would say nothing."""
    return state_name(capture.get(field) or "not captured")


@register.filter
def why_of(run: Run, actor: Actor) -> dict[str, str]:
    """Why fields of an actor are empty: by its own word, or else by the run's for all actors."""
    return states_below(run, "actors") | dict(actor.capture)


@register.filter
def gap_title(kind: str) -> str:
    """What a kind of gap is called; one that nobody explains, by its own name."""
    return KINDS[kind].title if kind in KINDS else kind


@register.filter
def tallied(gaps: Iterable[Gap], kinds: Mapping[str, Kind]) -> list[tuple[str, str, int]]:
    """Kinds of gaps as name, title and number, commonest first."""
    counted = Counter(gap.kind for gap in gaps).most_common()
    return [(name, kinds[name].title if name in kinds else name, n) for name, n in counted]


@register.filter
def marked(value: object) -> str:
    """One line of trace text, or another value, with its invisible characters written out."""
    return "" if value is None else visible(str(value))


@register.filter
def drawn(pieces: Iterable[Piece]) -> str:
    """Pieces of a part's text as HTML, without a character between them that is not theirs.

    The page counts characters to turn a selection into a range of the text.
    """
    return format_html_join("", "{}", ((_drawn(piece),) for piece in pieces))


def _drawn(piece: Piece) -> str:
    if piece.mark:
        length = format_html(' data-length="{}"', piece.length) if piece.length > 1 else ""
        mark = '<span class="ctl" title="invisible character"{}>{}</span>'
        return format_html(mark, length, piece.mark)
    return format_html('<mark class="cite">{}</mark>', piece.text) if piece.cited else piece.text


@register.filter
def at(sequence: Sequence[str], index: int) -> str:
    """The item of a sequence at a position that is itself a variable; empty if there is none."""
    return sequence[index] if 0 <= index < len(sequence) else ""


@register.filter
def beyond(sequence: Sequence[Any], shown: int) -> int:
    """How many items a list has beyond the number that is shown of it."""
    return max(0, len(sequence) - shown)


@register.filter
def pairs(mapping: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Keys with their values, sorted. In a template `.items` would be a key of that name."""
    return sorted(mapping.items())


@register.filter
def judged(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What a judgement says beside its reason, as names and words; a score by its own name."""
    found = {name: value for name, value in data.items() if value not in (None, "", [], {})}
    said = list(found.items())
    if isinstance(found.get("name"), str) and "value" in found:
        rest = [pair for pair in said if pair[0] not in ("name", "value")]
        said = [(found["name"], found["value"]), *rest]
    return [(name.replace("_", " "), _worded(value)) for name, value in said]


def _worded(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and not any(isinstance(each, (dict, list)) for each in value):
        return ", ".join(map(_worded, value))
    return value if isinstance(value, str) else compact(value)


@register.filter
def entry(mapping: Mapping[str, Any], key: str) -> Any:
    """The value under a key that is itself a variable; None if there is none."""
    return mapping.get(key)

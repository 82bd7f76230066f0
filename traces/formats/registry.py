"""Which formats there are, and which of them a document is in: by content, never by its name."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points

from traces.formats import messages, native_reader, whowhen
from traces.formats.base import Format, Json, Sample, Unreadable

GROUP = "inquest.formats"
BUILT_IN: tuple[Format, ...] = (native_reader.FORMAT, whowhen.FORMAT, messages.FORMAT)

logger = logging.getLogger(__name__)


@cache
def formats() -> Mapping[str, Format]:
    """Built-in formats first, then plug-ins. A plug-in cannot take a built-in's name."""
    known = {format_.name: format_ for format_ in BUILT_IN}
    for entry in entry_points(group=GROUP):
        try:
            plugin: Format = entry.load()
            known.setdefault(plugin.name, plugin)
        except Exception:  # foreign code may raise anything; the others must stay usable
            logger.exception("The format plug-in %s could not be loaded.", entry.name)
    return known


def named(name: str) -> Format:
    try:
        return formats()[name]
    except KeyError as error:
        raise Unreadable(f'There is no format "{name}". Known formats: {listing()}.') from error


def detect(sample: Sample) -> tuple[Format, str]:
    """The one format whose rule fits, with the rule. Raises Unreadable on none and on several."""
    fitting = [
        (format_, rule) for format_ in formats().values() if (rule := format_.recognise(sample))
    ]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        which = ", ".join(f"{format_.name} ({rule})" for format_, rule in fitting)
        raise Unreadable(f"More than one format fits: {which}. Name the one to use.")
    raise Unreadable(
        f"No known format fits. Known formats: {listing()}.",
        f"It begins: {shortened(sample.first)}",
    )


def listing() -> str:
    return ", ".join(formats())


def shortened(value: Json, length: int = 200) -> str:
    """A JSON value as text of at most `length` characters, for messages."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= length else f"{text[:length]}…"

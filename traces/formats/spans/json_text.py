"""JSON in the attributes of spans: read fast where it is plain, and cleaned where it is not."""

from __future__ import annotations

import json
import math

from traces.formats.base import Json, Unreadable
from traces.formats.chat import reading
from traces.formats.files import cleaning


def finite(text: str) -> float | None:
    value = float(text)
    return value if math.isfinite(value) else None


PLAIN = json.JSONDecoder(strict=False, parse_constant=lambda _: None, parse_float=finite)
# Text without this has nothing that has to be replaced.
ESCAPE = "\\u"


def loads(text: str) -> Json:
    """The value of a JSON text. Raises ValueError."""
    try:
        if ESCAPE in text:
            return cleaning.Reader(text.strip(), depth=reading.DEEPEST).only().value
        try:
            value, end = PLAIN.raw_decode(text)
        except ValueError:
            end = -1
        return value if end == len(text) else PLAIN.decode(text)
    except (RecursionError, Unreadable) as error:
        raise ValueError("The JSON is nested too deep.") from error


def opened(value: Json) -> Json:
    """What JSON in a string stands for; a text that is none, and any other value, as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "[", '"'):
        try:
            return loads(value)
        except ValueError:
            return value
    return value

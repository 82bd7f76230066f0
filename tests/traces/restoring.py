"""The way back from a part whose content was moved: the proof that nothing is lost by it."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from traces.payloads import RESERVED, references
from traces.previews import stand_in
from traces.transcript import Part


def restored(part: Part, content_of: Callable[[str], bytes]) -> Part:
    """The part as it was before its content was moved."""
    found = [each for each in references(part) if "of" in each or "path" in each]
    text, data = part.text, {key: part.data[key] for key in part.data if key not in RESERVED}
    given = part.data.get("payload")
    if given is not None and given not in found:
        data["payload"] = given
    for each in found:
        if each.get("of") == "text":
            text = content_of(each["sha256"]).decode()
        elif each.get("of") == "data":
            data = json.loads(content_of(each["sha256"]))
    held: dict[str, Any] = {"text": text, "data": data}
    for path in {tuple(each["path"]) for each in found if "path" in each}:
        *above, last = path
        holder: Any = held
        for key in above:
            holder = holder[key]
        holder[last] = _encoded_again(holder[last], path, found, content_of)
    return replace(part, text=held["text"], data=held["data"])


def _encoded_again(
    text: str,
    path: tuple[str | int, ...],
    found: list[dict[str, Any]],
    content_of: Callable[[str], bytes],
) -> str:
    places = [
        (start, each)
        for each in found
        if tuple(each.get("path", ())) == path
        for start in each["starts"]
    ]
    pieces, position = [], 0
    for start, each in sorted(places, key=lambda place: place[0]):
        encoded_again = base64.b64encode(content_of(each["sha256"])).decode()
        pieces += [text[position:start], encoded_again]
        position = start + len(stand_in(each))
    return "".join((*pieces, text[position:]))

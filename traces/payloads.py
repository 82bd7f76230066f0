"""Content too large or too foreign for a part, moved out of it without losing a character.

What is moved leaves a reference in the part's data and something readable in its text: of a long
text its head and tail, of binary content its type, size and digest. A reference says `of` which
field it is the whole, or `path` and `starts`, the places its base64 was taken from. Steps only:
labels and what is withheld stay where they are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple

from traces import encoded
from traces.facts import main_text
from traces.fingerprint import plain
from traces.previews import TAIL, preview, stand_in
from traces.transcript import Gap, Part, Step, Transcript

# Bytes of UTF-8. What is larger is moved.
LARGEST = 64 * 1024
# Bytes of JSON: values of moved data that stay, each and together.
SMALL, ALL_SMALL = 4 * 1024, 32 * 1024
# Most are of the first class, for which no registry of classes is asked.
OBJECTS = (dict, Mapping)
TEXT, JSON = "text/plain; charset=utf-8", "application/json"

Found = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Payload:
    """Bytes that are named by their sha256 (hex)."""

    sha256: str
    media_type: str
    content: bytes


class Moved(NamedTuple):
    transcript: Transcript
    payloads: tuple[Payload, ...]


def moved(transcript: Transcript) -> Moved:
    """The run with everything large or binary moved out of its parts, and what was moved.

    The same run gives the same answer, and one whose content was moved before stays as it is.
    """
    mover = _Mover()
    steps = tuple(mover.step(step) for step in transcript.steps)
    if not mover.payloads and not mover.gaps:
        return Moved(transcript, ())
    gaps = (*transcript.gaps, *mover.gaps)
    return Moved(replace(transcript, steps=steps, gaps=gaps), tuple(mover.payloads.values()))


def references(part: Part) -> Iterator[dict[str, Any]]:
    """What the part's data says of its payloads: ours, and a recorder's own."""
    listed = part.data.get("payloads")
    for found in (part.data.get("payload"), *(listed if isinstance(listed, list) else ())):
        if isinstance(found, dict) and isinstance(found.get("sha256"), str):
            yield found


class _Mover:
    """Moves content of one run, and remembers it and what could not be decoded."""

    def __init__(self) -> None:
        self.payloads: dict[str, Payload] = {}
        self.gaps: list[Gap] = []

    def step(self, step: Step) -> Step:
        damaged: list[str] = []
        parts = tuple(self.part(part, damaged) for part in step.parts)
        if damaged:
            detail = f"Declared to be base64 and left as it is: {', '.join(damaged[:5])}."
            self.gaps.append(Gap("undecodable_payload", detail, step.number))
        same = all(new is old for new, old in zip(parts, step.parts, strict=True))
        return step if same else replace(step, parts=parts)

    def part(self, part: Part, damaged: list[str]) -> Part:
        is_heavy = _is_heavy(part.data)
        if len(part.text) < encoded.SHORTEST and not is_heavy:
            return part
        taken = _Taken(self, damaged)
        data = taken.walked(taken.recorded(part.data), ()) if is_heavy else part.data
        text = taken.text(part.text, ("text",))
        kept = taken.large_data(data) if is_heavy else data
        if len(text) * 4 > LARGEST:
            text = taken.large_text(replace(part, text=text, data=kept))
        if not taken.references:
            return part if data is part.data else replace(part, data=data)
        if kept is data and data.keys() & {"payload", "payloads"} and not _is_recorded(data):
            kept = taken.whole_data(data)
        return replace(part, text=text, data=_with(kept, taken.references))

    def keep(self, media_type: str, content: bytes) -> dict[str, Any]:
        """Remember the content; what a reference says of it wherever it was."""
        sha256 = hashlib.sha256(content).hexdigest()
        self.payloads.setdefault(sha256, Payload(sha256, media_type, content))
        return {"sha256": sha256, "size": len(content), "media_type": media_type, "stored": True}


class _Taken:
    """What is taken out of one part."""

    def __init__(self, mover: _Mover, damaged: list[str]) -> None:
        self.mover = mover
        self.damaged = damaged
        self.references: list[dict[str, Any]] = []

    def recorded(self, data: Found) -> Found:
        """The data without the bytes that a recorder declared to be a payload."""
        given = data.get("payload")
        if not isinstance(given, dict) or not isinstance(given.get("content"), str):
            return data
        media_type = str(given.get("media_type") or encoded.UNKNOWN)[:100]
        content = encoded.decoded("".join(given["content"].split()))
        if content is None:
            self.damaged.append(media_type)
            return data
        rest = {key: value for key, value in given.items() if key != "content"}
        return {**data, "payload": rest | self.mover.keep(media_type, content)}

    def walked(self, value: Any, path: tuple[str | int, ...]) -> Any:
        """The value with binary content in its texts replaced; itself if there is none."""
        if isinstance(value, str):
            return self.text(value, ("data", *path))
        if isinstance(value, Mapping):
            changed = {key: self.walked(item, (*path, key)) for key, item in value.items()}
            return changed if any(changed[key] is not value[key] for key in changed) else value
        if isinstance(value, list):
            items = [self.walked(item, (*path, index)) for index, item in enumerate(value)]
            return items if any(a is not b for a, b in zip(items, value, strict=True)) else value
        return value

    def text(self, text: str, path: tuple[str | int, ...]) -> str:
        pieces: list[str] = []
        known: dict[str, dict[str, Any]] = {}
        position = length = 0
        for found in encoded.found(text):
            if found.content is None:
                self.damaged.append(found.media_type)
                continue
            reference = self.mover.keep(found.media_type, found.content)
            length += found.start - position
            place = known.setdefault(
                reference["sha256"], reference | {"path": list(path), "starts": []}
            )
            place["starts"].append(length)
            pieces += [text[position : found.start], stand_in(reference)]
            length += len(pieces[-1])
            position = found.end
        self.references += known.values()
        return "".join((*pieces, text[position:])) if known else text

    def large_data(self, data: Found) -> Found:
        is_large = _weight(data, LARGEST) * 6 > LARGEST and len(_json(data)) > LARGEST
        return self.whole_data(data) if is_large else data

    def whole_data(self, data: Found) -> Found:
        """The small values of the data, all of which becomes a payload."""
        kept, room = {}, ALL_SMALL
        for key, value in data.items():
            size = LARGEST if _weight(value, SMALL) > SMALL else len(_json({key: value}))
            if size <= min(SMALL, room) and (key not in RESERVED or _is_recorded(data)):
                kept[key] = value
                room -= size
        reference = self.mover.keep(JSON, _json(data))
        self.references.append(reference | {"of": "data", "left_out": len(data) - len(kept)})
        return kept

    def large_text(self, part: Part) -> str:
        text = part.text
        if len(content := text.encode()) <= LARGEST:
            return text
        reference = self.mover.keep(TEXT, content)
        self.references.append(reference | {"of": "text", "characters": len(text)})
        main = main_text(part)
        facts = text[len(main) :]
        if len(facts) > TAIL:
            main, facts = text, ""
        return preview(main, reference["sha256"]) + facts


RESERVED = ("payload", "payloads")


def _is_recorded(data: Found) -> bool:
    """Whether a recorder's own reference stands where ours would, so that ours go beside it."""
    given = data.get("payload")
    return "payloads" not in data and isinstance(given, dict) and not given.keys() & {"of", "path"}


def _with(data: Found, found: list[dict[str, Any]]) -> dict[str, Any]:
    first, rest = ([], found) if "payload" in data else (found[:1], found[1:])
    return {
        **data,
        **({"payload": first[0]} if first else {}),
        **({"payloads": rest} if rest else {}),
    }


def _is_heavy(data: Found) -> bool:
    """Whether there may be anything to move: a long text somewhere, or a recorder's own bytes."""
    given = data.get("payload")
    own = isinstance(given, dict) and "content" in given
    return own or _weight(data, encoded.SHORTEST) >= encoded.SHORTEST


def _weight(value: Any, enough: int) -> int:
    """About how many characters of JSON a value has; counting ends when there are enough."""
    if isinstance(value, str):
        return len(value) + 2
    if isinstance(value, OBJECTS):
        items: Iterator[Any] = chain.from_iterable(value.items())
    elif isinstance(value, list | tuple):
        items = iter(value)
    else:
        return 8
    weight = 2
    for item in items:
        weight += len(item) + 2 if type(item) is str else _weight(item, enough)
        if weight >= enough:
            break
    return weight


def _json(data: Found) -> bytes:
    return json.dumps(
        data, ensure_ascii=False, separators=(",", ":"), sort_keys=True, default=plain
    ).encode()

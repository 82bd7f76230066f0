"""What samples of Inspect keep apart from their events: long texts, and messages said often.

A log of a hundred thousand events refers to the same messages over and over: whoever asks which
of them are new gets each of them once, in time that grows with the log and not with its square.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from traces.formats.base import Json
from traces.formats.records import loose
from traces.formats.records.loose import Object

PROTOCOLS = ("attachment://", "tc://")
LONGEST_REFERENCE = 100
# After the events within another one; it stands in no log.
END: Object = {"event": "step", "action": "end"}


@dataclass(slots=True)
class Attachments:
    """Texts by their digests. `missing` are references to texts that are not here."""

    texts: Mapping[str, Json]
    missing: set[str] = field(default_factory=set)

    def whole(self, value: Json) -> Json:
        """The value with the texts that it refers to in their places."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {key: self.whole(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.whole(inner) for inner in value]
        return value

    def text(self, text: str) -> str:
        if len(text) > LONGEST_REFERENCE or not text.startswith(PROTOCOLS):
            return text
        found = self.texts.get(text.split("://", 1)[1])
        if isinstance(found, str):
            return found
        self.missing.add(text)
        return text


@dataclass(slots=True)
class Pool:
    """Messages by their indexes, each given out once."""

    messages: Sequence[Json]
    # Of each index, one at or behind it that may not have been given out.
    following: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.following = list(range(len(self.messages) + 1))

    def new(self, ranges: Json) -> Iterator[Object]:
        for pair in loose.items(ranges):
            ends = [loose.number(end) for end in loose.items(pair)]
            if len(ends) != 2 or ends[0] is None or ends[1] is None:
                continue
            at = self.next(ends[0])
            while at < min(ends[1], len(self.messages)):
                self.following[at] = at + 1
                yield loose.mapping(self.messages[at])
                at = self.next(at)

    def next(self, at: int) -> int:
        """The first index from here on that was not given out."""
        if at < 0 or at >= len(self.messages):
            return len(self.messages)
        end = at
        while self.following[end] != end:
            end = self.following[end]
        while self.following[at] != end:
            self.following[at], at = end, self.following[at]
        return end


def attachments_of(sample: Object) -> Attachments:
    """Old logs keep their texts with the events."""
    kept = loose.mapping(sample.get("attachments"))
    return Attachments({**loose.mapping(loose.at(sample, "transcript", "content")), **kept})


def pool_of(sample: Object) -> Pool:
    inner = loose.at(sample, "events_data", "messages")
    return Pool(loose.items(inner) or loose.items(sample.get("message_pool")))


def events_of(sample: Object) -> list[tuple[str, Json]]:
    """The events with their pointers: in old logs a tool's own events stand within it."""
    listed, at = loose.items(sample.get("events")), "/events"
    if not listed:
        listed, at = loose.items(loose.at(sample, "transcript", "events")), "/transcript/events"
    waiting = numbered(listed, at)
    events = []
    while waiting:
        pointer, event = waiting.pop()
        events.append((pointer, event))
        waiting += within(loose.mapping(event), f"{pointer}/events")
    return events


def within(event: Object, at: str) -> list[tuple[str, Json]]:
    """What stands in an event. A tool that asked models is an agent while it did."""
    inner = loose.items(event.get("events"))
    nested = numbered(inner, at)
    if any(loose.mapping(each).get("event") == "model" for each in inner):
        name = loose.name(event.get("function")) or loose.name(event.get("name"))
        begin = {"event": "step", "action": "begin", "type": "agent", "name": name}
        return [(at, END), *nested, (at, begin)]
    return nested


def numbered(listed: Sequence[Json], at: str) -> list[tuple[str, Json]]:
    """The last first, as they are to be taken from a stack."""
    return [(f"{at}/{index}", event) for index, event in enumerate(listed)][::-1]

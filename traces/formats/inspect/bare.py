"""What Inspect writes, without the log around it: one sample's file, or the events of one sample.

Tests of tools that show logs keep events alone, with what is expected of them: an answer.
"""

from __future__ import annotations

from collections.abc import Mapping

from traces.formats.base import Json
from traces.formats.records import loose
from traces.formats.records.loose import Object

# Of every sample; the parts that a list of messages has no name for.
OF_SAMPLE = ("epoch", "input", "target")
KINDS = frozenset(
    (
        "branch",
        "model",
        "sample_init",
        "score",
        "span_begin",
        "span_end",
        "state",
        "step",
        "store",
        "tool",
    )
)
# Enough to tell: a fixture is small, a sample may have a hundred thousand events.
FIRST = 5


def bare(value: Object) -> str | None:
    """The rule by which this is a sample, or the events of one. A log is neither."""
    if isinstance(value.get("eval"), Mapping):
        return None
    if loose.name(value.get("id")) and all(key in value for key in OF_SAMPLE):
        return f"keys {', '.join(OF_SAMPLE)} and id"
    return "events of an Inspect sample" if only_events(value) else None


def only_events(value: Object) -> bool:
    return any(is_event(each) for each in loose.items(value.get("events"))[:FIRST])


def is_event(value: Json) -> bool:
    """LangGraph's events have these key names too, but a run's id and other kinds."""
    event = loose.mapping(value)
    return loose.text(event.get("event")) in KINDS and "timestamp" in event


def named(sample: Json) -> str:
    """By id and epoch; events that came without their sample are named by what they say."""
    if not isinstance(sample, Mapping):
        return ""
    if ident := loose.name(sample.get("id")):
        return f"{ident}_epoch_{loose.number(sample.get('epoch'))}"
    return f"inspect-{loose.digest(sample['events'])}" if only_events(sample) else ""

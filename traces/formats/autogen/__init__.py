"""Reads what AutoGen's `run_stream` yields: messages, events, and a result that repeats them."""

from __future__ import annotations

from collections.abc import Mapping

from traces.formats.autogen.messages import Team, header, is_message
from traces.formats.autogen.stopping import stopped
from traces.formats.base import Document, Json, ParsedRun, Reading, Refusal, Sample, Unreadable
from traces.formats.records import loose
from traces.formats.steps.building import Builder
from traces.formats.steps.unsayable import unsayable_but
from traces.transcript import Fate

CAPTURE = unsayable_but(
    "started_at",
    "ended_at",
    "reports",
    "steps/started_at",
    "steps/ended_at",
    more=("task/id", "outcome", "failures", "system/models"),
)
NO_MESSAGE = "This is no AutoGen message, nor a result with messages."


class AutoGen:
    name = "autogen"
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        if any(is_result(item) and item.get("messages") for item in sample.objects):
            return "keys messages and stop_reason, with AutoGen messages"
        found = sum(map(is_message, sample.objects))
        if found and 2 * found >= len(sample.objects):
            return "messages with source and an AutoGen type"
        return None

    def read(self, document: Document) -> Reading:
        return read(document)


FORMAT = AutoGen()


def is_result(value: Json) -> bool:
    """Whether this is a TaskResult: all messages again, and why the team stopped."""
    if not isinstance(value, Mapping) or "stop_reason" not in value:
        return False
    messages = loose.items(value.get("messages"))
    return not messages or any(map(is_message, messages[:20]))


def read(document: Document) -> Reading:
    builder, refusals = Builder(), []
    team = Team(builder)
    for index, (pointer, value) in enumerate(loose.placed(document)):
        if is_message(value):
            team.add(value, pointer, (index, 0))
        elif is_result(value):
            finish(team, value, pointer, index)
        else:
            refusals.append(Refusal(pointer or "/", NO_MESSAGE))
            builder.gap("undecodable_step", f"No message: {pointer or '/'}.")
    if not builder.drafts:
        raise Unreadable("There are no AutoGen messages here.")
    team.finish()
    content = [draft.id for draft in builder.drafts.values()]
    run = header(builder, loose.reading_gaps(document), "autogen", CAPTURE, content)
    return Reading((ParsedRun(builder.transcript(run)),), tuple(refusals))


def finish(team: Team, value: Mapping[str, Json], pointer: str, index: int) -> None:
    """The result: its messages are known by their ids unless the stream was not kept."""
    team.builder.record(pointer or "/", Fate.CONTAINER, "TaskResult")
    for number, message in enumerate(loose.items(value.get("messages")), start=1):
        place = f"{pointer}/messages/{number - 1}"
        if is_message(message):
            team.add(message, place, (index, number))
        else:
            team.builder.record(place, Fate.UNMAPPED, "no message")
            team.builder.gap("undecodable_step", f"No message: {place}.")
    if stop := loose.text(value.get("stop_reason")):
        team.builder.report(stopped(stop))

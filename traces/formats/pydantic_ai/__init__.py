"""Reads the messages that pydantic-ai keeps of its runs, as it dumps them.

Of each tool's answer it says how it went and whether it asked the model to try again. Who runs is
not named, but each execution has an id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from traces.completeness import listed
from traces.formats.base import (
    Document,
    Json,
    ParsedRun,
    Reading,
    Refusal,
    Sample,
    Unreadable,
)
from traces.formats.chat.transcribing import with_task
from traces.formats.chat.words import text_of
from traces.formats.pydantic_ai.run import Run
from traces.formats.records.loose import digest, reading_gaps
from traces.formats.records.times import moment
from traces.formats.steps.building import Builder
from traces.formats.steps.conversation import Place
from traces.formats.steps.unsayable import unsayable_but
from traces.transcript import Gap, Transcript

LISTS = ("messages", "all_messages", "new_messages", "message_history")
NOT_IN_SCHEMA = unsayable_but(
    *("steps/started_at", "steps/ended_at", "steps/retry", "attempt"),
    more=("outcome", "failures", "task/id", "steps/handoff_from"),
)


class PydanticAI:
    name = "pydantic_ai"
    version = "1"
    before = ("messages",)

    def recognise(self, sample: Sample) -> str | None:
        if sample.objects and any(map(is_message, list_in(sample.objects[0])[1])):
            return "a list of objects with kind request or response, and parts"
        fitting = sum(map(is_message, sample.objects))
        if fitting and 2 * fitting >= len(sample.objects):
            return "kind request or response, and parts"
        return None

    def read(self, document: Document) -> Reading:
        entries = list(entries_of(document))
        refusals = [
            Refusal(pointer, "This is no request or response with parts.")
            for pointer, value in entries
            if not is_message(value)
        ]
        good = [(pointer, value) for pointer, value in entries if is_message(value)]
        if not good:
            raise Unreadable("There are no messages here.")
        gaps = reading_gaps(document)
        if refusals and not document.lines:
            places = listed([each.position for each in refusals])
            gaps = (*gaps, Gap("undecodable_step", f"Entries that are no messages: {places}."))
        return Reading((ParsedRun(transcript(good, gaps)),), tuple(refusals))


FORMAT = PydanticAI()


def entries_of(document: Document) -> Iterator[tuple[str, Json]]:
    """The messages, which may stand below a key."""
    for pointer, value, _ in document.values():
        key, listed = list_in(value)
        if key and not is_message(value):
            yield from ((f"{pointer}/{key}/{n}", each) for n, each in enumerate(listed))
        else:
            yield pointer, value


def list_in(value: Json) -> tuple[str, Sequence[Json]]:
    for key in LISTS if isinstance(value, Mapping) else ():
        if isinstance(value.get(key), list):
            return key, value[key]
    return "", ()


def is_message(value: Json) -> bool:
    return (
        isinstance(value, Mapping)
        and value.get("kind") in ("request", "response")
        and isinstance(value.get("parts"), list)
    )


def transcript(entries: list[tuple[str, Mapping[str, Json]]], gaps: tuple[Gap, ...]) -> Transcript:
    run = Run(Builder())
    for index, (pointer, value) in enumerate(entries):
        run.take(value, Place(str(index), (index,), pointer, moment(value.get("timestamp"))))
    run.talk.note_reused()
    values = [value for _, value in entries]
    models = {key: actor.model for key, actor in run.builder.actors.items() if actor.model}
    header = Transcript(
        external_id=named(values, "conversation_id")
        or named(values, "run_id")
        or f"pydantic_ai-{digest(values)}",
        source="pydantic-ai",
        schema="pydantic_ai",
        actors=(),
        steps=(),
        gaps=gaps,
        system={"models": models} if models else {},
        capture=NOT_IN_SCHEMA | ({} if models else {"system": "not_captured"}),
    )
    return with_task(run.builder.transcript(header))


def named(values: list[Mapping[str, Json]], key: str) -> str:
    return next((name for value in values if (name := text_of(value.get(key)))), "")

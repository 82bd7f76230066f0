"""Reads recorded model sessions of AutoGen: what the model was sent, and what it answered.

Each request repeats the conversation before it; only what is new in it becomes steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from traces.formats.autogen.contexts import Contexts, is_context
from traces.formats.autogen.messages import header
from traces.formats.base import Document, Json, ParsedRun, Reading, Refusal, Sample, Unreadable
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.steps.building import Builder
from traces.formats.steps.conversation import Conversation, Place
from traces.formats.steps.unsayable import unsayable
from traces.transcript import Fate, Transcript

CAPTURE = unsayable("task/id", "outcome", "failures", "system/models", "steps/handoff_from")
REPEATED = "messages sent to the model again"
NO_EXCHANGE = "This is no exchange with a model: it lacks messages or a response."


class AutoGenReplay:
    name = "autogen_replay"
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        if any(is_exchange(item) for item in sample.objects):
            return "keys mode, messages and response, with AutoGen model messages"
        return None

    def read(self, document: Document) -> Reading:
        builder, refusals = Builder(), []
        contexts = Contexts(builder, [])
        talk = Conversation(builder, "assistant")
        before: list[str] = []
        for number, (pointer, value) in enumerate(loose.placed(document)):
            if is_exchange(value):
                before = exchange(contexts, talk, value, pointer, number, before)
            else:
                refusals.append(Refusal(pointer or "/", NO_EXCHANGE))
        if not builder.drafts:
            raise Unreadable("There are no exchanges with a model here.")
        if refusals:
            builder.gap("undecodable_step", f"Records that are no exchanges: {len(refusals)}.")
        talk.note_reused()
        return Reading((ParsedRun(transcript(builder, document)),), tuple(refusals))


FORMAT = AutoGenReplay()


def is_exchange(value: Json) -> bool:
    given = loose.mapping(value)
    sent = is_context(given.get("messages"))
    return sent and "mode" in given and isinstance(given.get("response"), dict)


def exchange(
    contexts: Contexts,
    talk: Conversation,
    value: Object,
    pointer: str,
    number: int,
    before: Sequence[str],
) -> list[str]:
    """Steps for what is new in a request, and for its answer. A new beginning is a new thread."""
    sent = loose.objects(value.get("messages"))
    names = [loose.digest([each.get("type"), each.get("content")]) for each in sent]
    known = 0
    while known < min(len(names), len(before)) and names[known] == before[known]:
        known += 1
    if not known:
        talk.ends = []
    for index, each in enumerate(sent):
        at = f"{pointer}/messages/{index}"
        if index < known:
            contexts.builder.fold(REPEATED, at)
        else:
            contexts.add(talk, each, "assistant", Place(at, (number, index), at))
    contexts.builder.record(pointer or "/", Fate.CONTAINER, "exchange")
    response = loose.mapping(value.get("response"))
    answer = {**response, "type": "AssistantMessage", "source": "assistant"}
    at = f"{pointer}/response"
    contexts.add(talk, answer, "assistant", Place(at, (number, len(sent)), at))
    said: Any = response.get("content")
    return [*names, loose.digest(["AssistantMessage", said])]


def transcript(builder: Builder, document: Document) -> Transcript:
    content = [
        [draft.actor, *(part.text for part in draft.parts)] for draft in builder.drafts.values()
    ]
    run = header(builder, loose.reading_gaps(document), "autogen_replay", CAPTURE, content)
    return builder.transcript(run)

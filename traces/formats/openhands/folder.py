"""Joins a conversation that OpenHands keeps as a folder: a file for each event, by its number.

The state of the conversation lies beside the folder of events and says which model was asked.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from traces.formats.base import Document, Reading, Recognised, Refusal
from traces.formats.openhands import NAME, OpenHands, reading
from traces.formats.openhands.acts import AGENT
from traces.formats.records import loose
from traces.formats.records.event_log import Entry, Log
from traces.transcript import Fate, Gap, RawRecord, Transcript

EVENT = re.compile(r"(?P<folder>(?:.*/)?)(?:event-)?(?P<number>\d{1,9})(?:-[\w-]+)?\.json\Z")
FOLDER, STATE = "events/", "base_state.json"


class Conversations:
    name = NAME
    version = OpenHands.version

    def claims(self, documents: Sequence[Recognised]) -> Iterator[tuple[int, ...]]:
        folders: defaultdict[str, list[tuple[int, str, int]]] = defaultdict(list)
        states: dict[str, int] = {}
        for index, each in enumerate(documents):
            name = each.document.name
            found = EVENT.match(name)
            if each.format == NAME and found and is_event(each.document):
                folders[found["folder"]].append((int(found["number"]), name, index))
            elif name.endswith(STATE) and not each.format:
                states[name.removesuffix(STATE)] = index
        for folder, files in folders.items():
            if len(files) > 1:
                state = states.get(folder.removesuffix(FOLDER))
                beside = () if state is None else (state,)
                yield (*(index for _, _, index in sorted(files)), *beside)

    def read(self, documents: Sequence[Recognised]) -> Reading:
        events = [each.document for each in documents if each.format == NAME]
        entries = [
            Entry(number, f"{each.name}: /", loose.mapping(each.records[0].value))
            for number, each in enumerate(events)
        ]
        log = Log(tuple(entries), refused(events), gaps_of(events))
        read = reading(log)
        (run,) = read.runs
        told = run.transcript
        for each in documents:
            if each.format != NAME:
                told = stated(told, each.document)
        return replace(read, runs=(replace(run, transcript=told),))


JOINER = Conversations()


def is_event(document: Document) -> bool:
    """Whether the file holds one event alone, and not a list or lines of them."""
    return len(document.records) == 1 and not isinstance(document.records[0].value, list)


def refused(events: Sequence[Document]) -> tuple[Refusal, ...]:
    return tuple(
        replace(refusal, position=f"{each.name}: {refusal.position}")
        for each in events
        for refusal in each.refusals
    )


def gaps_of(events: Sequence[Document]) -> tuple[Gap, ...]:
    return tuple(dict.fromkeys(gap for each in events for gap in loose.reading_gaps(each)))


def stated(told: Transcript, document: Document) -> Transcript:
    """The run with the model that the conversation's state names, where no event does."""
    record = RawRecord(f"{document.name}: /", Fate.CONTEXT, "state of the conversation")
    state = document.records[0].value if document.records else None
    model = loose.text(loose.at(state, "agent", "llm", "model"))
    if model:
        actors = tuple(
            replace(each, model=each.model or model) if each.key == AGENT else each
            for each in told.actors
        )
        told = replace(told, actors=actors, system={"models": {AGENT: model}, **told.system})
    return replace(told, records=(*told.records, record))

"""Reads message lists with tool calls, and logs of requests to models and their responses.

A model call is a step, and so is each tool call with its answer, matched to the nearest following
answer with the call's id. Little else is known: no outcome, and times only in logs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from traces.formats.base import (
    Document,
    Json,
    ParsedRun,
    Reading,
    Refusal,
    Sample,
)
from traces.formats.chat import transcribing
from traces.formats.chat.lists import is_entry, list_in, listings
from traces.formats.chat.streams import assembled, is_piece_of_stream
from traces.formats.messages import exchanges, logs
from traces.formats.messages.exchanges import Exchange, is_exchange
from traces.formats.records.loose import reading_gaps
from traces.transcript import Fate, Gap, RawRecord

NOTHING = "There are no messages here."
PIECE = "piece of a stream"


class Messages:
    name = "messages"
    version = "3"

    def recognise(self, sample: Sample) -> str | None:
        for fits, rule in RULES:
            if sample.objects and 2 * sum(map(fits, sample.objects)) >= len(sample.objects):
                return rule
        for item in sample.objects[:1]:
            key, listed = list_in(item)
            if listed and is_entry(listed[0]):
                return f'key {key}, a list of objects with "role" and "content"'
        return None

    def read(self, document: Document) -> Reading:
        if any(is_exchange(value) for _, value in values(document)):
            return read_log(document)
        if any(is_piece_of_stream(value) for _, value in values(document)):
            return read_stream(document)
        runs: list[ParsedRun] = []
        refusals: list[Refusal] = []
        for listing in listings(document):
            good, bad = listing.sorted_out()
            refusals.extend(bad)
            if good:
                run = transcribing.transcript(listing, good, bad)
                runs.append(ParsedRun(run, listing.pointer))
            elif not bad:
                refusals.append(Refusal(listing.pointer or "/", NOTHING))
        return Reading(tuple(runs), tuple(refusals))


FORMAT = Messages()
RULES = (
    (is_entry, 'objects with "role" and "content"'),
    (is_exchange, "requests to a model with their responses"),
    (is_piece_of_stream, "pieces of a streamed response"),
)


def values(document: Document) -> Iterator[tuple[str, Json]]:
    """The values of a document, one by one: its lines, or the elements of its list."""
    for record in document.records:
        if isinstance(record.value, list):
            for index, value in enumerate(record.value):
                yield f"{record.position}/{index}", value
        else:
            yield record.position, record.value


def gaps_of(document: Document) -> tuple[Gap, ...]:
    return reading_gaps(document)


def read_log(document: Document) -> Reading:
    """One run for each session a log names, one for all that it does not tell apart.

    Results of a batch have nothing to do with each other, and are a run each.
    """
    groups: dict[str, list[Exchange]] = {}
    refusals = []
    for pointer, value in values(document):
        if not is_exchange(value):
            refusals.append(Refusal(pointer or "/", "This is no request with its response."))
            continue
        exchange = exchanges.exchange(value, pointer)
        alone = value.get("custom_id")
        if isinstance(alone, str):
            exchange = replace(exchange, session=alone)
        groups.setdefault(exchange.session, []).append(exchange)
    gaps = gaps_of(document)
    runs = [ParsedRun(logs.transcript(group, gaps)) for group in groups.values()]
    return Reading(tuple(run for run in runs if run.transcript.steps), tuple(refusals))


def read_stream(document: Document) -> Reading:
    """The response that came in pieces, as one run."""
    pieces = [(place, value) for place, value in values(document) if isinstance(value, Mapping)]
    response = assembled([value for _, value in pieces])
    first = pieces[0][0] if pieces else ""
    said = exchanges.exchange({"custom_id": "", "response": response}, first)
    run = logs.transcript([said], gaps_of(document))
    records = tuple(RawRecord(place, Fate.FOLDED, PIECE) for place, _ in pieces)
    run = replace(run, records=records, folded={**run.folded, PIECE: len(pieces)})
    return Reading((ParsedRun(run),)) if run.steps else Reading(refusals=(Refusal("/", NOTHING),))

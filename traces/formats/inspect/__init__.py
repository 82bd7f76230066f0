"""Reads logs of Inspect AI: `.json`, and the files of an `.eval`, also of one that broke off.

Every sample of every epoch is a run. The header is written last; where it is missing, what the
journal says of the start stands for it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from traces.formats.base import (
    Document,
    Json,
    ParsedRun,
    Reading,
    Recognised,
    Refusal,
    Sample,
    Unreadable,
    replacement_gaps,
)
from traces.formats.inspect.bare import bare
from traces.formats.inspect.sample import NAME, Log, read_sample
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.transcript import Gap

HEADER, START = "header.json", "_journal/start.json"
SAMPLE = re.compile(r"samples/(.+_epoch_\d+|[^/]+)\.json\Z")
CHUNK = re.compile(r"samples/([^/]+)/(?:(messages|events|attachments)/)?(\w+)\.json\Z")
REST = re.compile(r"(?:samples/.+|_journal/.+|summaries|reductions|header)\.json\Z")
NO_SAMPLES = "There are no samples in this Inspect log."
BROKE_OFF = "The evaluation broke off: its log has no header."


class Inspect:
    name = NAME
    version = "1"
    # A log holds the messages of its samples.
    before = ("messages",)

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects[:1]:
            if isinstance(item.get("eval"), Mapping) and "status" in item:
                for key in ("plan", "version"):
                    if key in item:
                        return f"keys eval, status and {key}"
            return bare(item)
        return None

    def read(self, document: Document) -> Reading:
        runs: list[ParsedRun] = []
        refusals: list[Refusal] = []
        for record in document.records:
            log = loose.mapping(record.value)
            gaps = (*document.gaps, *replacement_gaps(record))
            if bare(log):
                keep(runs, refusals, log, Log({}, gaps), record.position)
                continue
            for index, sample in enumerate(loose.items(log.get("samples"))):
                pointer = f"{record.position}/samples/{index}"
                keep(runs, refusals, sample, Log(log, gaps), pointer)
        if not runs and not refusals:
            raise Unreadable(NO_SAMPLES)
        return Reading(tuple(runs), tuple(refusals))


class InspectFiles:
    """Joins the files of an `.eval`: its header or journal, and its samples."""

    name = NAME
    version = Inspect.version

    def claims(self, documents: Sequence[Recognised]) -> Iterator[tuple[int, ...]]:
        names = {each.document.name: index for index, each in enumerate(documents)}
        for name, index in names.items():
            is_header = name.endswith(HEADER) and "eval" in first(documents[index])
            begin = name.removesuffix(HEADER if is_header else START)
            is_start = name.endswith(START) and f"{begin}{HEADER}" not in names
            if not (is_header or is_start):
                continue
            own = (at for each, at in names.items() if REST.match(each.removeprefix(begin)))
            yield (index, *(at for at in own if at != index))

    def read(self, documents: Sequence[Recognised]) -> Reading:
        main = documents[0]
        header = first(main)
        begin = main.document.name.removesuffix(HEADER).removesuffix(START)
        gaps = tuple(header_gaps(main, header))
        runs: list[ParsedRun] = []
        refusals: list[Refusal] = []
        for each in documents[1:]:
            if SAMPLE.match(each.document.name.removeprefix(begin)) and not is_chunk(each, begin):
                log = Log(header, (*gaps, *loose.reading_gaps(each.document)))
                if each.document.records:
                    keep(runs, refusals, first(each), log, each.document.name)
                else:
                    refusals.append(Refusal(each.document.name, "This sample is not JSON."))
        for name, sample in chunked(documents[1:], begin).items():
            keep(runs, refusals, sample, Log(header, gaps), name)
        if not runs and not refusals:
            raise Unreadable(NO_SAMPLES)
        return Reading(tuple(runs), tuple(refusals))


FORMAT = Inspect()
JOINER = InspectFiles()


def keep(
    runs: list[ParsedRun], refusals: list[Refusal], sample: Json, log: Log, pointer: str
) -> None:
    try:
        runs.append(ParsedRun(read_sample(sample, log), pointer))
    except Unreadable as error:
        refusals.append(Refusal.of(error, pointer))


def first(given: Recognised) -> Object:
    records = given.document.records
    return loose.mapping(records[0].value) if records else {}


def header_gaps(main: Recognised, header: Object) -> Iterator[Gap]:
    yield from loose.reading_gaps(main.document)
    if main.document.name.endswith(START):
        yield Gap("damaged", BROKE_OFF)


def is_chunk(given: Recognised, begin: str) -> bool:
    return bool(CHUNK.match(given.document.name.removeprefix(begin)))


def chunked(documents: Sequence[Recognised], begin: str) -> dict[str, Json]:
    """Samples that were written in pieces, put together: each is named by its shell."""
    shells: dict[str, tuple[str, Object]] = {}
    pieces: defaultdict[str, defaultdict[str, dict[int, Sequence[Json]]]]
    pieces = defaultdict(lambda: defaultdict(dict))
    for each in documents:
        match = CHUNK.match(each.document.name.removeprefix(begin))
        if not match:
            continue
        sample, sequence, name = match.groups()
        if not sequence and name == "sample":
            shells[sample] = (each.document.name, first(each))
        elif sequence and name.isdigit() and each.document.records:
            pieces[sample][sequence][int(name)] = loose.items(each.document.records[0].value)
    return {name: whole(shell, pieces[sample]) for sample, (name, shell) in shells.items()}


def whole(shell: Object, pieces: Mapping[str, Mapping[int, Sequence[Json]]]) -> Json:
    """A sample as it would be in one piece. Its texts are known by their numbers."""
    listed = {
        sequence: [item for _, items in sorted(found.items()) for item in items]
        for sequence, found in pieces.items()
    }
    return {
        **shell,
        "events": listed.get("events", []),
        "events_data": {"messages": listed.get("messages", [])},
        "attachments": {str(n): text for n, text in enumerate(listed.get("attachments", []))},
    }

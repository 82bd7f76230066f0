"""Joins label sheets of AgentRx with the transcripts beside them, which have no ids of their own.

A sheet calls a run by the name of its file. The labels stay apart: here runs only get their names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from traces.formats import agentrx, magentic_one
from traces.formats.base import Format, Label, ParsedRun, Reading, Recognised, Refusal, Unreadable
from traces.formats.records import loose


class AgentRxSet:
    name = "agentrx_set"
    version = "1"

    def claims(self, documents: Sequence[Recognised]) -> Iterator[tuple[int, ...]]:
        """Each sheet with the transcripts that it names and no sheet before it did."""
        lists = {
            PurePosixPath(each.document.name).stem: index
            for index, each in enumerate(documents)
            if each.format == magentic_one.FORMAT.name
        }
        for index, each in enumerate(documents):
            if each.format == agentrx.FORMAT.name:
                named = [lists.pop(name) for name in names_in(each) if name in lists]
                if named:
                    yield (index, *named)

    def read(self, documents: Sequence[Recognised]) -> Reading:
        runs: list[ParsedRun] = []
        labels: list[Label] = []
        refusals: list[Refusal] = []
        for each in documents:
            begin = f"{each.document.name}: "
            try:
                read = READERS[each.format].read(each.document)
            except Unreadable as error:
                refusals.append(Refusal.of(error, each.document.name))
                continue
            refusals.extend(replace(one, position=begin + one.position) for one in read.refusals)
            labels.extend(replace(one, pointer=begin + one.pointer) for one in read.labels)
            runs.extend(replace(one, pointer=begin + one.pointer) for one in read.runs)
        return Reading(tuple(runs), tuple(refusals), tuple(labels))


READERS: dict[str, Format] = {each.name: each for each in (agentrx.FORMAT, magentic_one.FORMAT)}
JOINER = AgentRxSet()


def names_in(sheet: Recognised) -> Iterator[str]:
    """The runs that a sheet has labels of, each once."""
    values = [value for _, value in loose.placed(sheet.document) if isinstance(value, Mapping)]
    yield from dict.fromkeys(filter(None, (loose.name(v.get("trajectory_id")) for v in values)))

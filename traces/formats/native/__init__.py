"""Reads native runs of both versions. The header is strict; a bad step costs only itself.

A file of version 1 is held to version 1, and then read as the version 2 it migrates to.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import TypeVar

import msgspec

from traces.completeness import listed
from traces.formats.base import Document, Json, ParsedRun, Reading, Refusal, Sample, Unreadable
from traces.formats.native import v1, v2
from traces.formats.native.building import Draft, placed, transcript
from traces.formats.native.migration import migrated
from traces.formats.steps import fitting
from traces.transcript import Gap, Transcript

# Memory and time grow with links: a million take ten seconds and 400 MB.
MOST_LINKS = 1_000_000
FAMILY = v2.SCHEMA.split("/")[0] + "/"
REQUIRED = ("run", "actors", "steps")
# What a step has to fit before it is read as one of version 2.
OLDER: dict[str, tuple[type[v1.Step], ...]] = {
    v1.SCHEMA: (v1.Step,),
    v2.SCHEMA: (),
}

Header = TypeVar("Header", bound=v1.Document)


class Native:
    name = "native"
    version = "2"

    def recognise(self, sample: Sample) -> str | None:
        fits = any(str(item.get("schema", "")).startswith(FAMILY) for item in sample.objects)
        return f'key schema begins "{FAMILY}"' if fits else None

    def read(self, document: Document) -> Reading:
        runs, refusals = [], []
        for pointer, value, gaps in document.values():
            try:
                run, bad_steps = read_run(value, gaps)
            except Unreadable as error:
                refusals.append(Refusal.of(error, pointer or "/"))
                continue
            runs.append(ParsedRun(run, pointer))
            refusals.extend(Refusal(f"{pointer}{bad.position}", bad.reason) for bad in bad_steps)
        return Reading(tuple(runs), tuple(refusals))


def read_run(value: Json, gaps: tuple[Gap, ...]) -> tuple[Transcript, list[Refusal]]:
    """A run and its refused steps. Raises Unreadable if the header is not as it must be."""
    header = header_of(value)
    drafts, refusals = drafts_of(value["steps"], value["schema"])
    check_links(drafts)
    if refusals:
        places = listed([refusal.position for refusal in refusals])
        gaps = (*gaps, Gap("undecodable_step", f"Steps that could not be read: {places}."))
    return transcript(header, placed(drafts), gaps, schema=value["schema"]), refusals


def header_of(value: Json) -> v2.Document:
    if not isinstance(value, Mapping):
        raise Unreadable("This is no run: a run is a JSON object.")
    schema = value.get("schema")
    if schema == v1.SCHEMA:
        fit(value, v1.Document)
        return fit(migrated(value), v2.Document)
    if schema != v2.SCHEMA:
        given = fitting.short(str(schema))
        known = f'"{v1.SCHEMA}" and "{v2.SCHEMA}"'
        raise Unreadable(f'The schema is "{given}"; this release reads {known}.')
    return fit(value, v2.Document)


def fit(value: Mapping[str, Json], document: type[Header]) -> Header:
    """The document without its steps, if it is as the structs say."""
    missing = [field for field in REQUIRED if field not in value]
    if missing:
        names = listed([f'"{field}"' for field in missing])
        raise Unreadable(f"This is no whole run: it has no {names}.")
    steps = [] if isinstance(value.get("steps"), list) else value.get("steps")
    try:
        return msgspec.convert({**value, "steps": steps}, document)
    except msgspec.ValidationError as error:
        position, reason = explained(error)
        raise Unreadable(f"{position or '/'}: {reason}") from error


def drafts_of(steps: list[Json], schema: str) -> tuple[list[Draft], list[Refusal]]:
    """Steps one by one. Only those that share an id carry their content, to be told apart."""
    ids = Counter(str(step.get("id")) for step in steps if isinstance(step, dict))
    drafts, refusals, older = [], [], OLDER[schema]
    for index, raw in enumerate(steps):
        pointer = f"/steps/{index}"
        try:
            for step in older:
                msgspec.convert(raw, step)
            given = msgspec.convert(raw, v2.Step)
        except msgspec.ValidationError as error:
            position, reason = explained(error)
            refusals.append(Refusal(f"{pointer}{position}", reason))
            continue
        content = json.dumps(raw, sort_keys=True) if ids[given.id] > 1 else ""
        drafts.append(Draft(given, pointer, content))
    return drafts, refusals


def check_links(drafts: list[Draft]) -> None:
    count = sum(len(draft.given.inputs) + len(draft.given.joins) for draft in drafts)
    if count > MOST_LINKS:
        raise Unreadable(
            f"The steps have {count:,} inputs and joins in all; the limit is {MOST_LINKS:,}."
        )


def explained(error: msgspec.ValidationError) -> tuple[str, str]:
    """The JSON pointer and the sentence of a validation error."""
    reason, _, path = str(error).partition(" - at `")
    path = path.rstrip("`").removeprefix("$")
    pointer = re.sub(r"\[(\d+|\.\.\.)\]", r"/\1", path).replace(".", "/").replace("///", "/...")
    return pointer, f"{reason}."


FORMAT = Native()

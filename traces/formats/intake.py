"""Everything between a file's bytes and transcripts, without a database.

Opened, decoded, recognised, read, ordered, completed with gaps and failures, fitted to the
tables. The same bytes give the same answer every time.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from traces import collecting, failures, fingerprint, gaps, payloads, suspicions
from traces.formats import registry
from traces.formats.base import (
    Document,
    Format,
    Joiner,
    Label,
    Limits,
    ParsedRun,
    Reading,
    Recognised,
    Refusal,
    Unreadable,
)
from traces.formats.files import bundles, bystanders, containers, documents
from traces.formats.files.cleaning import Cleaner
from traces.formats.steps import amounts, fitting, labels
from traces.payloads import Payload
from traces.transcript import Transcript

# Of the places of refused steps: their numbers, and what stands between two of them.
NOT_A_FIELD = re.compile(r"[\d.,]+")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TakenRun:
    """A run ready to be written, with the format and the rule that recognised it."""

    transcript: Transcript
    pointer: str
    format: str
    rule: str
    sha256: str
    payloads: tuple[Payload, ...] = ()


@dataclass(frozen=True, slots=True)
class Intake:
    """What one file gave. `left_out` names members of a bundle that are no traces at all.

    `read_as` is the format, with its version, and the rule of each document that could be read.
    """

    runs: tuple[TakenRun, ...]
    refusals: tuple[Refusal, ...]
    left_out: tuple[str, ...] = ()
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    read_as: tuple[tuple[str, str], ...] = ()


@collecting.paused()
def take(content: bytes, *, wanted: str = "", limits: Limits = Limits()) -> Intake:  # noqa: B008
    """All runs in a file. Raises Unreadable, with a sentence, if there is nothing to be had."""
    members, refusals = containers.opened(content, limits)
    if len(members) == 1 and not members[0].name:
        return one(members[0], wanted, limits)
    return bundle(members, refusals, wanted, limits)


def bundle(
    members: list[containers.Member], refusals: list[Refusal], wanted: str, limits: Limits
) -> Intake:
    """All runs of files that came together: groups first, then one by one what is in none."""
    given = [bundles.recognised(member, limits) for member in members]
    groups = {group.indexes[0]: group for group in bundles.groups(given, wanted)}
    claimed = {index for group in groups.values() for index in group.indexes}
    parts: list[Intake] = []
    left_out: list[str] = []
    for index, member in enumerate(members):
        if index in claimed and index not in groups:
            continue
        try:
            if index in groups:
                part = joined(groups[index], given, limits)
            else:
                part = one(member, wanted, limits, given[index].document)
        except Unreadable as error:
            if index not in groups and bystanders.why_no_trace(member.name, member.content):
                left_out.append(member.name)
            else:
                refusals.append(Refusal.of(error, member.name))
            continue
        parts.append(part)
        refusals.extend(part.refusals)
    return Intake(
        runs=tuple(run for part in parts for run in part.runs),
        refusals=tuple(refusals),
        left_out=tuple(left_out),
        labels=tuple(label for part in parts for label in part.labels),
        notes=tuple(note for part in parts for note in part.notes),
        read_as=tuple(each for part in parts for each in part.read_as),
    )


def joined(group: bundles.Group, given: Sequence[Recognised], limits: Limits) -> Intake:
    """All runs of the files that a joiner reads as one."""
    files = [given[index] for index in group.indexes]
    reading = read(group.joiner, files, limits)
    rule = f"a bundle of {len(files)} files: {files[0].rule or 'by their names'}"
    return kept(reading, bundles.whole(files), group.joiner, rule, limits)


def one(
    member: containers.Member, wanted: str, limits: Limits, document: Document | None = None
) -> Intake:
    """All runs of one document. Whatever goes wrong with it is a sentence, and costs no other.

    `document` is what was decoded of it before, if that could be done.
    """
    try:
        if document is None or not document.records:
            document = documents.decoded(member, limits)
        format_, rule = chosen(document, wanted)
        return kept(read(format_, document, limits), document, format_, rule, limits)
    except Unreadable:
        raise
    except limits.interruptions:
        raise
    except Exception as error:
        logger.exception("A document could not be read.")
        raise unexpected(error) from error


def unexpected(error: Exception) -> Unreadable:
    """The sentence for what nobody foresaw. What the error says may quote the document."""
    what = f"It could not be read: {type(error).__name__}."
    return Unreadable(what, str(error)[:200])


def kept(
    reading: Reading, document: Document, reader: Format | Joiner, rule: str, limits: Limits
) -> Intake:
    """What is to be kept of a reading: each run that the tables can hold."""
    refusals = [*document.refusals, *reading.refusals]
    runs = []
    for run in reading.runs:
        try:
            amounts.check(run.transcript, limits)
            runs.append(finished(run, document, reader, rule))
        except Unreadable as error:
            refusals.append(Refusal.of(error, run.pointer or "/"))
    placed = (replace(refusal, position=place(document, refusal.position)) for refusal in refusals)
    apart = (labels.fitted(label, place(document, label.pointer)) for label in reading.labels)
    return Intake(
        runs=tuple(runs),
        refusals=tuple(placed),
        labels=tuple(apart),
        notes=tuple(place(document, note) for note in reading.notes),
        read_as=((named(reader), fitting.short(rule)),),
    )


def named(reader: Format | Joiner) -> str:
    return f"{reader.name}@{reader.version}"


def chosen(document: Document, wanted: str) -> tuple[Format, str]:
    if wanted:
        return registry.named(wanted), "named by the sender"
    return registry.detect(document.sample())


def read(reader: Format | Joiner, document: Any, limits: Limits) -> Reading:
    """Read one document, or those of a group; whatever a plug-in raises becomes a sentence."""
    try:
        return reader.read(document)
    except Unreadable:
        raise
    except limits.interruptions:
        raise
    except Exception as error:
        logger.exception("The format %s failed.", reader.name)
        what = f"{type(error).__name__}: {error}"[:200]
        raise Unreadable(f"The format {reader.name} failed on this document.", what) from error


def finished(run: ParsedRun, document: Document, reader: Format | Joiner, rule: str) -> TakenRun:
    """The run with its failures recognised, its names and times fitted and its gaps found."""
    transcript = run.transcript
    transcript = replace(transcript, failures=failures.recognised(transcript))
    # Before gaps are looked for: a time without zone cannot be compared with one that has it.
    transcript = fitting.fitted(transcript)
    remarks = remarked(transcript, document)
    transcript = replace(transcript, gaps=tuple(gaps.completed(transcript)))
    transcript = replace(transcript, suspicions=suspicions.suspicions(transcript))
    try:
        transcript, taken_out = payloads.moved(transcript)
        sha256 = fingerprint.digest(transcript, remarks)
    except (TypeError, ValueError) as error:
        raise Unreadable("The run holds what no record can.", str(error)[:200]) from error
    return TakenRun(
        transcript=transcript,
        pointer=fitting.short(Cleaner().text(place(document, run.pointer))),
        format=named(reader),
        rule=fitting.short(rule),
        sha256=sha256,
        payloads=taken_out,
    )


def remarked(transcript: Transcript, document: Document) -> list[str]:
    """What reading met and the transcript no longer shows: links to nowhere, holes, refusals.

    Not what befell the whole file, nor steps sent twice: they leave the run as it is. Refused
    steps may come in any order, as others may.
    """
    said = []
    for gap in transcript.gaps:
        if gap in document.gaps or gap.kind == "repeated_step":
            continue
        detail = gap.detail
        if gap.kind == "undecodable_step":
            detail = " ".join(sorted(NOT_A_FIELD.sub(" ", detail).split()))
        said.append(f"{gap.kind} {gap.step}: {detail}")
    return sorted(said)


def place(document: Document, position: str) -> str:
    """Where something is: the member of the bundle, if there is one, before line and path."""
    return ": ".join(filter(None, (document.name, position)))

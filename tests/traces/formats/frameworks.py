"""What the tests of agent frameworks' formats share: reading documents, and the real files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from traces.formats import intake
from traces.formats.intake import Intake
from traces.transcript import Link, LinkKind, Step, Transcript


def as_lines(records: Iterable[Any]) -> bytes:
    return b"\n".join(json.dumps(record).encode() for record in records)


def taken(*records: Any) -> Intake:
    """One document: a JSON value, or several as lines."""
    return intake.take(as_lines(records))


def read(*records: Any) -> Transcript:
    (run,) = taken(*records).runs
    return run.transcript


def outline(transcript: Transcript) -> list[tuple[str, str, str]]:
    """Each step by its kind, its actor's role and the text of its first part."""
    return [
        (step.kind.value, transcript.actor_of(step).role, step.parts[0].text)
        for step in transcript.steps
    ]


def links(transcript: Transcript, kind: LinkKind) -> list[tuple[int, int]]:
    return [(link.source, link.target) for link in transcript.links if link.kind is kind]


def recorded(transcript: Transcript) -> list[Link]:
    return [link for link in transcript.links if link.recorded]


def gap_kinds(transcript: Transcript) -> set[str]:
    return {gap.kind for gap in transcript.gaps}


def pointers(step: Step) -> list[str]:
    return [step.pointer, *step.also_from]


def texts(transcript: Transcript) -> Iterator[str]:
    """All that a reviewer may see before labels are shown."""
    for step in transcript.steps:
        for part in step.parts:
            yield f"{part.text} {part.data}"
    for remark in (*transcript.gaps, *transcript.failures, *transcript.suspicions):
        yield str(remark)

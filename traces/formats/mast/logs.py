"""Raw logs as steps: an entry is a line that begins like one, with the lines that belong to it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from traces.formats.steps.building import Builder, Draft
from traces.formats.steps.conversation import Conversation
from traces.transcript import ActorKind, Part, PartKind, StepKind

# A time, with or without a bracket: what log entries begin with.
BEGINS = re.compile(r"\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d")
# Who speaks, as MetaGPT writes it in its two kinds of logs.
FROM = re.compile(r"FROM: ([\w ]{1,60}?) TO: ")
ACTS = re.compile(r" - (\w{1,60})\((\w{1,60})\): ")
# Characters of a line in which its speaker is looked for.
HEAD = 300


def read(builder: Builder, log: str, pointer: str) -> None:
    talk = Conversation(builder, "log")
    for number, (first, last, text) in enumerate(entries(log)):
        speaker = speaker_of(text)
        kind = ActorKind.AGENT if speaker else ActorKind.HARNESS
        kind = ActorKind.HUMAN if speaker == "Human" else kind
        capture = {"instance": "not_in_schema", "model": "not_in_schema"}
        actor = builder.actor(speaker or "log", kind, capture=capture)
        part = Part(PartKind.MESSAGE, text, {"lines": [first, last]})
        step = Draft(f"line {first}", actor, StepKind.MESSAGE, [part], (number,), pointer)
        builder.add(step)
        talk.follow(step)
        talk.ends = [step]


def entries(log: str) -> Iterator[tuple[int, int, str]]:
    """Entries with their first and last lines, from 1. A log without entries is read by lines."""
    lines = log.split("\n")
    starts = [number for number, line in enumerate(lines) if BEGINS.match(line)]
    if len(starts) < 2:
        starts = [number for number, line in enumerate(lines) if line.strip()]
    elif starts[0]:
        starts.insert(0, 0)
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        text = "\n".join(lines[start:end]).rstrip()
        if text:
            yield start + 1, start + 1 + text.count("\n"), text


def speaker_of(text: str) -> str:
    head = text[:HEAD].partition("\n")[0]
    if found := FROM.search(head):
        return found[1]
    found = ACTS.search(head)
    return f"{found[1]} ({found[2]})" if found else ""

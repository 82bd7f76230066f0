"""Outputs of Codex's tools: text, or JSON in a string with the exit code; and texts taken out."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from traces.formats.chat.message import Answer
from traces.formats.chat.reading import opened
from traces.formats.records.loose import Object, mapping
from traces.transcript import Part

FACTS = ("exit_code", "duration_seconds")
# What the program writes above an output that is plain text.
HEADER = re.compile(
    r"\A(?:(?:Chunk ID|Wall time): [^\n]{1,100}\n){0,2}"
    r"(?:Exit code: |Process exited with code )(-?\d{1,9})\n"
)
WALL_TIME, HEADER_LENGTH = "Wall time: ", 300
WITHHELD = re.compile(r"\A\[withheld \d{1,9} chars\]\Z")


def marked(part: Part) -> Part:
    """The part; one that only says how much was taken out is marked so."""
    if WITHHELD.match(part.text):
        return replace(part, capture={**part.capture, "text": "withheld"})
    return part


def opened_output(payload: Object) -> Object:
    """The item with its output as text, which older versions wrap in JSON."""
    output = payload.get("output")
    inner = mapping(opened(output, 1)) if isinstance(output, str) else mapping(output)
    if isinstance(inner.get("output"), str) and isinstance(inner.get("metadata"), dict):
        return {**payload, "output": inner["output"]}
    if "content" in inner and not isinstance(output, str):
        return {**payload, "output": inner["content"]}
    return payload


def exited(answer: Answer, payload: Object) -> Answer:
    """The answer with its exit code and duration, where the output holds them."""
    output = payload.get("output")
    inner = mapping(opened(output, 1)) if isinstance(output, str) else mapping(output)
    metadata = mapping(inner.get("metadata"))
    data: dict[str, Any] = {k: metadata[k] for k in FACTS if metadata.get(k) is not None}
    code = metadata.get("exit_code")
    if code is None and (told := told_above(answer.text)) is not None:
        data["exit_code"] = code = told
    failed = answer.failed
    if isinstance(code, int) and not isinstance(code, bool):
        failed = code != 0
    elif isinstance(inner.get("success"), bool):
        failed = not inner["success"]
    return replace(answer, data={**answer.data, **data}, failed=failed)


def told_above(said: str) -> int | None:
    """The exit code above the output. Both lines together are surely the program's."""
    found = HEADER.match(said)
    return int(found.group(1)) if found and WALL_TIME in said[:HEADER_LENGTH] else None

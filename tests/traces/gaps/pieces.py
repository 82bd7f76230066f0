"""Parts and the gaps of small runs, for the tests of gaps."""

from __future__ import annotations

from typing import Any

from traces import gaps
from traces.transcript import Part, PartKind, Transcript


def found(transcript: Transcript, kind: str) -> list[int | None]:
    """The steps of the gaps of one kind."""
    return [gap.step for gap in gaps.completed(transcript) if gap.kind == kind]


def says(text: str = "Fine.", **data: Any) -> Part:
    return Part(PartKind.MESSAGE, text, data)


def asks(call: str = "c1", text: str = "{}") -> Part:
    return Part(PartKind.TOOL_REQUEST, text, {"call": call})


def answers(call: str = "c1", text: str = "ok", **data: Any) -> Part:
    return Part(PartKind.TOOL_RESPONSE, text, {"call": call, **data})


def state(
    artifact: str, before: str | None, after: str | None, text: str = "", **more: Any
) -> Part:
    data = {"artifact": artifact, "before": before, "after": after, **more}
    return Part(PartKind.STATE, text or f"{artifact}: {before} -> {after}", data)


def check(verdict: str = "passed", **data: Any) -> Part:
    return Part(PartKind.VERIFICATION, verdict, {"check": "ci", "verdict": verdict, **data})

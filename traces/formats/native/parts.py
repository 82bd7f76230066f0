"""The pieces of a native run as pieces of a transcript: what people cite, and the rest as data."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from traces.compact import compact
from traces.facts import fact_lines, with_facts
from traces.formats.base import Json
from traces.formats.native import v2
from traces.formats.native.margins import states_of_part
from traces.transcript import (
    Actor,
    ActorKind,
    Failure,
    Part,
    PartKind,
    Report,
    StepKind,
    StepStatus,
)

# Looked up: to call an enum takes five times as long.
KINDS = {kind.value: kind for kind in PartKind}
# A step of several kinds of parts is named for the first of these that it has.
KIND_BY_PART = {
    PartKind.TOOL_REQUEST: StepKind.TOOL,
    PartKind.TOOL_RESPONSE: StepKind.TOOL,
    PartKind.VERIFICATION: StepKind.VERIFICATION,
    PartKind.ERROR: StepKind.ERROR,
    PartKind.DECISION: StepKind.DECISION,
    PartKind.STATE: StepKind.STATE,
    PartKind.MESSAGE: StepKind.MESSAGE,
    PartKind.INTERPRETATION: StepKind.MESSAGE,
    PartKind.INPUT: StepKind.INPUT,
}


def actor(given: v2.Actor) -> Actor:
    return Actor(
        key=given.id,
        role=given.role,
        kind=ActorKind(given.kind),
        instance=given.instance,
        model=given.model,
        configuration=given.configuration,
        authority=tuple(given.authority),
        parent=given.parent,
        replaces=given.replaces,
        capture=given.capture,
    )


def part(given: v2.AnyPart) -> Part:
    """The text is what was said or seen, then a line for each fact, which `data` holds too."""
    data = plain(given)
    kind = KINDS[data.pop("type")]
    data.pop("capture", None)
    text = data.pop("text", "")
    if isinstance(given, v2.ToolRequestPart):
        text = arguments_text(data.pop("arguments", {}))
        if isinstance(given.arguments, str) and not is_json(given.arguments):
            data["parse_ok"] = False
    elif isinstance(given, v2.StatePart):
        text = data.pop("change", "") or state_text(given)
    elif isinstance(given, v2.VerificationPart):
        text = text or verification_text(given)
    text = with_facts(text, fact_lines(data))
    return Part(kind=kind, text=text, data=data, capture=states_of_part(given))


def plain(given: msgspec.Struct) -> dict[str, Any]:
    """A struct as JSON values, without what is at its default."""
    built: dict[str, Any] = msgspec.to_builtins(given)
    return built


def arguments_text(arguments: Json) -> str:
    """Arguments as a tool received them: compact JSON, or the text the model wrote."""
    if isinstance(arguments, str):
        return arguments
    return compact(arguments)


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def state_text(given: v2.StatePart) -> str:
    return f"{given.artifact}: {given.before or '(nothing)'} -> {given.after or '(nothing)'}"


def verification_text(given: v2.VerificationPart) -> str:
    compared = [
        f"{name} {value}"
        for name, value in (("expected", given.expected), ("observed", given.observed))
        if value
    ]
    ending = f" ({', '.join(compared)})" if compared else ""
    return f"{given.check}: {given.verdict}{ending}"


def kind_of(given: v2.Step, parts: tuple[Part, ...]) -> StepKind:
    if given.kind:
        return StepKind(given.kind)
    kinds = {part.kind for part in parts}
    return next((step for part, step in KIND_BY_PART.items() if part in kinds), StepKind.MESSAGE)


def status_of(given: v2.Step) -> StepStatus:
    """The step's own status, else that of its last tool response, which says how it went."""
    if given.status:
        return StepStatus(given.status)
    if given.capture.get("status") == "withheld":  # and so it is not told by another way
        return StepStatus.NOT_CAPTURED
    responses = [part for part in given.parts if isinstance(part, v2.ToolResponsePart)]
    return StepStatus(responses[-1].status) if responses else StepStatus.NOT_CAPTURED


def failure(given: v2.Failure, number_of: dict[str, int]) -> Failure:
    return Failure(
        key=given.id,
        statement=given.statement,
        expected=given.expected,
        observed=given.observed,
        check=given.check,
        exposed_by=number_of.get(given.exposed_by or ""),
        consequence=given.consequence,
    )


def report(given: v2.Report, number_of: dict[str, int]) -> Report:
    return Report(
        value=given.value,
        by=given.by,
        step=number_of.get(given.step or ""),
        at=given.at,
        detail=given.detail,
    )

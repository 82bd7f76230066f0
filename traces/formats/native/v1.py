"""The native format, version 1: finished. Files of it are checked by it and then migrated.

The structs below are the specification; `traces/schema/native-v1.json` is generated from them
and a test keeps the two equal. One JSON document is one run; a JSONL file is one run a line.
Unknown keys are refused with their path, except below `extra`, where anything may stand.
What came later is in `native`; `native_migration` leads there.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec

SCHEMA = "inquest-run/1"

CaptureState = Literal["absent", "not_captured", "not_in_schema", "withheld", "damaged"]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
References = Annotated[list[Name], msgspec.Meta(max_length=1000)]


class Strict(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A part of the format. `capture` says, per field name, why that field is empty."""

    capture: dict[str, CaptureState] = {}
    extra: dict[str, Any] = {}


class Task(Strict, kw_only=True):
    id: str = ""
    text: str = ""


class System(Strict, kw_only=True):
    """The multi-agent system that ran: name, version, models and configuration digests."""

    name: str = ""
    version: str = ""
    models: dict[str, str] = {}
    configuration: dict[str, str] = {}


class InitialState(Strict, kw_only=True):
    """What the run started from, by an immutable reference if there is one."""

    reference: str = ""
    digest: str = ""
    mutable: bool = False


class Report(Strict, kw_only=True):
    """How the run ended according to one speaker."""

    by: Literal["agent", "framework", "harness", "verifier", "human"]
    value: str
    step: str | None = None
    at: datetime | None = None
    detail: str = ""


class Failure(Strict, kw_only=True):
    id: Name
    statement: Annotated[str, msgspec.Meta(min_length=1)]
    expected: str = ""
    observed: str = ""
    check: str = ""
    exposed_by: str | None = None
    consequence: str = ""


class ParentRun(Strict, kw_only=True):
    run: Name
    relation: Literal["retry", "fork", "resume", "replay"]


class Attempt(Strict, kw_only=True):
    number: int
    reason: str = ""


class Run(Strict, kw_only=True):
    id: Name
    source: str = ""
    task: Task = msgspec.field(default_factory=Task)
    system: System = msgspec.field(default_factory=System)
    initial_state: InitialState = msgspec.field(default_factory=InitialState)
    started_at: datetime | None = None
    ended_at: datetime | None = None
    outcome: Literal["failed", "succeeded", "unknown"] = "unknown"
    reports: list[Report] = []
    failures: list[Failure] = []
    parent: ParentRun | None = None
    attempt: Attempt | None = None


class Actor(Strict, kw_only=True):
    id: Name
    role: Name
    kind: Literal["agent", "tool", "human", "harness", "environment", "evaluator"]
    instance: str | None = None
    model: str | None = None
    configuration: str | None = None
    authority: list[str] = []
    parent: str | None = None


class Part(Strict, kw_only=True, tag_field="type"):
    pass


class InputPart(Part, tag="input", kw_only=True):
    text: str


class InterpretationPart(Part, tag="interpretation", kw_only=True):
    text: str


class MessagePart(Part, tag="message", kw_only=True):
    text: str
    to: str | None = None


class Rejected(Strict, kw_only=True):
    option: str
    reason: str = ""


class DecisionPart(Part, tag="decision", kw_only=True):
    """A choice, what was turned down and by which rule or model version it was made."""

    text: str
    chosen: str = ""
    rejected: list[Rejected] = []
    decided_by: str = ""


class ToolRequestPart(Part, tag="tool_request", kw_only=True):
    tool: Name
    call: str = ""
    arguments: dict[str, Any] | str = {}
    environment: str = ""


class Artifact(Strict, kw_only=True):
    name: str
    version: str = ""
    digest: str = ""


class ToolResponsePart(Part, tag="tool_response", kw_only=True):
    call: str = ""
    status: Literal["ok", "error", "timeout", "cancelled"]
    text: str = ""
    side_effects: str = ""
    artifacts: list[Artifact] = []


class StatePart(Part, tag="state", kw_only=True):
    """A change of one artifact. `accepted` is the version that won when two steps raced."""

    artifact: Name
    before: str | None = None
    after: str | None = None
    change: str = ""
    accepted: str | None = None
    rule: str = ""


class VerificationPart(Part, tag="verification", kw_only=True):
    check: Name
    verdict: Literal["passed", "failed", "skipped", "inconclusive"]
    text: str = ""
    expected: str = ""
    observed: str = ""


class ErrorPart(Part, tag="error", kw_only=True):
    text: str
    error: str = ""


AnyPart = (
    InputPart
    | InterpretationPart
    | MessagePart
    | DecisionPart
    | ToolRequestPart
    | ToolResponsePart
    | StatePart
    | VerificationPart
    | ErrorPart
)


class Retry(Strict, kw_only=True):
    of: Name
    attempt: int
    reason: str = ""


class Step(Strict, kw_only=True):
    """`inputs` are the steps whose output this one consumed; `spawned_by` and `joins` its forks."""

    id: Name
    sequence: int
    actor: Name
    kind: (
        Literal[
            "input",
            "decision",
            "message",
            "handoff",
            "tool",
            "state",
            "verification",
            "error",
        ]
        | None
    ) = None
    parts: list[AnyPart]
    status: Literal["ok", "error", "timeout", "cancelled"] | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    inputs: References = []
    handoff_from: str | None = None
    spawned_by: str | None = None
    joins: References = []
    retry: Retry | None = None


class Document(Strict, kw_only=True):
    """One run. `steps` are checked one by one, so that a bad one does not cost the others."""

    schema: Literal["inquest-run/1"]
    run: Run
    actors: list[Actor]
    steps: list[Step]

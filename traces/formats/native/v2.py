"""The native format, version 2: version 1 and what its records could not say.

When the record was closed and by which recorder, which instance an actor was restarted instead
of, who ordered a retry, what a speaker claims to have changed, how a race between two changes
was settled, what exactly was verified and how, bytes that are no text, and text that the
recorder cut. The structs are the specification, as those of `v1` are; what is not
defined again here is as it was.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType

from traces.formats.native import v1
from traces.formats.native.v1 import Name, References, Strict

SCHEMA = "inquest-run/2"

Artifact = v1.Artifact
Failure = v1.Failure
Rejected = v1.Rejected
Report = v1.Report

Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$", max_length=64)]
# It will stand in a header of an answer: one line of printable ASCII. `$` alone lets a newline by.
MediaType = Annotated[str, msgspec.Meta(pattern=r"^[!-.0-~]+/[ -~]+$(?!\n)", max_length=100)]
BASE64 = r"^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$(?!\n)"
Bytes = Annotated[bytes, msgspec.Meta(extra_json_schema={"pattern": BASE64})]


class Recorder(Strict, kw_only=True):
    """The program that wrote the record down."""

    name: Name
    version: str = ""


class Run(v1.Run, kw_only=True):
    """`closed_at` is when the recorder closed the record: what was written later came late."""

    closed_at: datetime | None = None
    recorder: Recorder | None = None


class Actor(v1.Actor, kw_only=True):
    """`replaces` is the instance of the same role that this one was restarted instead of."""

    replaces: str | None = None


class Payload(Strict, kw_only=True):
    """Bytes that belong to a part: in base64, or their digest and size if they were not sent."""

    media_type: MediaType
    content: Bytes | UnsetType = UNSET
    sha256: Digest | UnsetType = UNSET
    size: Count | UnsetType = UNSET

    def __post_init__(self) -> None:
        sent = self.content is not UNSET
        described = [self.sha256 is not UNSET, self.size is not UNSET]
        if any(described) if sent else not all(described):
            raise ValueError("A payload has either `content` or both `sha256` and `size`")


# `Payload.__post_init__` in the words of JSON Schema.
PAYLOAD_SHAPES = [
    {"required": ["content"], "properties": {"sha256": False, "size": False}},
    {"required": ["sha256", "size"], "properties": {"content": False}},
]


class Cut(Strict, kw_only=True):
    """That the recorder cut the text: how long the original was, and its digest as UTF-8."""

    characters: Count
    sha256: Digest


class Claim(Strict, kw_only=True):
    """A change that the speaker says it made. Whether it did is for a state part to show."""

    artifact: Name
    version: str = ""


Claims = Annotated[list[Claim], msgspec.Meta(max_length=1000)]


class InputPart(v1.InputPart, tag="input", kw_only=True):
    payload: Payload | None = None
    cut: Cut | None = None


class InterpretationPart(v1.InterpretationPart, tag="interpretation", kw_only=True):
    claims: Claims = []
    payload: Payload | None = None
    cut: Cut | None = None


class MessagePart(v1.MessagePart, tag="message", kw_only=True):
    claims: Claims = []
    payload: Payload | None = None
    cut: Cut | None = None


class DecisionPart(v1.DecisionPart, tag="decision", kw_only=True):
    claims: Claims = []
    payload: Payload | None = None
    cut: Cut | None = None


class ToolRequestPart(v1.ToolRequestPart, tag="tool_request", kw_only=True):
    payload: Payload | None = None
    cut: Cut | None = None


class ToolResponsePart(v1.ToolResponsePart, tag="tool_response", kw_only=True):
    payload: Payload | None = None
    cut: Cut | None = None


class StatePart(v1.StatePart, tag="state", kw_only=True):
    """`against` are the steps that this change raced with; `resolution` is what became of it."""

    resolution: Literal["accepted", "rejected", "merged"] | None = None
    against: References = []
    payload: Payload | None = None
    cut: Cut | None = None


class VerificationPart(v1.VerificationPart, tag="verification", kw_only=True):
    """`subject` is the version that was checked; `method` how, for example the command."""

    subject: str = ""
    method: str = ""
    payload: Payload | None = None
    cut: Cut | None = None


class ErrorPart(v1.ErrorPart, tag="error", kw_only=True):
    payload: Payload | None = None
    cut: Cut | None = None


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


class Retry(v1.Retry, kw_only=True):
    """`decided_by` is who ordered the retry: an actor, a rule or a controller."""

    decided_by: str = ""


# mypy holds a list of other parts, and another name of the schema, for a broken promise. Nobody
# reads a step of version 2 through the structs of version 1.
class Step(v1.Step, kw_only=True):
    """`recorded_at` is when the recorder wrote the step down, by its own clock."""

    parts: list[AnyPart]  # type: ignore[assignment]
    retry: Retry | None = None
    recorded_at: datetime | None = None


class Document(v1.Document, kw_only=True):
    """One run. `steps` are checked one by one, so that a bad one does not cost the others."""

    schema: Literal["inquest-run/2"]  # type: ignore[assignment]
    run: Run
    actors: list[Actor]  # type: ignore[assignment]
    steps: list[Step]  # type: ignore[assignment]

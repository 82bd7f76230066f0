"""The span that every span-like source is read into, and what its dialect says that it is.

OTLP, console exports, Langfuse, LangSmith, MLflow and the OpenAI Agents SDK differ in words and
containers. A reader makes a `Span` of each record and `Facts` of what its names mean; what spans
mean together, as steps of agents, is said once for all of them: see `span_runs`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

from traces.formats.base import Json
from traces.formats.chat import plain
from traces.formats.chat.message import Message

# A reader of raw messages: the value, and the role of what has none.
ReadMessages = Callable[[Json, str], Sequence[Message]]


class Scope(NamedTuple):
    """Who wrote a span: the instrumenting library."""

    name: str = ""
    version: str = ""


class Event(NamedTuple):
    """Something that happened in a span, exceptions above all."""

    name: str
    at_ns: int | None
    attributes: Mapping[str, Json]


NO_SCOPE = Scope()


@dataclass(slots=True)
class Span:
    """One span as it was sent. Ids are hex, or whatever the source has; an empty parent is a root.

    `status` is "ok", "error" or, unset, empty. `links` are pairs of a trace and a span. `logs` are
    records that came apart and name this span.
    """

    trace: str
    id: str
    parent: str = ""
    name: str = ""
    start_ns: int | None = None
    end_ns: int | None = None
    attributes: dict[str, Json] = field(default_factory=dict)
    events: Sequence[Event] = ()
    links: Sequence[tuple[str, str]] = ()
    status: str = ""
    message: str = ""
    resource: Mapping[str, Json] = field(default_factory=dict)
    scope: Scope = NO_SCOPE
    pointer: str = ""
    dropped: int = 0
    logs: list[Event] = field(default_factory=list)
    also_from: list[str] = field(default_factory=list)


class Role(Enum):
    """What a span stands for."""

    # A span that no dialect knows.
    OTHER = "other"
    # A wrapper without an action of its own.
    CONTAINER = "container"
    MODEL = "model call"
    TOOL = "tool call"
    # One execution of an agent: an actor, and no step unless nothing inside it is one.
    AGENT = "agent"
    # An agent passes control to another, which it names.
    HANDOFF = "handoff"
    # A guardrail: a check that ran as part of the run.
    CHECK = "check"
    # A judgement of the run, by a person, a model or code. Whatever is inside it is one too.
    JUDGEMENT = "judgement"
    # A span that says again what other spans say.
    SYNTHETIC = "synthetic"


@dataclass(slots=True)
class Judged:
    """A judgement that a span carries: who judged, and what."""

    source: str
    reason: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Facts:
    """What a span says in its dialect's words. Everything may be left out.

    `prompt` and `reply` are raw messages: a list of them, one of them, or text that holds them as
    JSON; `read` turns them into messages, when and as far as that is needed. None means that the
    span does not carry them, an empty list that there were none.

    `agent` is the name of the agent that acts, `instance` the source's id of its execution (an
    agent's span is an instance by itself). `label` is what a container is called.

    `silence` says why a model call has no words, if its reply does not: "withheld",
    "not_captured".

    `result` and `error` are text, None where the span has none; `result_state`
    says why: "withheld", "damaged". `failed` is what the source says of a tool's result, None if
    it has no word for it. `to` is the agent that a handoff names, or that a tool calls and that
    has no span of its own.

    `attempt` counts from 1, `retry_reason` says why it was tried again; `retried` is for a call
    after which the model is asked to try again. `unread` are attributes that nothing here holds.
    """

    role: Role = Role.CONTAINER
    label: str = ""
    agent: str = ""
    instance: str = ""
    model: str = ""
    parameters: Mapping[str, Json] = field(default_factory=dict)
    system: Json = None
    prompt: Json = None
    reply: Json = None
    read: ReadMessages = plain.messages
    response_id: str = ""
    finish: str = ""
    tool: str = ""
    call: str = ""
    arguments: Json = None
    result: str | None = None
    result_state: str = ""
    failed: bool | None = None
    error: str | None = None
    error_type: str = ""
    to: str = ""
    verdict: str = ""
    attempt: int | None = None
    retry_reason: str = ""
    retried: Mapping[str, Json] = field(default_factory=dict)
    silence: str = ""
    conversation: str = ""
    task: str = ""
    judged: Sequence[Judged] = ()
    configuration: Mapping[str, Json] = field(default_factory=dict)
    unread: Sequence[str] = ()


class Known(NamedTuple):
    """A span with its facts."""

    span: Span
    facts: Facts

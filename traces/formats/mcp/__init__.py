"""Reads logs of the MCP protocol: JSON-RPC messages, bare or with time and direction around them.

They are the tool side's witness of what another trace tells: nothing says which agent asked.
A tool that failed and a call that never ran are told apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from traces.completeness import listed
from traces.formats.base import Document, Json, ParsedRun, Reading, Refusal, Sample, Unreadable
from traces.formats.mcp.session import Session
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.records.times import moment
from traces.formats.steps.unsayable import unsayable_but
from traces.transcript import Gap, Transcript

CAPTURE = unsayable_but(
    *("started_at", "ended_at", "steps/started_at", "steps/ended_at", "system/name"),
    *("system/version",),
    more=("task", "outcome", "failures", "system/models", "steps/handoff_from"),
)
NO_MESSAGE = "This is no JSON-RPC message."
BODIES = ("msg", "message", "payload", "data", "body", "json")
DIRECTIONS = ("dir", "direction", "from", "source")
TIMES = ("ts", "timestamp", "time", "at")
SESSIONS = ("session", "sessionId", "session_id", "mcp-session-id", "mcpSessionId")


@dataclass(frozen=True, slots=True)
class Line:
    pointer: str
    message: Object
    around: Object

    def told(self, names: tuple[str, ...]) -> Json:
        return next((self.around[name] for name in names if self.around.get(name)), None)


class Mcp:
    name = "mcp"
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        found = sum(unwrapped("", item) is not None for item in sample.objects)
        if found and 2 * found >= len(sample.objects):
            return "JSON-RPC messages"
        return None

    def read(self, document: Document) -> Reading:
        lines, refusals = [], []
        for pointer, value in loose.placed(document):
            line = unwrapped(pointer, value)
            if line:
                lines.append(line)
            else:
                refusals.append(Refusal(pointer or "/", NO_MESSAGE))
        if not lines:
            raise Unreadable("There are no JSON-RPC messages here.")
        gaps = loose.reading_gaps(document)
        if refusals:
            places = listed([refusal.position for refusal in refusals])
            gaps = (*gaps, Gap("undecodable_step", f"Records that are no messages: {places}."))
        runs = []
        empty = []
        for name, session, count in sessions(lines):
            if session.builder.drafts:
                runs.append(ParsedRun(transcript(name, session, gaps)))
            else:
                empty.append(count)
        if not runs:
            raise Unreadable("The log holds no call: only messages that set up a session.")
        notes = [f"A session of {count} messages holds no call." for count in empty]
        return Reading(tuple(runs), tuple(refusals), notes=tuple(notes))


FORMAT = Mcp()


def unwrapped(pointer: str, value: Json) -> Line | None:
    """The message of a record, and what a capture wrote around it."""
    if not isinstance(value, Mapping):
        return None
    if is_rpc(value):
        return Line(pointer, value, loose.NOTHING)
    for key in BODIES:
        if is_rpc(value.get(key)):
            return Line(pointer, value[key], value)
    return None


def is_rpc(value: Json) -> bool:
    says = ("method", "result", "error")
    return isinstance(value, Mapping) and "jsonrpc" in value and any(key in value for key in says)


def sessions(lines: list[Line]) -> Iterator[tuple[str, Session, int]]:
    """Messages by the session they name; where they name none, each `initialize` begins one."""
    open_ones: dict[str, tuple[Session, int]] = {}
    number = 0
    for order, line in enumerate(lines):
        name = loose.name(line.told(SESSIONS))
        if not name:
            number += line.message.get("method") == "initialize"
        key = name or f" {max(number, 1)}"
        session, count = open_ones.get(key, (None, 0))
        session = session or Session()
        open_ones[key] = (session, count + 1)
        at = moment(line.told(TIMES))
        session.add(line.message, line.pointer, order, loose.name(line.told(DIRECTIONS)), at)
    for key, (session, count) in open_ones.items():
        session.finish()
        yield key.strip() if not key.startswith(" ") else "", session, count


def transcript(name: str, session: Session, gaps: tuple[Gap, ...]) -> Transcript:
    builder = session.builder
    seen = [(draft.id, [part.text for part in draft.parts]) for draft in builder.drafts.values()]
    system: dict[str, Any] = {"name": loose.text(session.server.get("name")) or "mcp"}
    system |= {key: session.server[key] for key in ("version",) if session.server.get(key)}
    system |= {"protocol": session.protocol} if session.protocol else {}
    header = Transcript(
        external_id=name or f"mcp-{loose.digest(seen)}",
        source="mcp",
        schema="mcp",
        actors=(),
        steps=(),
        gaps=gaps,
        system=system,
        started_at=session.started_at,
        ended_at=session.ended_at,
        capture=CAPTURE,
    )
    return builder.transcript(header)

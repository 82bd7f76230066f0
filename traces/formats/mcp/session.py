"""One session of MCP: requests and their answers, found by id for each direction.

Both sides count their requests from the same number, so an id alone does not find an answer.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from traces.formats.base import Json
from traces.formats.chat.message import Call
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.steps.building import Builder, Draft
from traces.formats.steps.conversation import Conversation
from traces.transcript import ActorKind, Fate, Part, PartKind, StepKind, StepStatus

CALLS = frozenset(
    {"tools/call", "resources/read", "prompts/get", "sampling/createMessage", "completion/complete"}
    | {"elicitation/create"}
)
FROM_SERVER = frozenset({"sampling/createMessage", "elicitation/create", "roots/list"})
HIDDEN = "Error executing tool "


@dataclass(slots=True)
class Request:
    method: str
    params: Object
    pointer: str
    order: int
    at: datetime | None
    draft: Draft | None = None


@dataclass(slots=True)
class Session:
    """A session while its messages are read in the order of the capture."""

    builder: Builder = field(default_factory=Builder)
    talk: Conversation = field(init=False)
    open: dict[tuple[str, str], deque[Request]] = field(default_factory=dict)
    progress: dict[str, Draft] = field(default_factory=dict)
    client: Object = field(default_factory=dict)
    server: Object = field(default_factory=dict)
    protocol: str = ""
    started_at: datetime | None = None
    ended_at: datetime | None = None

    def __post_init__(self) -> None:
        self.talk = Conversation(self.builder, "client")

    def add(
        self, message: Object, pointer: str, order: int, direction: str, at: datetime | None
    ) -> None:
        if at and at.tzinfo:
            self.started_at = self.started_at or at
            self.ended_at = at
        method = loose.text(message.get("method"))
        if not method:
            self.answer(message, pointer, order, direction, at)
        elif "id" in message:
            self.request(
                message,
                Request(method, loose.mapping(message.get("params")), pointer, order, at),
                direction,
            )
        else:
            self.notification(message, method, pointer, order, at)

    def request(self, message: Object, request: Request, direction: str) -> None:
        side = side_of(direction) or ("server" if request.method in FROM_SERVER else "client")
        if request.method == "initialize":
            self.client = loose.mapping(request.params.get("clientInfo"))
        if request.method in CALLS:
            self.step(request, side)
        self.open.setdefault((side, id_of(message)), deque()).append(request)

    def step(self, request: Request, side: str) -> Draft:
        """A step for a request, which waits for its answer."""
        plain = request.method == "tools/call"
        name = loose.name(request.params.get("name")) if plain else request.method
        arguments = request.params.get("arguments", "") if plain else dict(request.params)
        call = Call("", name or "unknown tool", arguments)
        draft = Draft(
            id=request.pointer or f"/{request.order}",
            actor=self.actor(side),
            kind=StepKind.TOOL,
            parts=[call.part()],
            order=(request.order,),
            pointer=request.pointer,
            tool=call.name,
            started_at=request.at,
        )
        request.draft = self.builder.add(draft)
        self.talk.follow(draft)
        self.talk.ends = [draft]
        if token := loose.name(loose.at(request.params, "_meta", "progressToken")):
            self.progress[token] = draft
        return draft

    def actor(self, side: str) -> str:
        info = self.client if side == "client" else self.server
        kind = ActorKind.AGENT if side == "client" else ActorKind.TOOL
        capture = {"instance": "not_in_schema", "model": "not_in_schema"}
        return self.builder.actor(loose.text(info.get("name")) or side, kind, capture=capture)

    def answer(
        self, message: Object, pointer: str, order: int, direction: str, at: datetime | None
    ) -> None:
        """Put an answer to the request with its id that the other side sent."""
        side = side_of(direction)
        sides = ({"client": "server", "server": "client"}[side],) if side else ("client", "server")
        waiting = [each for each in sides if self.open.get((each, id_of(message)))]
        if not waiting:
            self.stray(message, pointer, order, at)
            return
        request = self.open[waiting[0], id_of(message)].popleft()
        result = loose.mapping(message.get("result"))
        if request.method == "initialize":
            self.server = loose.mapping(result.get("serverInfo"))
            self.protocol = loose.text(result.get("protocolVersion"))
        if request.draft is None and "error" in message:
            self.step(request, waiting[0])
        if request.draft is None:
            self.builder.record(request.pointer or "/", Fate.CONTEXT, request.method)
            self.builder.record(pointer or "/", Fate.CONTEXT, f"{request.method} result")
            return
        self.settle(request.draft, message, pointer, at)

    def settle(self, draft: Draft, message: Object, pointer: str, at: datetime | None) -> None:
        """What came of a call: a result, a failure of the tool, or no run of it at all."""
        draft.read_from(pointer)
        draft.ended_at = at
        draft.parts.append(outcome_of(message))
        failed = "error" in message or loose.at(message, "result", "isError") is True
        if draft.status is not StepStatus.CANCELLED:
            draft.status = StepStatus.ERROR if failed else StepStatus.OK

    def stray(self, message: Object, pointer: str, order: int, at: datetime | None) -> None:
        tool = self.builder.actor("server", ActorKind.TOOL)
        draft = Draft(
            pointer or f"/{order}", tool, StepKind.TOOL, [], (order,), pointer, started_at=at
        )
        draft.tool = "unknown tool"
        self.settle(self.builder.add(draft), message, "", at)
        self.talk.follow(draft)
        self.talk.ends = [draft]

    def notification(
        self, message: Object, method: str, pointer: str, order: int, at: datetime | None
    ) -> None:
        params = loose.mapping(message.get("params"))
        if method == "notifications/progress":
            known = self.progress.get(loose.name(params.get("progressToken")))
            self.builder.fold("notes of progress", pointer, known)
        elif method == "notifications/cancelled":
            self.cancel(params, pointer)
        elif method == "notifications/message":
            server = self.actor("server")
            part = Part(
                PartKind.MESSAGE, loose.shown(params.get("data")), {"level": params.get("level")}
            )
            draft = Draft(
                pointer or f"/{order}", server, StepKind.MESSAGE, [part], (order,), pointer
            )
            draft.started_at = at
            self.builder.add(draft)
        else:
            self.builder.record(pointer or "/", Fate.CONTEXT, method)

    def cancel(self, params: Object, pointer: str) -> None:
        wanted = id_of({"id": params.get("requestId")})
        for side in ("client", "server"):
            for request in self.open.get((side, wanted), ()):
                if request.draft:
                    request.draft.status = StepStatus.CANCELLED
                    request.draft.read_from(pointer)
                    return
        self.builder.record(pointer or "/", Fate.CONTEXT, "notifications/cancelled")

    def finish(self) -> None:
        """Requests that nobody answered: those that are no calls are only context."""
        for waiting in self.open.values():
            for request in waiting:
                if request.draft is None:
                    self.builder.record(request.pointer or "/", Fate.CONTEXT, request.method)


def side_of(direction: str) -> str:
    """Who sent it: of "client->server" what stands first."""
    said = direction.lower()
    found = [(said.find(word), side) for word, side in SIDES.items() if word in said]
    return min(found)[1] if found else ""


SIDES = {
    "client": "client",
    "server": "server",
    "outgoing": "client",
    "incoming": "server",
    "send": "client",
    "recv": "server",
    "stdin": "client",
    "stdout": "server",
}


def id_of(message: Object) -> str:
    given: Any = message.get("id")
    return f"{type(given).__name__} {loose.shown(given)[:200]}"


def outcome_of(message: Object) -> Part:
    """A tool's result as text; a protocol error says that the call never ran."""
    if "error" in message:
        error = loose.mapping(message["error"])
        text = loose.text(error.get("message")) or loose.shown(message["error"])
        data = {"code": error.get("code"), "protocol_error": True}
        if error.get("data") is not None:
            data["data"] = error["data"]
        return Part(PartKind.TOOL_RESPONSE, text, data)
    result: Json = message.get("result")
    content = loose.items(loose.at(result, "content"))
    texts = [text_of(item) for item in content]
    text = "\n".join(texts) if content else loose.shown(result)
    structured = loose.at(result, "structuredContent")
    data = {"structured": structured} if structured is not None else {}
    failed = loose.at(result, "isError") is True
    hidden = failed and text.startswith(HIDDEN) and len(text.split()) == 4
    return Part(PartKind.TOOL_RESPONSE, text, data, {"error": "withheld"} if hidden else {})


def text_of(item: Json) -> str:
    text = loose.at(item, "text")
    return text if isinstance(text, str) else loose.shown(item)

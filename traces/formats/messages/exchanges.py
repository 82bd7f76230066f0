"""Requests to models and their responses, as proxies and gateways log them: what is in which."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from traces.formats.base import Json
from traces.formats.chat.items import is_item, of_one_call, together
from traces.formats.chat.lists import is_entry, tool_names
from traces.formats.chat.message import Message
from traces.formats.chat.reading import INSTRUCTIONS, messages, opened
from traces.formats.chat.single import message
from traces.formats.chat.streams import assembled, events_in, is_piece_of_stream
from traces.formats.chat.words import text_of, without
from traces.formats.records.times import moment
from traces.formats.steps.ordering import seconds

LISTS = ("messages", "input", "contents")
TIMES = ("timestamp", "startTime", "start_time", "started_at", "time", "created_at", "created")
ENDS = ("endTime", "end_time", "ended_at")
SESSIONS = ("session_id", "litellm_session_id", "conversation_id", "trace_id", "litellm_trace_id")
# Keys that say what was asked of the model, not what came of it.
SETTINGS = frozenset(
    {"model", "temperature", "top_p", "max_tokens", "max_completion_tokens", "tool_choice"}
    | {"parallel_tool_calls", "stream", "seed", "reasoning", "reasoning_effort", "stop"}
)
ERRORS = ("error", "error_str", "error_information", "exception")
FAILED = ("failure", "failed", "error")
NOT_BESIDE = ("request", "response", "tools", *LISTS)
OBJECTS = ("chat.completion", "response", "text_completion")


@dataclass(frozen=True, slots=True)
class Said:
    """A message with the places of its pieces in the document."""

    message: Message
    pointers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a model was sent, and what came back."""

    pointer: str
    system: tuple[Said, ...] = ()
    sent: tuple[Said, ...] = ()
    back: tuple[Said, ...] = ()
    error: str = ""
    request: bool = True
    earlier: str = ""
    at: datetime | None = None
    ended_at: datetime | None = None
    session: str = ""
    settings: Mapping[str, Json] = field(default_factory=dict)
    beside: Mapping[str, Json] = field(default_factory=dict)

    def rank(self) -> tuple[float, int, str]:
        """Its place among others, where all have times: what was sent grows."""
        said = [each.message.text for each in (*self.sent, *self.back)]
        return (seconds(self.at), len(self.sent), json.dumps(said))


def is_exchange(value: Json) -> bool:
    if not isinstance(value, Mapping):
        return False
    if value.get("object") in OBJECTS and not value.keys().isdisjoint({"choices", "output"}):
        return True
    if "custom_id" in value:
        return "response" in value or "result" in value
    if "response" not in value:
        return False
    return list_in(value)[0] != "" or list_in(request_in(value)[1])[0] != ""


def request_in(value: Mapping[str, Json]) -> tuple[str, Mapping[str, Json]]:
    return body_of("/request", opened(value.get("request")))


def body_of(path: str, value: Json) -> tuple[str, Mapping[str, Json]]:
    """The body of a request or response, which may be below a key and in a string."""
    given: Mapping[str, Json] = value if isinstance(value, Mapping) else {}
    inner = opened(given.get("body"))
    if isinstance(inner, Mapping):
        return f"{path}/body", inner
    return (f"{path}/body", given) if inner else (path, given)


def list_in(body: Mapping[str, Json]) -> tuple[str, Json]:
    """Which key of a request holds the messages, and what is there."""
    for key in LISTS:
        given = body.get(key)
        if isinstance(given, list) and any(map(is_entry, given)):
            return key, given
        if key == "input" and isinstance(given, str) and "model" in body:
            return key, [{"role": "user", "content": given}]
    return "", []


def exchange(value: Mapping[str, Json], pointer: str) -> Exchange:
    """Read one exchange, whichever shape it has."""
    path, request = ("", value) if list_in(value)[0] else request_in(value)
    key, listed = list_in(request)
    back_path, response = response_in(value)
    sent = said_in(listed, f"{pointer}{path}/{key}") if key else []
    words = [f"{path}/{word}" for word in INSTRUCTIONS if request.get(word)]
    system = [
        Said(each, (f"{pointer}{word}",))
        for word in words
        for each in messages(request[word.rpartition("/")[2]], "system")
    ]
    said = messages(response, "assistant") if response else []
    at, ended_at = times_of(value, response)
    return Exchange(
        pointer=pointer,
        system=(*system, *(each for each in sent if each.message.role == "system")),
        sent=tuple(each for each in sent if each.message.role != "system"),
        back=tuple(Said(each, (f"{pointer}{back_path}",)) for each in said),
        error=error_of(value),
        request=bool(key),
        earlier=text_of(request.get("previous_response_id")),
        at=at,
        ended_at=ended_at,
        session=session_of(value),
        settings=without(
            {k: v for k, v in request.items() if k in SETTINGS}
            | {"tools": tool_names(request.get("tools"))}
        ),
        beside={k: v for k, v in value.items() if k not in NOT_BESIDE},
    )


def response_in(value: Mapping[str, Json]) -> tuple[str, Mapping[str, Json]]:
    """The response, put together if it came in pieces, and its place."""
    if value.get("object") in OBJECTS:
        return "", value
    key = "response" if "response" in value else "result"
    given = opened(value.get(key))
    path, body = body_of(f"/{key}", given)
    whole = opened(body.get("body")) if path.endswith("/body") else given
    whole = events_in(whole) or whole if isinstance(whole, str) else whole
    if isinstance(whole, list) and any(map(is_piece_of_stream, whole)):
        return path, assembled(whole)
    if isinstance(whole, str) and whole:
        return path, {"role": "assistant", "content": whole}
    if "error" in body and not body.keys() & {"choices", "output", "content", "candidates"}:
        return path, {}
    return path, body


def said_in(entries: Sequence[Json], path: str) -> list[Said]:
    """The messages of a list, each with the places of the items it is made of."""
    read = [
        (is_item(value), message(value), f"{path}/{index}")
        for index, value in enumerate(entries)
        if isinstance(value, Mapping)
    ]
    return [
        Said(together([read[i][1] for i in group]), tuple(read[i][2] for i in group))
        for group in of_one_call([(item, each) for item, each, _ in read])
    ]


def error_of(value: Mapping[str, Json]) -> str:
    """Why there is no response, as far as the log says. Gateways say it beside the response."""
    answer = value.get("response", value.get("result"))
    given = answer if isinstance(answer, Mapping) else {}
    _, body = body_of("", given)
    metadata = value.get("metadata")
    noted = (value, metadata if isinstance(metadata, Mapping) else {})
    told = [place.get(key) for key in ERRORS for place in noted]
    for error in (*told, given.get("error"), body.get("error")):
        if error := lasting(error):
            return error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)
    status = value.get("status", given.get("status_code", given.get("status")))
    failed = status >= 400 if isinstance(status, int) else status in FAILED
    return f"Status {status}: {json.dumps(answer, ensure_ascii=False)}" if failed else ""


def lasting(error: Json) -> Json:
    """An error without its empty fields; nothing if all are."""
    if isinstance(error, Mapping):
        return {key: each for key, each in error.items() if each not in ("", None)}
    return error


def times_of(
    value: Mapping[str, Json], response: Mapping[str, Json]
) -> tuple[datetime | None, datetime | None]:
    """When it began and ended. A log that counts the seconds writes its line at the end."""
    at = first_time(value, TIMES) or first_time(response, ("created", "created_at"))
    latency = value.get("latency_sec")
    if at and isinstance(latency, int | float) and 0 <= latency < 10**6:
        return at - timedelta(seconds=latency), at
    return at, first_time(value, ENDS)


def first_time(value: Mapping[str, Json], names: Sequence[str]) -> datetime | None:
    return next((found for name in names if (found := moment(value.get(name)))), None)


def session_of(value: Mapping[str, Json]) -> str:
    metadata = value.get("metadata")
    places = (value, metadata if isinstance(metadata, Mapping) else {})
    return text_of(*(place.get(key) for key in SESSIONS for place in places))


def in_order(exchanges: Sequence[Exchange]) -> Iterator[Exchange]:
    """By time if all have one, else as they stand in the log."""
    timed = all(each.at for each in exchanges)
    yield from sorted(exchanges, key=Exchange.rank) if timed else exchanges

"""Which encoding a body is in, and what it holds: by its bytes, as types are often wrong."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from google.protobuf.message import DecodeError

from traces.otlp import plain_json, protobuf, tolerant
from traces.otlp.batches import LOG, SPAN, Batch

METRICS = "metrics"
MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


class Encoding(Enum):
    PROTOBUF = "application/x-protobuf"
    JSON = "application/json"


class Undecodable(ValueError):
    """Nothing can be made of the body. The message is the sentence the sender reads."""


class Unsupported(ValueError):
    """The body has a type that is neither of the two, and does not look like one of them."""


def named(content_type: str) -> Encoding | None:
    """What the header says, without its parameters."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind.endswith(("json", "+json")):
        return Encoding.JSON
    if "protobuf" in kind or kind in ("application/octet-stream", "application/x-proto"):
        return Encoding.PROTOBUF
    return None


def looks_like_json(body: bytes) -> bool:
    return body.startswith(MARKS) or body[:64].lstrip(b" \t\r\n\0")[:1] in (b"{", b"[")


def tried(body: bytes, content_type: str) -> list[Encoding]:
    """Encodings that a body may be in, likeliest first.

    The first byte of a protobuf request is a line feed, and its length may read as a brace: so
    what the header says comes first where both are possible.
    """
    said = named(content_type)
    is_json, is_protobuf = looks_like_json(body), body[:1] in (b"\n", b"")
    if is_json and is_protobuf:
        first = said or Encoding.JSON
        return [first, *(each for each in Encoding if each is not first)]
    if is_json:
        return [Encoding.JSON]
    if is_protobuf:
        return [Encoding.PROTOBUF if body else said or Encoding.PROTOBUF]
    if said:
        return [said]
    raise Unsupported("Send application/x-protobuf or application/json.")


def decoded(body: bytes, content_type: str, signal: str) -> tuple[Encoding, Batch]:
    """The batch in a body, and the encoding to answer in. Raises Undecodable, Unsupported."""
    problems = []
    for encoding in tried(body, content_type):
        try:
            return encoding, batch_in(body, encoding, signal)
        except ValueError as error:
            problems.append(str(error))
    raise Undecodable(f"The body could not be read. {problems[0][:200]}")


def batch_in(body: bytes, encoding: Encoding, signal: str) -> Batch:
    if not body:
        return Batch(signal)
    if encoding is Encoding.JSON:
        return plain_json.batch_of(body, signal)
    for read in PROTOBUF[signal]:
        try:
            return read(body)
        except DecodeError:
            continue
    raise ValueError("It is no protobuf message of this kind.")


PROTOBUF: dict[str, tuple[Callable[[bytes], Batch], ...]] = {
    SPAN: (protobuf.traces, tolerant.traces),
    LOG: (protobuf.logs, tolerant.logs),
}

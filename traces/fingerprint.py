"""When two runs are the same: a digest over all of their content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache
from operator import attrgetter
from typing import Any

import orjson

from traces.compact import moment, usual
from traces.transcript import Transcript

# A place in a file is not content; gaps and suspicions are remarks on it, most of them our own.
NOT_CONTENT = frozenset(
    {"gaps", "suspicions", "pointer", "also_from", "records", "folded", "unread"}
)
AS_JSON_DOES = (
    orjson.OPT_SORT_KEYS | orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME
)
# Of these the content decides whether the quick library writes the same.
UNSURE = frozenset({dict, list, float})
# What says nothing is left out, so that a new field changes no digest of a run without it.
NOTHING: tuple[object, ...] = (None, "", (), {})
# Of exactly these classes whatever is empty is one of them.
EMPTY = frozenset(map(type, NOTHING))


def digest(transcript: Transcript, remarks: Sequence[str] = ()) -> str:
    """The sha256 (hex) of a run's content as sorted-key JSON: the same content is one run.

    `remarks` tell of what the file held besides: with other ones it is other content. Without
    any, the digest is of the transcript alone.
    """
    try:
        content = orjson.dumps(transcript, default=usual_content, option=AS_JSON_DOES)
    except TypeError:  # some values the two libraries write differently: see `compact`
        content = json.dumps(
            transcript, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=plain
        ).encode()
    if remarks:
        content += b"\n" + json.dumps(list(remarks)).encode()
    return hashlib.sha256(content).hexdigest()


def usual_content(value: Any) -> object:
    """As `plain`, but refuses what the quick library would write in other letters."""
    if type(value) is datetime:
        return moment(value)
    built = plain(value)
    if isinstance(built, dict) and not UNSURE.isdisjoint(map(type, built.values())):
        for each in built.values():
            if type(each) in UNSURE and not usual(each):
                raise TypeError("Left to the standard library.")
    return built


@cache
def content_of(kind: Any) -> tuple[tuple[str, ...], Callable[[Any], tuple[object, ...]]]:
    """Names of a dataclass's fields that are content, and what reads them all at once.

    Kept for each class: a run may have a million links. Names are empty for any other class.
    """
    known = fields(kind) if is_dataclass(kind) else ()
    names = tuple(field.name for field in known if field.name not in NOT_CONTENT)
    return names, attrgetter("__class__", *names)


def plain(value: Any) -> object:
    """What `json` may write for a value it does not know."""
    kind: Any = type(value)
    names, read = content_of(kind)
    if names:
        held = zip(names, read(value)[1:], strict=True)
        # What is not empty says something, and most of what is empty is known by its class.
        return {
            name: each
            for name, each in held
            if each or (type(each) not in EMPTY and each not in NOTHING)
        }
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no place in a transcript.")

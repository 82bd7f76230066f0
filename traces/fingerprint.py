"""When two runs are the same: a digest over all of their content."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING

from traces.transcript import Transcript

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

# A place in a file is not content; gaps and suspicions are our own remarks on it.
NOT_CONTENT = frozenset({"gaps", "suspicions", "pointer"})
# What says nothing is left out, so that a new field changes no digest of a run without it.
NOTHING: tuple[object, ...] = (None, "", (), {})


def digest(transcript: Transcript) -> str:
    """The sha256 (hex) of a run's content as sorted-key JSON: the same content is one run."""
    text = json.dumps(
        transcript, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=plain
    )
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def content_of(kind: type[DataclassInstance]) -> tuple[str, ...]:
    """Names of a dataclass's fields that are content. Kept: a run may have a million links."""
    return tuple(field.name for field in fields(kind) if field.name not in NOT_CONTENT)


def plain(value: object) -> object:
    """What `json` may write for a value it does not know."""
    if is_dataclass(value) and not isinstance(value, type):
        named = ((name, getattr(value, name)) for name in content_of(type(value)))
        return {name: held for name, held in named if held not in NOTHING}
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no place in a transcript.")

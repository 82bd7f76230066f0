"""What is said about a run besides its steps: by its source, by its reader, by other people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from traces.vocabulary import Fate


@dataclass(frozen=True, slots=True)
class Gap:
    """Something the record lacks or contradicts. `kind` is a key of `traces.gaps.KINDS`."""

    kind: str
    detail: str
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Why a run deserves a look although nothing says that it failed. Never a failure by itself.

    `kind` is a key of `traces.suspicions.KINDS`.
    """

    kind: str
    detail: str
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """What "failed" means for this run, in checkable terms.

    `added_by`, `added_at` and `origin` are of those that the record itself does not show.
    """

    key: str
    statement: str
    expected: str = ""
    observed: str = ""
    check: str = ""
    exposed_by: int | None = None
    consequence: str = ""
    added_by: str = ""
    added_at: datetime | None = None
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Opinion:
    """Somebody else's judgement that came with the file. Never a verdict, never step text."""

    source: str
    native_step: str
    base: int
    step: int | None
    actor: str
    reason: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Report:
    """Who says how the run ended: the agent, the framework, the harness or a verifier."""

    value: str
    by: str
    step: int | None = None
    at: datetime | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class RawRecord:
    """A raw record that is no step by itself: what became of it, and its name in the source.

    `step` is the one it was folded into, or that it explains, if there is one.
    """

    pointer: str
    fate: Fate
    label: str = ""
    step: int | None = None

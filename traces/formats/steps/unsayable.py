"""What the formats that only keep a conversation have no place for, as paths of the native format.

It is said once for the run: an empty field of theirs was not forgotten by whoever recorded it.
"""

from __future__ import annotations

from traces.transcript import Capture

# A path stands for all that is below it.
OF_CONVERSATIONS = (
    "started_at",
    "ended_at",
    "closed_at",
    "recorder",
    "parent",
    "attempt",
    "reports",
    "initial_state",
    "system/name",
    "system/version",
    "system/configuration",
    "actors/configuration",
    "actors/authority",
    "actors/parent",
    "actors/replaces",
    "steps/started_at",
    "steps/ended_at",
    "steps/recorded_at",
    "steps/retry",
    "steps/spawned_by",
    "steps/joins",
    "steps/parts/decision",
    "steps/parts/state",
    "steps/parts/verification",
    "steps/parts/claims",
    "steps/parts/cut",
)


def unsayable(*more: str) -> dict[str, str]:
    """Capture states of a run whose format has no place for these either."""
    return dict.fromkeys((*OF_CONVERSATIONS, *more), Capture.NOT_IN_SCHEMA.value)


def unsayable_but(*sayable: str, more: tuple[str, ...] = ()) -> dict[str, str]:
    """As above, for a format that can say what conversations cannot."""
    return {path: state for path, state in unsayable(*more).items() if path not in sayable}

"""The conversations of tau-bench and tau2: an agent, its tools, and a user who is a model too."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from traces.completeness import listed
from traces.formats.base import Json
from traces.formats.chat.lists import is_message
from traces.formats.chat.single import message
from traces.formats.records.times import moment
from traces.formats.steps.building import Builder
from traces.formats.steps.conversation import Conversation, Place
from traces.transcript import ActorKind, Fate, Outcome

INSTANCE = {"instance": "not_in_schema"}
RIGHT = 1.0


def talked(builder: Builder, entries: Iterable[tuple[str, Any, Json]]) -> None:
    """Read the messages, each with its place and its order. The user is simulated: no human."""
    builder.actor("assistant", capture=INSTANCE)
    talk = Conversation(builder, "assistant")
    bad = []
    for pointer, order, value in entries:
        if not is_message(value):
            bad.append(pointer)
            builder.record(pointer, Fate.UNMAPPED, "no message")
            continue
        said = message(value)
        place = Place(str(order), (order,), pointer, moment(value.get("timestamp")))
        if said.role == "user":
            talk.decide(said, place, builder.actor("user", capture=INSTANCE))
        else:
            if said.role == "system":
                builder.actor("system", ActorKind.HARNESS, capture=INSTANCE)
            talk.say(said, place)
    if bad:
        builder.gap("undecodable_step", f"Entries that are no messages: {listed(bad)}.")
    talk.note_reused()


def outcome_of(reward: Json) -> Outcome:
    """By the reward, which is one if all is right and less if anything is wrong."""
    if not isinstance(reward, int | float) or isinstance(reward, bool):
        return Outcome.UNKNOWN
    return Outcome.SUCCEEDED if reward >= RIGHT - 1e-6 else Outcome.FAILED


def number_of(value: Json, *, least: int, plus: int = 0) -> int | None:
    usable = isinstance(value, int) and not isinstance(value, bool) and least <= value < 10**6
    return value + plus if usable else None

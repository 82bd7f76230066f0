"""Gaps in who acted."""

from __future__ import annotations

from collections.abc import Iterator

from traces.completeness import explained, listed
from traces.gaps.kind import Finder, Kind
from traces.transcript import ActorKind, Gap, Transcript

KINDS = {
    "unknown_actor": Kind(
        "Undeclared actor",
        "A step names an actor that the record does not describe.",
        "Declare every actor of a run, with kind, model and configuration.",
    ),
    "actor_without_instance": Kind(
        "Actor without instance",
        "Two executions of the same role cannot be told apart.",
        "Give each execution of a role its own instance id.",
    ),
}


def actor_without_instance(transcript: Transcript) -> Iterator[Gap]:
    if explained(transcript.capture, "actors/instance"):
        return
    names = [
        actor.role
        for actor in transcript.actors
        if actor.kind is ActorKind.AGENT
        and not (actor.instance or explained(actor.capture, "instance"))
    ]
    if names:
        yield Gap("actor_without_instance", f"Agents without an instance: {listed(names)}.")


FINDERS: tuple[Finder, ...] = (actor_without_instance,)

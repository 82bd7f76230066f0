"""Gaps in who acted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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
    "actor_conflict": Kind(
        "Actors contradict each other",
        "An actor is declared twice with different content, of which the first is kept, or actors"
        " replace or start each other in a ring: who did a step, and with what, is in doubt.",
        "Declare each instance once, under its own id, and name those that were there before it.",
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


def unknown_relatives(transcript: Transcript) -> Iterator[Gap]:
    known = transcript.actor_by_key
    names = (name for actor in transcript.actors for name in (actor.parent, actor.replaces))
    unknown = list(dict.fromkeys(name for name in names if name and name not in known))
    if unknown:
        yield Gap("missing_parent", f"Actors that others come from: {listed(unknown)}.")


def rings(transcript: Transcript) -> Iterator[Gap]:
    """Actors that come of themselves: each has one parent and replaces one, so all is a path."""
    for name, word in (("replaces", "replace"), ("parent", "start")):
        before = {actor.key: getattr(actor, name) for actor in transcript.actors}
        ringed = on_rings(before)
        if ringed:
            yield Gap("actor_conflict", f"They {word} each other in a ring: {listed(ringed)}.")


def on_rings(before: Mapping[str, str | None]) -> list[str]:
    """The keys from which a walk back comes to the same key again."""
    walk_of: dict[str, str] = {}
    found: list[str] = []
    for start in before:
        key: str | None = start
        while key is not None and key in before and key not in walk_of:
            walk_of[key] = start
            key = before[key]
        if key is not None and walk_of.get(key) == start:  # this walk met itself
            ring = [key]
            while (following := before[ring[-1]]) and following != key:
                ring.append(following)
            found += ring
    return found


FINDERS: tuple[Finder, ...] = (actor_without_instance, unknown_relatives, rings)

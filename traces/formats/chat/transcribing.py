"""Turns a list of messages into a run. Nothing else is known: no times, and no outcome."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from traces.completeness import listed
from traces.formats.base import Json, Refusal
from traces.formats.chat.items import is_item, of_one_call, together
from traces.formats.chat.lists import Listing, tool_names
from traces.formats.chat.message import Message
from traces.formats.chat.single import message
from traces.formats.chat.words import without
from traces.formats.records.loose import digest
from traces.formats.steps.building import Builder
from traces.formats.steps.conversation import Conversation, Place
from traces.formats.steps.unsayable import unsayable
from traces.transcript import ActorKind, Gap, StepStatus, Transcript

NOT_IN_SCHEMA = unsayable("outcome", "failures", "task/id", "steps/status", "steps/handoff_from")
OF_ACTORS = {"instance": "not_in_schema", "model": "not_in_schema"}
KINDS = {"system": ActorKind.HARNESS, "user": ActorKind.HUMAN}

Entries = Sequence[tuple[str, Mapping[str, Json]]]


def transcript(listing: Listing, entries: Entries, bad: list[Refusal]) -> Transcript:
    """The run. What stood beside the messages is withheld: it may hold scores and answers."""
    builder = Builder()
    read = [(is_item(value), message(value)) for _, value in entries]
    names = (each.name for _, each in read if each.role == "assistant")
    talk = Conversation(builder, "assistant", agents=frozenset(filter(None, names)))
    for group in of_one_call(read):
        said = together([read[index][1] for index in group])
        declare(builder, said, talk)
        pointers = [entries[index][0] for index in group]
        say(talk, said, Place(str(group[0]), (group[0],), pointers[0]), pointers)
    talk.note_reused()
    model, tools = listing.beside.get("model"), tool_names(listing.beside.get("tools"))
    named = isinstance(model, str) and model
    system = without({"models": {"assistant": model} if named else {}, "tools": tools})
    header = Transcript(
        external_id=identity(listing, entries),
        source="messages",
        schema="messages",
        actors=(),
        steps=(),
        gaps=(*listing.gaps, *bad_entries(bad)),
        system=system,
        withheld={k: v for k, v in listing.beside.items() if k not in ("id", "model", "tools")},
        # A model can stand beside the list.
        capture=capture_of(builder) | ({} if system else {"system": "not_captured"}),
    )
    return with_task(builder.transcript(header))


def say(talk: Conversation, said: Message, place: Place, pointers: Sequence[str]) -> None:
    """Read a message; what other entries it was in is known of the step it became."""
    draft = talk.say(said, place)
    for pointer in pointers[1:]:
        if draft:
            draft.read_from(pointer)


def declare(builder: Builder, said: Message, talk: Conversation) -> None:
    """Make known who speaks, of whom a list of messages says little."""
    kind = KINDS.get(said.role, ActorKind.AGENT)
    if said.role == "tool" or (said.role == "user" and not said.parts and said.answers):
        return
    if said.name in talk.agents:
        kind = ActorKind.AGENT
    role = "assistant" if said.role == "assistant" else said.role
    key = said.name or role
    model = said.model or None
    capture = {"instance": "not_in_schema"} if model else OF_ACTORS
    builder.actor(key, kind, model=model, capture=capture)


def capture_of(builder: Builder) -> dict[str, str]:
    """What the format cannot say. Anthropic's results do tell whether they are errors."""
    told = any(draft.status is not StepStatus.NOT_CAPTURED for draft in builder.drafts.values())
    return {key: state for key, state in NOT_IN_SCHEMA.items() if not told or key != "steps/status"}


def with_task(run: Transcript) -> Transcript:
    """The run with what the first human says, which is the task as far as anybody knows."""
    human = {actor.key for actor in run.actors if actor.kind is ActorKind.HUMAN}
    said = next((step.parts for step in run.steps if step.actor in human), ())
    return replace(run, task_text="\n".join(p.text for p in said if not p.data.get("raw")))


def identity(listing: Listing, entries: Entries) -> str:
    """The id beside the list, else one made of the messages."""
    given = listing.beside.get("id") or listing.beside.get("custom_id")
    if isinstance(given, str) and given:
        return given
    return f"messages-{digest([value for _, value in entries])}"


def bad_entries(bad: list[Refusal]) -> Iterator[Gap]:
    if bad:
        places = listed([refusal.position for refusal in bad])
        yield Gap("undecodable_step", f"Entries that are no messages: {places}.")

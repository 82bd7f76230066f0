"""The items of Codex's conversation with the model, as steps."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field, replace
from datetime import datetime

from traces.formats.chat import single
from traces.formats.records.event_log import Entry
from traces.formats.records.loose import Object, items, mapping, shown, text
from traces.formats.steps.building import Draft
from traces.formats.steps.conversation import Place, drafted, nth
from traces.formats.steps.outputs import exited, marked, opened_output
from traces.formats.steps.turns import Turns
from traces.transcript import Fate, Part, PartKind, StepKind

NAME = "codex_rollout"
HARNESS = "codex"
# What the program sends in the place of the person.
BY_HARNESS = (
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<user_shell_command>",
    "<skill>",
    "# AGENTS.md instructions",
    "<collaboration_mode>",
    "<INSTRUCTIONS>",
)
BESIDE = frozenset({"ghost_snapshot", "compaction", "compaction_summary"})


@dataclass(slots=True)
class Items(Turns):
    """A run while its items are read in turn."""

    # Texts of persons that events tell again: what is not among them comes from the program.
    heard: Counter[str] = field(default_factory=Counter)
    # Whether the model, or an event, says anything: what came before may be anybody's till then.
    begun: bool = False
    context: Object = field(default_factory=dict)
    # The event that told first of the reply whose items are to come.
    told: Place | None = None

    def turn(self, payload: Object) -> None:
        self.call = None
        # Of settings that change the first ones stay, as the run began with them.
        self.context = {**payload, **self.context}
        self.model = text(payload.get("model"))

    def reply(self, place: Place) -> Draft:
        """The open call of the model. It is named by the first record of it, also by an event."""
        if self.call is None and self.told is not None:
            place, self.told = replace(place, id=self.told.id), None
        return Turns.reply(self, place)

    def item(self, payload: Object, entry: Entry, at: datetime | None) -> None:
        name = text(payload.get("id")) or entry.pointer
        place = Place(name, (entry.number, 0), entry.pointer, at)
        kind = text(payload.get("type"))
        if kind in BESIDE:
            self.note(kind, payload, place)
            return
        message = single.message(opened_output(payload), "assistant")
        if message.answers:
            for index, answer in enumerate(message.answers):
                self.answer(exited(answer, payload), nth(place, index))
        elif message.role != "assistant":
            self.hear(message.parts, message.role, place)
        elif message.parts or message.calls:
            self.reply(place)
            for part in message.parts:
                self.say(part, place)
            for index, call in enumerate(message.calls):
                self.ask(call, nth(place, index))
        else:
            self.builder.record(place.pointer, Fate.UNMAPPED, kind or "response_item")

    def note(self, kind: str, payload: Object, place: Place) -> None:
        """Items by which the program keeps its state."""
        if kind == "ghost_snapshot":
            commit = mapping(payload.get("ghost_commit"))
            part = Part(PartKind.STATE, text(commit.get("id")) or shown(commit), dict(commit))
            self.tell(part, StepKind.STATE, self.harness(), place)
        else:
            part = Part(PartKind.INTERPRETATION, "", {"sealed": True}, {"text": "withheld"})
            self.tell(part, StepKind.MESSAGE, self.harness(), place)

    def hear(self, parts: tuple[Part, ...], role: str, place: Place) -> Draft:
        """What a person says is told again by an event; the rest the program adds."""
        texts = [part.text for part in parts if not part.data.get("raw")]
        said = "\n".join(texts)
        own = role != "user" or said.startswith(BY_HARNESS)
        if self.heard and not any(self.heard[each] for each in (said, *texts)):
            own = True
        actor = self.harness() if own else self.person()
        kept = [marked(part) for part in parts] or [Part(PartKind.INPUT, "")]
        draft = drafted(place, actor, StepKind.INPUT, kept)
        if not own and not self.begun:
            draft.capture["actor"] = "not_captured"
        draft = self.add(draft)
        self.said.setdefault(("heard", said), deque()).append(draft)
        return draft

    def compacted(self, payload: Object, entry: Entry, at: datetime | None) -> None:
        """What a model made of the conversation so far, from which it goes on."""
        place = Place(entry.pointer, (entry.number, 0), entry.pointer, at)
        part = Part(PartKind.INTERPRETATION, text(payload.get("message")))
        if not part.text:
            part = replace(part, capture={"text": "not_captured"})
        draft = self.tell(part, StepKind.MESSAGE, self.harness(), place)
        for _ in items(payload.get("replacement_history")):
            self.builder.fold("history told again after compaction", "", draft)

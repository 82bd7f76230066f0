"""The turns of SWE-agent: a model call, the command it asked for, what came of it, the state after.

The conversation tells the same turns again, in the words that the model was given: it is read for
what comes before the first turn, and for turns that are nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from traces.completeness import listed
from traces.formats.base import Json
from traces.formats.chat.message import Answer, Call, Message
from traces.formats.chat.pieces import Pieces, call_of
from traces.formats.chat.reading import opened
from traces.formats.chat.words import as_list, text_of
from traces.formats.records.loose import mapping, spaced
from traces.formats.steps.building import Builder, Draft
from traces.formats.steps.conversation import Conversation, Place, nth
from traces.transcript import ActorKind, Fate, Part, PartKind

Object = Mapping[str, Json]
INSTANCE = {"instance": "not_in_schema"}
TOLD_AGAIN = "turns told again in the conversation"
DEMONSTRATION = "demonstration"


@dataclass(slots=True)
class Turns:
    """A trajectory while it is read. `said` are the model's turns in the order they came."""

    builder: Builder
    talk: Conversation = field(init=False)
    said: list[Draft] = field(default_factory=list)
    task: str = ""

    def __post_init__(self) -> None:
        self.talk = Conversation(self.builder, "main")

    def read(self, value: Object) -> None:
        history = [(f"/history/{n}", mapping(each)) for n, each in enumerate(value["history"])]
        turns = [
            (f"/trajectory/{n}", mapping(each))
            for n, each in enumerate(as_list(value.get("trajectory")))
        ]
        rest = self.beginning(history)
        if turns:
            self.trajectory(turns, [entry for _, entry in rest])
            self.told_again(rest)
        else:
            self.conversation(rest)

    def beginning(self, history: list[tuple[str, Object]]) -> list[tuple[str, Object]]:
        """Steps for what the model was told first; what of the conversation comes after that."""
        shown: list[tuple[str, Object]] = []
        for number, (pointer, entry) in enumerate(history):
            if entry.get("is_demo"):
                self.builder.record(pointer, Fate.CONTEXT, DEMONSTRATION)
            elif entry.get("role") in ("assistant", "tool") or shown:
                shown.append((pointer, entry))
            else:
                self.hear(entry, Place(f"h{number}", (-1, number), pointer))
        return shown

    def hear(self, entry: Object, place: Place) -> None:
        system = entry.get("role") == "system"
        kind = ActorKind.HARNESS if system else ActorKind.HUMAN
        actor = self.builder.actor("system" if system else "user", kind, capture=INSTANCE)
        pieces = Pieces(PartKind.INPUT)
        pieces.content(entry.get("content"))
        draft = self.talk.hear(pieces.parts, place, actor)
        if not system and not self.task:
            self.task = "\n".join(part.text for part in draft.parts)

    def trajectory(self, turns: list[tuple[str, Object]], history: list[Object]) -> None:
        asked = [entry for entry in history if entry.get("role") == "assistant"]
        for number, (pointer, turn) in enumerate(turns):
            entry = asked[number] if number < len(asked) else {}
            same = text_of(entry.get("action")).strip() == text_of(turn.get("action")).strip()
            place = Place(str(number), (number, 0), pointer)
            calls = self.decide(turn, entry if same else {}, place)
            self.observe(turn, calls, place)

    def decide(self, turn: Object, entry: Object, place: Place) -> tuple[Call, ...]:
        """A model call, and the commands that it asked for."""
        calls = tuple(calls_of(entry, text_of(turn.get("action"))))
        agent = self.builder.actor(text_of(entry.get("agent")) or "main", capture=INSTANCE)
        pieces = Pieces(PartKind.MESSAGE)
        pieces.thought(turn.get("thinking_blocks"))
        pieces.content(turn.get("thought") or turn.get("response") or turn.get("content"))
        message = Message("assistant", parts=tuple(pieces.parts), calls=calls)
        self.said.append(self.talk.decide(message, place, agent))
        return calls

    def observe(self, turn: Object, calls: tuple[Call, ...], place: Place) -> None:
        """What came of the command, and the state after it. Without one, the harness answers."""
        observation = text_of(turn.get("observation"))
        seconds = turn.get("execution_time")
        data = {"execution_time": seconds} if isinstance(seconds, int | float) else {}
        if calls:
            answer = Answer(calls[-1].id, calls[-1].name, observation, data=data)
            draft = self.talk.answer(answer, place)
        elif observation:
            harness = self.builder.actor("environment", ActorKind.HARNESS, capture=INSTANCE)
            draft = self.talk.hear([Part(PartKind.INPUT, observation)], nth(place, 0), harness)
        else:
            draft = self.said[-1]
        state = mapping(opened(turn.get("state")))
        if draft and state:
            text = "\n".join(f"{key}: {spaced(state[key])}" for key in state)
            draft.parts.append(Part(PartKind.STATE, text, {"state": dict(state)}))

    def told_again(self, history: list[tuple[str, Object]]) -> None:
        """Count the messages of turns that are steps already, and say which are not."""
        number, unknown = -1, []
        for pointer, entry in history:
            number += entry.get("role") == "assistant"
            if 0 <= number < len(self.said):
                self.builder.fold(TOLD_AGAIN, pointer, self.said[number])
            else:
                self.builder.record(pointer, Fate.UNMAPPED, "message of no turn")
                unknown.append(pointer)
        if unknown:
            detail = f"Messages that belong to no turn of the trajectory: {listed(unknown)}."
            self.builder.gap("kept_in_raw_only", detail)

    def conversation(self, history: list[tuple[str, Object]]) -> None:
        """Read the turns out of the conversation, which is all there is."""
        waiting: tuple[Call, ...] = ()
        for number, (pointer, entry) in enumerate(history):
            place = Place(str(number), (number, 0), pointer)
            if entry.get("role") == "assistant":
                waiting = self.decide(entry, entry, place)
            elif entry.get("role") == "tool" or waiting:
                pieces = Pieces(PartKind.TOOL_RESPONSE)
                pieces.content(entry.get("content"))
                text = "\n".join(part.text for part in pieces.parts)
                ids = [text_of(each) for each in as_list(entry.get("tool_call_ids"))]
                own = [call for call in waiting if call.id in ids] or [*waiting, Call("", "tool")]
                self.talk.answer(Answer(own[0].id, own[0].name, text), place)
                waiting = ()
            else:
                self.hear(entry, place)


def calls_of(entry: Object, action: str) -> Iterator[Call]:
    """The calls of a turn: of functions if the model had them, else a line for the shell."""
    listed_calls = as_list(entry.get("tool_calls"))
    if listed_calls:
        yield from map(call_of, listed_calls)
    elif action.strip():
        yield Call("", action.split(maxsplit=1)[0][:60], action, freeform=True)

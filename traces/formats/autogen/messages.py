"""AutoGen's chat messages and events as steps, in whatever they come: a stream, a dump, a log.

A thought and the tool calls or the text after it are one model call. Nothing in a message tells
two executions of an agent apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from traces.formats.chat.message import Answer, Call, Message
from traces.formats.chat.reading import messages
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.records.times import moment
from traces.formats.steps.building import Builder, Draft
from traces.formats.steps.conversation import Conversation, Place, drafted
from traces.formats.steps.tasks import first_words
from traces.transcript import ActorKind, Fate, Gap, LinkKind, Part, PartKind, StepKind, Transcript

SAID = frozenset(
    {
        "TextMessage",
        "MultiModalMessage",
        "StopMessage",
        "ToolCallSummaryMessage",
        "CodeGenerationEvent",
    }
    | {"StructuredMessage", "HandoffMessage", "SelectSpeakerEvent", "SelectorEvent", "ThoughtEvent"}
)
EVENTS = frozenset(
    {"ToolCallRequestEvent", "ToolCallExecutionEvent", "CodeExecutionEvent", "MemoryQueryEvent"}
    | {"UserInputRequestedEvent", "ModelClientStreamingChunkEvent"}
)
KINDS = SAID | EVENTS
PEOPLE = frozenset({"user", "human", "user_proxy"})
REPEATED = "messages repeated with their id"
PIECES = "pieces of a stream whose whole message is here"
NO_TEXT = {"text": "not_captured"}
NO_INSTANCE = {"instance": "not_in_schema", "model": "not_in_schema"}
ADDRESSED = "next step of the agent that was handed over to"


def is_message(value: Any) -> bool:
    """Whether this is one message or event of AutoGen's chats."""
    if not isinstance(value, dict) or not isinstance(value.get("source"), str):
        return False
    kind = loose.text(value.get("type"))
    typed = kind in KINDS or kind.startswith("StructuredMessage")
    return typed or ("models_usage" in value and kind.endswith(("Event", "Message")))


@dataclass(slots=True)
class Team:
    """The shared thread of a team while its messages are read in turn."""

    builder: Builder
    talk: Conversation = field(init=False)
    known: dict[str, Draft | None] = field(default_factory=dict)
    thought: Draft | None = None
    thinker: str = ""
    waiting: dict[str, str] = field(default_factory=dict)
    chunks: list[tuple[str, str]] = field(default_factory=list)
    unknown: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.talk = Conversation(self.builder, "agent")

    def add(self, value: Object, pointer: str, order: tuple[Any, ...], speaker: str = "") -> None:
        """Read the next message; one whose id is known is folded into what it gave before."""
        source = loose.text(value.get("source")) or "unknown"
        given = loose.name(value.get("id"))
        if given and given in self.known:
            self.builder.fold(REPEATED, pointer, self.known[given])
            return
        place = Place(given or pointer, order, pointer, moment(value.get("created_at")))
        before = len(self.builder.drafts)
        draft = self.read(value, place, speaker or source, source)
        if given:
            self.known[given] = draft
        if draft and len(self.builder.drafts) > before:
            self.arrive(draft, source)

    def read(self, value: Object, place: Place, actor: str, source: str) -> Draft | None:
        kind = loose.text(value.get("type"))
        if kind == "ModelClientStreamingChunkEvent":
            self.chunks.append((loose.name(value.get("full_message_id")), place.pointer))
            return None
        if kind == "UserInputRequestedEvent":
            self.builder.record(place.pointer, Fate.CONTEXT, kind)
            return None
        if kind == "ToolCallExecutionEvent":
            return self.executed(value, place)
        who = self.actor(actor, source)
        if kind == "ToolCallRequestEvent":
            return self.call(value, place, who)
        if kind == "CodeExecutionEvent":
            return self.code(value, place, who)
        return self.say(value, kind, place, who)

    def actor(self, key: str, source: str) -> str:
        kind = ActorKind.HUMAN if source.lower() in PEOPLE else ActorKind.AGENT
        instance = key if key != source else None
        capture = {"model": "not_in_schema"} if instance else NO_INSTANCE
        return self.builder.actor(key, kind, role=source, instance=instance, capture=capture)

    def say(self, value: Object, kind: str, place: Place, who: str) -> Draft:
        """A step for what is said. A thought waits for what its model call went on to say."""
        person = self.builder.actors[who].kind is ActorKind.HUMAN
        spoken = PartKind.INPUT if person else PartKind.MESSAGE
        if kind == "ThoughtEvent":
            spoken = PartKind.INTERPRETATION
        said = messages([{"role": "assistant", "content": value.get("content")}])[0].parts
        data = {} if kind in ("TextMessage", "ThoughtEvent") else {"type": kind}
        to = loose.text(value.get("target"))
        if to:
            data["to"] = to
        parts = [Part(spoken, p.text, {**data, **p.data}, p.capture) for p in said]
        parts = parts or [Part(spoken, "", data, NO_TEXT)]
        step = StepKind.HANDOFF if to else StepKind.INPUT if person else StepKind.MESSAGE
        draft = self.continued(drafted(place, who, step, parts))
        if kind == "ThoughtEvent":
            self.thought, self.thinker = draft, who
        if to:
            self.waiting[to] = draft.id
        if kind not in KINDS and not kind.startswith("StructuredMessage"):
            self.unknown[kind or "no type"] = self.unknown.get(kind or "no type", 0) + 1
        return draft

    def continued(self, draft: Draft) -> Draft:
        """The step; of a model call that began with a thought, one step for both."""
        thought, self.thought = self.thought, None
        if thought and self.thinker == draft.actor and draft.parts[0].kind is PartKind.MESSAGE:
            thought.parts.extend(draft.parts)
            thought.kind = draft.kind
            thought.read_from(draft.pointer)
            return thought
        draft = self.builder.add(draft)
        self.talk.note_unknown(draft)
        self.talk.follow(draft)
        self.talk.ends = [draft]
        return draft

    def call(self, value: Object, place: Place, who: str) -> Draft:
        """The model's decision to call tools, and a step for each call."""
        thought, self.thought = self.thought, None
        calls = tuple(call_of(item) for item in loose.items(value.get("content")))
        if thought and self.thinker == who:
            thought.kind = StepKind.DECISION
            thought.read_from(place.pointer)
            # Beside tool calls AutoGen calls the model's own text a thought.
            thought.parts[:] = [replace(each, kind=PartKind.MESSAGE) for each in thought.parts]
            self.talk.ends = [
                self.talk.ask(
                    call, replace(place, id=f"{place.id}.{i}", order=(*place.order, i)), thought
                )
                for i, call in enumerate(calls, start=1)
            ] or [thought]
            return thought
        silent = (Part(PartKind.MESSAGE, "", {}, NO_TEXT),)
        return self.talk.decide(Message("assistant", parts=silent, calls=calls), place, who)

    def executed(self, value: Object, place: Place) -> Draft | None:
        answers = [answer_of(item) for item in loose.objects(value.get("content"))]
        drafts = [
            self.talk.answer(answer, replace(place, id=f"{place.id}.{i}", order=(*place.order, i)))
            for i, answer in enumerate(answers, start=1)
        ]
        if not drafts:
            self.builder.record(place.pointer, Fate.CONTEXT, "execution of no tools")
        return drafts[0] if drafts else None

    def code(self, value: Object, place: Place, who: str) -> Draft | None:
        """Code that was run: its output and exit code."""
        result = loose.mapping(value.get("result"))
        code = loose.number(result.get("exit_code"))
        answer = Answer(
            "", "code", loose.shown(result.get("output")), None if code is None else code != 0
        )
        draft = self.talk.answer(replace(answer, data={"exitcode": code}), place)
        if draft:
            draft.actor = who
        return draft

    def arrive(self, draft: Draft, source: str) -> None:
        """Link whoever was handed over to, where they first act."""
        handed = self.waiting.get(source)
        if handed and handed != draft.id:
            del self.waiting[source]
            self.builder.link(handed, draft.id, LinkKind.HANDOFF, ADDRESSED)

    def finish(self) -> None:
        """Say at the end what was folded, what nobody knows, and which ids came twice."""
        lost = 0
        for whole, pointer in self.chunks:
            if whole in self.known:
                self.builder.fold(PIECES, pointer, self.known[whole])
            else:
                lost += 1
                self.builder.record(pointer, Fate.UNMAPPED, "piece of a stream")
        if lost:
            detail = f"{lost} pieces of streams whose whole message is not in the record."
            self.builder.gap("kept_in_raw_only", detail)
        if self.unknown:
            kinds = ", ".join(f"{kind} ({count})" for kind, count in sorted(self.unknown.items()))
            self.builder.gap("unknown_part", f"Messages of kinds not known: {kinds}.")
        self.talk.note_reused()


def call_of(item: Any) -> Call:
    given = loose.mapping(item)
    arguments = given.get("arguments")
    name = loose.text(given.get("name")) or "unknown tool"
    return Call(loose.name(given.get("id")), name, item if not given else arguments or "")


def answer_of(item: Object) -> Answer:
    failed = item.get("is_error")
    return Answer(
        id=loose.name(item.get("call_id")),
        name=loose.text(item.get("name")),
        text=loose.shown(item.get("content")),
        failed=failed if isinstance(failed, bool) else None,
    )


def header(
    builder: Builder,
    gaps: tuple[Gap, ...],
    schema: str,
    capture: Mapping[str, str],
    content: object,
) -> Transcript:
    """A run without its steps. AutoGen gives runs no ids: one is made of their content."""
    return Transcript(
        external_id=f"autogen-{loose.digest(content)}",
        source="autogen",
        schema=schema,
        actors=(),
        steps=(),
        gaps=gaps,
        task_text=first_words(builder, StepKind.INPUT),
        system={"name": "autogen"},
        capture=capture,
    )

"""Reads the memory of a smolagents run, as `get_full_steps` dumps it.

Of a step with several tool calls only what they printed together is known. Agents that another
one manages keep a memory of their own, which is not in this one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from traces.formats.base import (
    Document,
    Json,
    ParsedRun,
    Reading,
    Refusal,
    Sample,
    Unreadable,
)
from traces.formats.chat.message import Answer, Message
from traces.formats.chat.pieces import Pieces, call_of
from traces.formats.chat.words import as_list, text_of, without
from traces.formats.records.loose import digest, mapping, reading_gaps, spaced
from traces.formats.records.times import moment
from traces.formats.steps.building import Builder, Draft
from traces.formats.steps.conversation import Conversation, Place, drafted, nth
from traces.formats.steps.unsayable import unsayable_but
from traces.transcript import (
    ActorKind,
    Fate,
    Gap,
    LinkKind,
    Part,
    PartKind,
    Report,
    StepKind,
    StepStatus,
    Transcript,
)

Object = Mapping[str, Json]
INSTANCE = {"instance": "not_in_schema"}
PROMPTS = "messages sent again with each model call"
KNOWN = frozenset({"step_number", "task", "system_prompt", "plan", "output"})
PLACED = (
    *("step_number", "timing", "model_input_messages", "tool_calls", "error", "model_output"),
    *("model_output_message", "code_action", "observations", "action_output", "is_final_answer"),
    *("start_time", "end_time", "duration", "plan", "facts"),
)
NOT_IN_SCHEMA = unsayable_but(
    *("reports", "steps/started_at", "steps/ended_at"),
    more=("outcome", "failures", "task/id", "system", "steps/handoff_from"),
)


class SmolagentsMemory:
    name = "smolagents_memory"
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            steps = item.get("steps")
            inner = steps if isinstance(steps, list) else [item]
            if any(map(is_action, inner)):
                return "keys step_number, and observations or model_input_messages"
        return None

    def read(self, document: Document) -> Reading:
        runs, alone = [], []
        refusals: list[Refusal] = []
        for pointer, value, gaps in document.values():
            steps = mapping(value).get("steps")
            if isinstance(steps, list):
                entries = [(f"/steps/{n}", each) for n, each in enumerate(steps)]
                runs.append(ParsedRun(transcript(entries, gaps), pointer))
            elif isinstance(value, Mapping):
                alone.append((pointer, value))
            else:
                refusals.append(Refusal(pointer or "/", "This is no step of an agent's memory."))
        if alone:
            gaps = reading_gaps(document)
            runs.append(ParsedRun(transcript(alone, gaps)))
        if not any(run.transcript.steps for run in runs):
            raise Unreadable("There are no steps here.")
        return Reading(tuple(runs), tuple(refusals))


FORMAT = SmolagentsMemory()


def is_action(value: Json) -> bool:
    keys = {"observations", "model_input_messages", "model_output", "action_output"}
    return isinstance(value, Mapping) and "step_number" in value and bool(value.keys() & keys)


def transcript(entries: list[tuple[str, Json]], gaps: tuple[Gap, ...]) -> Transcript:
    memory = Memory(Builder())
    for index, (pointer, value) in enumerate(entries):
        memory.take(mapping(value), Place(str(index), (index, 0), pointer))
    memory.talk.note_reused()
    run = Transcript(
        external_id=f"smolagents_memory-{digest([value for _, value in entries])}",
        source="smolagents",
        schema="smolagents_memory",
        actors=(),
        steps=(),
        gaps=gaps,
        task_text=memory.task,
        capture=NOT_IN_SCHEMA,
    )
    return memory.builder.transcript(run)


@dataclass(slots=True)
class Memory:
    """The steps of an agent while they are read."""

    builder: Builder
    talk: Conversation = field(init=False)
    task: str = ""

    def __post_init__(self) -> None:
        self.talk = Conversation(self.builder, "agent")

    def take(self, value: Object, place: Place) -> None:
        place = replace(place, at=time_of(value, "start_time"))
        if "step_number" in value:
            self.act(value, place)
        elif "plan" in value:
            self.decide(value, [text_of(value.get("plan"))], place)
        elif "task" in value or "system_prompt" in value:
            self.hear(value, place)
        elif "output" in value:
            self.finish(value["output"], place, None)
        else:
            self.builder.record(place.pointer, Fate.UNMAPPED, ", ".join(list(value)[:5]))
            self.builder.gap("kept_in_raw_only", f"No known step of a memory: {place.pointer}.")

    def hear(self, value: Object, place: Place) -> None:
        asks = "task" in value
        kind = ActorKind.HUMAN if asks else ActorKind.HARNESS
        actor = self.builder.actor("user" if asks else "system", kind, capture=INSTANCE)
        pieces = Pieces(PartKind.INPUT)
        pieces.content(value.get("task" if asks else "system_prompt"))
        pieces.content(value.get("task_images"))
        draft = self.talk.hear(pieces.parts, place, actor)
        if asks and not self.task:
            self.task = draft.parts[0].text

    def decide(self, value: Object, said: list[str], place: Place) -> Draft:
        """One model call; what it was sent are the messages so far."""
        for _ in as_list(value.get("model_input_messages")):
            self.builder.fold(PROMPTS)
        pieces = Pieces(PartKind.MESSAGE)
        pieces.content([text for text in said if text])
        calls = tuple(map(call_of, as_list(value.get("tool_calls"))))
        rest = without(value, *PLACED)
        message = Message("assistant", parts=tuple(pieces.parts), calls=calls, rest=rest)
        return self.talk.decide(message, place, self.builder.actor("agent", capture=INSTANCE))

    def act(self, value: Object, place: Place) -> None:
        draft = self.decide(value, [said_in(value.get("model_output"))], place)
        asked = self.talk.ends if value.get("tool_calls") else []
        ended = replace(place, at=time_of(value, "end_time"))
        printed = value.get("observations")
        if isinstance(printed, str) and printed:
            self.observe(printed, ended, asked)
        if error := mapping(value.get("error")):
            self.fail(error, asked[0] if len(asked) == 1 else draft)
        if value.get("is_final_answer") is True:
            self.finish(value.get("action_output"), ended, draft)

    def observe(self, printed: str, place: Place, asked: list[Draft]) -> None:
        """What tools printed: to its call if there is one, to all of them if there are several."""
        if len(asked) == 1:
            call = asked[0].parts[0].data
            name = asked[0].tool or ""
            draft = self.talk.answer(Answer(text_of(call.get("call")), name, printed), place)
            return
        actor = self.builder.actor("tools", ActorKind.TOOL, capture=INSTANCE)
        at = nth(place, len(asked))
        draft = drafted(at, actor, StepKind.TOOL, [Part(PartKind.TOOL_RESPONSE, printed)])
        draft.tool = "tools"
        draft = self.builder.add(draft)
        for call_step in asked or self.talk.ends:
            self.builder.link(call_step.id, draft.id, LinkKind.CONSUMES)
        self.talk.ends = [draft]

    def fail(self, error: Object, draft: Draft) -> None:
        name, text = text_of(error.get("type")), text_of(error.get("message"))
        draft.parts.append(Part(PartKind.ERROR, text or name, {"error_type": name} if name else {}))
        draft.status = StepStatus.ERROR

    def finish(self, answer: Json, place: Place, draft: Draft | None) -> None:
        """The agent's own word for how it ended."""
        if draft is None:
            self.builder.record(place.pointer, Fate.CONTEXT, "final answer")
        self.builder.report(Report("final answer", "agent", detail=spaced(answer)), draft)


def said_in(value: Json) -> str:
    """What the model said; in some versions in pieces."""
    pieces = Pieces(PartKind.MESSAGE)
    pieces.content(value)
    return "\n".join(part.text for part in pieces.parts)


def time_of(value: Object, name: str) -> datetime | None:
    timing = mapping(value.get("timing"))
    return moment(timing.get(name, value.get(name)))

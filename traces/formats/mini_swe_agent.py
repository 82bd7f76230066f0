"""Reads trajectories of mini-swe-agent: an agent that knows one tool, the shell.

What a command printed comes as a message to the agent; the exit code and the times stand beside
it. That the work was submitted is what the framework says; whether it is right is in its report.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from traces.completeness import listed
from traces.formats.base import (
    Document,
    Json,
    ParsedRun,
    Reading,
    Refusal,
    Sample,
    Unreadable,
)
from traces.formats.chat.lists import is_message
from traces.formats.chat.message import Answer, Call
from traces.formats.chat.single import message
from traces.formats.chat.words import as_list, text_of, without
from traces.formats.records.loose import digest, mapping, reading_gaps
from traces.formats.records.times import moment
from traces.formats.steps.building import Builder
from traces.formats.steps.conversation import Conversation, Place
from traces.formats.steps.unsayable import unsayable_but
from traces.transcript import (
    ActorKind,
    Fate,
    Gap,
    Part,
    PartKind,
    Report,
    StepStatus,
    Transcript,
)

Object = Mapping[str, Json]
INSTANCE = {"instance": "not_in_schema"}
SHELL, PRINTED = "bash", "<returncode>"
FENCES = ("```mswea_bash_command\n", "```bash\n")
IN_BLOCK = "code block of the message"
NOT_IN_SCHEMA = unsayable_but(
    *("reports", "initial_state", "steps/started_at", "steps/ended_at", "system/configuration"),
    "system/version",
    more=("outcome", "failures", "steps/handoff_from"),
)


class MiniSweAgent:
    name = "mini_swe_agent"
    version = "1"
    before = ("messages",)

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects[:1]:
            if not isinstance(item.get("messages"), list):
                continue
            if text_of(item.get("trajectory_format")).startswith("mini-swe-agent"):
                return "trajectory_format mini-swe-agent"
            if mapping(item.get("info")).keys() & {"exit_status", "mini_version"}:
                return "keys messages and info, with an exit_status"
        printed = [each for each in sample.objects if is_printed(each)]
        said = [each for each in sample.objects if each.get("role") == "assistant"]
        if printed and said and 2 * len(printed) >= len(said):
            return "messages of a user that begin with a returncode"
        return None

    def read(self, document: Document) -> Reading:
        runs, alone = [], []
        refusals: list[Refusal] = []
        for pointer, value, gaps in document.values():
            if isinstance(value, Mapping) and isinstance(value.get("messages"), list):
                entries = [(f"/messages/{n}", each) for n, each in enumerate(value["messages"])]
                runs.append(ParsedRun(transcript(value, entries, gaps), pointer))
            elif is_message(value):
                alone.append((pointer, value))
            else:
                refusals.append(Refusal(pointer or "/", "This is no message and no trajectory."))
        if alone:
            gaps = reading_gaps(document)
            runs.append(ParsedRun(transcript({}, alone, gaps)))
        if not any(run.transcript.steps for run in runs):
            raise Unreadable("There are no messages here.")
        return Reading(tuple(runs), tuple(refusals))


FORMAT = MiniSweAgent()


def is_printed(value: Json) -> bool:
    content = value.get("content") if isinstance(value, Mapping) else None
    return isinstance(content, str) and value.get("role") == "user" and content.startswith(PRINTED)


def transcript(value: Object, entries: list[tuple[str, Json]], gaps: tuple[Gap, ...]) -> Transcript:
    session = Session(Builder())
    session.read(entries)
    info = mapping(value.get("info"))
    status = text_of(info.get("exit_status")) or session.exit_status
    config = mapping(info.get("config"))
    model = mapping(config.get("model"))
    name = text_of(model.get("model_name"))
    environment = mapping(config.get("environment"))
    session.builder.actor("agent", model=name or None, capture=INSTANCE)
    run = Transcript(
        external_id=f"mini_swe_agent-{digest([each for _, each in entries])}",
        source="mini-swe-agent",
        schema="mini_swe_agent",
        actors=(),
        steps=(),
        gaps=gaps,
        reports=(Report(status, "framework"),) if status else (),
        task_id=text_of(value.get("instance_id"), info.get("instance_id")),
        task_text=session.task,
        system=without(
            {
                "models": {"agent": name} if name else {},
                "version": info.get("mini_version"),
                # What a scripted model will answer is no setting.
                "configuration": {**config, "model": without(model, "outputs")} if config else {},
            }
        ),
        initial_state=without({"image": environment.get("image"), "cwd": environment.get("cwd")}),
        withheld=without({"submission": info.get("submission")}),
        capture=NOT_IN_SCHEMA | ({} if config else {"system": "not_captured"}),
    )
    return session.builder.transcript(run)


@dataclass(slots=True)
class Session:
    """A trajectory while it is read. `waiting` are commands whose output is still to come."""

    builder: Builder
    talk: Conversation = field(init=False)
    waiting: list[Call] = field(default_factory=list)
    task: str = ""
    exit_status: str = ""

    def __post_init__(self) -> None:
        self.talk = Conversation(self.builder, "agent")

    def read(self, entries: list[tuple[str, Json]]) -> None:
        bad = []
        for index, (pointer, value) in enumerate(entries):
            if is_message(value):
                self.take(value, Place(str(index), (index,), pointer, time_of(value)))
            else:
                bad.append(pointer)
                self.builder.record(pointer, Fate.UNMAPPED, "no message")
        if bad:
            self.builder.gap("undecodable_step", f"Entries that are no messages: {listed(bad)}.")
        self.talk.note_reused()

    def take(self, value: Object, place: Place) -> None:
        role = value["role"]
        if role == "assistant":
            self.decide(value, place)
        elif role == "exit":
            self.exit_status = text_of(extra_of(value).get("exit_status"), value.get("content"))
            self.builder.record(place.pointer, Fate.CONTEXT, "exit")
        elif role == "tool" or self.waiting:
            self.printed(value, place)
        else:
            self.hear(value, place)

    def hear(self, value: Object, place: Place) -> None:
        """The system prompt and the task; later on what the harness has to say."""
        first = value["role"] == "user" and not self.talk.asked and not self.task
        name = "user" if first else "system" if value["role"] == "system" else "harness"
        kind = ActorKind.HUMAN if first else ActorKind.HARNESS
        actor = self.builder.actor(name, kind, capture=INSTANCE)
        said = message({**value, "role": "user"})
        self.talk.hear(said.parts, place, actor)
        self.task = self.task or (said.text if first else "")

    def decide(self, value: Object, place: Place) -> None:
        said = message(without(value, "extra"))
        given = extra_of(value)
        calls = list(said.calls) or [
            Call(
                text_of(mapping(action).get("tool_call_id")),
                SHELL,
                mapping(action).get("command"),
                freeform=True,
            )
            for action in as_list(given.get("actions"))
        ]
        if "actions" not in given and not calls and (command := in_block(said.text)):
            calls = [Call("", SHELL, command, {"derived": IN_BLOCK}, freeform=True)]
        rest = without(given, "actions", "timestamp")
        said = replace(said, calls=tuple(calls), rest={**said.rest, **rest})
        self.talk.decide(said, place, self.builder.actor("agent", capture=INSTANCE))
        self.waiting = calls

    def printed(self, value: Object, place: Place) -> None:
        """What a command printed, and how it ended."""
        call = text_of(value.get("tool_call_id"))
        given, said = extra_of(value), message({**value, "role": "user"})
        self.waiting = [each for each in self.waiting if call and each.id != call]
        draft = self.talk.answer(Answer(call, "" if call else SHELL, said.text), place)
        code = given.get("returncode", code_in(said.text))
        if draft is None:
            return
        if isinstance(code, int):
            draft.status = StepStatus.ERROR if code else StepStatus.OK
            draft.parts[-1] = replace(
                draft.parts[-1], data={**draft.parts[-1].data, "returncode": code}
            )
        if error := text_of(given.get("exception_info")):
            draft.parts.append(Part(PartKind.ERROR, error))


def in_block(text: str) -> str:
    """The command in a message: the only block of code in it, as the agent is told to write."""
    for fence in FENCES:
        if text.count(fence) == 1:
            return text.partition(fence)[2].partition("\n```")[0]
    return ""


def code_in(text: str) -> int | None:
    """The exit code that stands at the beginning of what the shell printed."""
    code = text.removeprefix(PRINTED).partition("</returncode>")[0] if PRINTED in text[:20] else ""
    return int(code) if code.lstrip("-").isdecimal() and len(code) < 6 else None


def time_of(value: Object) -> datetime | None:
    return moment(extra_of(value).get("timestamp"))


def extra_of(value: Object) -> Object:
    return mapping(value.get("extra"))

"""Reads trajectories in AgentRx's own form: `trajectory_id`, and steps with substeps as text.

What a substep was is written into its text, as lines or as JSON; the text is kept whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from traces.formats.base import Document, Json, ParsedRun, Reading, Refusal, Sample, Unreadable
from traces.formats.chat.message import Call
from traces.formats.chat.reading import opened
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.steps.building import Builder, Draft
from traces.formats.steps.conversation import Conversation
from traces.formats.steps.unsayable import unsayable
from traces.transcript import Gap, Part, PartKind, StepKind, StepStatus, Transcript

CAPTURE = unsayable("task/id", "outcome", "failures", "system/models", "steps/handoff_from")
OPEN = frozenset({"trajectory_id", "instruction", "steps"})
STATUSES = {"OK": StepStatus.OK, "ERROR": StepStatus.ERROR}
NAMES = {"Tool": "tool_name", "Tool args": "tool_args", "Tool result": "tool_result"}
NO_RUN = "This is no trajectory of AgentRx: it has no list of steps."


class AgentRxTrajectory:
    name = "agentrx_trajectory"
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            steps = loose.objects(item.get("steps"))
            if "trajectory_id" in item and any("substeps" in each for each in steps[:20]):
                return "keys trajectory_id and steps, with substeps"
        return None

    def read(self, document: Document) -> Reading:
        runs, refusals = [], []
        for pointer, value, gaps in document.values():
            given = loose.mapping(value)
            if isinstance(given.get("steps"), list):
                runs.append(ParsedRun(transcript(given, pointer, gaps), pointer))
            else:
                refusals.append(Refusal(pointer or "/", NO_RUN))
        if not runs:
            raise Unreadable(NO_RUN)
        return Reading(tuple(runs), tuple(refusals))


FORMAT = AgentRxTrajectory()


def transcript(value: Object, pointer: str, gaps: tuple[Gap, ...]) -> Transcript:
    builder = Builder()
    talk = Conversation(builder, "agent")
    bad = 0
    for number, step in enumerate(loose.items(value["steps"])):
        place = f"{pointer}/steps/{number}"
        substeps = loose.items(loose.mapping(step).get("substeps"))
        index = loose.name(loose.mapping(step).get("index")) or str(number + 1)
        for sub, each in enumerate(substeps):
            if isinstance(each, Mapping):
                add(
                    talk,
                    each,
                    f"{index}.{sub + 1}" if sub else index,
                    f"{place}/substeps/{sub}",
                    (number, sub),
                )
            bad += not isinstance(each, Mapping)
        bad += not substeps
    if bad:
        builder.gap("undecodable_step", f"Entries that are no substeps: {bad}.")
    header = Transcript(
        external_id=loose.name(value.get("trajectory_id")) or f"agentrx-{loose.digest(value)}",
        source="AgentRx",
        schema="agentrx_trajectory",
        actors=(),
        steps=(),
        gaps=gaps,
        task_text=loose.text(value.get("instruction")),
        withheld={name: each for name, each in value.items() if name not in OPEN},
        capture=CAPTURE | {"system": "not_captured"},
    )
    return builder.transcript(header)


def add(talk: Conversation, value: Object, id_: str, pointer: str, order: tuple[Any, ...]) -> None:
    content = loose.shown(value.get("content"))
    told = facts(content)
    role = loose.text(value.get("role")) or "unknown"
    capture = {"instance": "not_in_schema", "model": "not_in_schema"}
    actor = talk.builder.actor(role, capture=capture)
    draft = Draft(id_, actor, StepKind.MESSAGE, [], order, pointer)
    result = told.get("tool_result")
    if result is None:
        parts = [Part(PartKind.MESSAGE, content, {}, {} if content else {"text": "not_captured"})]
    else:
        draft.kind = StepKind.TOOL
        draft.tool = loose.text(told.get("tool_name")) or role
        call = Call("", draft.tool, opened(told.get("tool_args", "")))
        parts = [call.part(), Part(PartKind.TOOL_RESPONSE, content)]
    draft.parts = parts
    draft.status = STATUSES.get(loose.text(told.get("status")), StepStatus.NOT_CAPTURED)
    talk.builder.add(draft)
    talk.follow(draft)
    talk.ends = [draft]


def facts(content: str) -> dict[str, Json]:
    """What the text says of the substep, in JSON or in lines that begin with a name."""
    value = opened(content)
    if isinstance(value, Mapping):
        return dict(value)
    found: dict[str, Json] = {}
    for line in content.split("\n"):
        name, colon, rest = line.partition(": ")
        if colon and len(name) < 20:
            found.setdefault(NAMES.get(name, name.lower()), rest)
    return found

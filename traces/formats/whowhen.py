"""Reads Who&When files: failed runs of AG2's CaptainAgent and of Magentic-One, with labels.

The label is kept as one opinion and never repaired. Neither it nor the expected answer reaches
a step, a gap or a failure, because reviewers and attributors must not see them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from traces.formats.base import Document, Json, ParsedRun, Reading, Refusal, Sample, Unreadable
from traces.formats.steps import ordering
from traces.formats.steps.labels import label_gaps
from traces.formats.steps.unsayable import unsayable
from traces.transcript import (
    Actor,
    ActorKind,
    Failure,
    Gap,
    Link,
    LinkKind,
    Opinion,
    Outcome,
    Part,
    PartKind,
    Step,
    StepKind,
    StepStatus,
    Transcript,
)

SOURCE = "Who&When"
LABELLERS = "Who&When (consensus of 3)"
ADDRESSED = "next step of the addressed actor"
EXIT_CODE = re.compile(r"\A(?:exitcode: |The script ran, then exited with Unix exit code: )(\d+)")
TERMINALS = frozenset({"Computer_terminal", "ComputerTerminal"})
LABEL_KEYS = frozenset(
    {"mistake_agent", "mistake_step", "mistake_reason", "mistake_type", "labels"}
)
OPEN_KEYS = frozenset({"history", "question", "question_ID", "system_prompt"})
NOT_IN_SCHEMA = unsayable("system/models", "steps/inputs", "steps/parts/payload")


class WhoWhen:
    name = "whowhen"
    version = "2"

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            for key in ("mistake_step", "mistake_agent"):
                if key in item and "history" in item:
                    return f"keys {key} and history"
        return None

    def read(self, document: Document) -> Reading:
        runs, refusals = [], []
        for pointer, value, gaps in document.values():
            try:
                runs.append(ParsedRun(read_run(value, gaps), pointer))
            except Unreadable as error:
                refusals.append(Refusal.of(error, pointer or "/"))
        return Reading(tuple(runs), tuple(refusals))


FORMAT = WhoWhen()


def read_run(value: Json, gaps: tuple[Gap, ...]) -> Transcript:
    if not isinstance(value, Mapping) or not isinstance(value.get("history"), list):
        raise Unreadable("This is no Who&When run: it has no list history.")
    history = value["history"]
    steps = tuple(step(entry, number) for number, entry in enumerate(history))
    opinion = opinion_of(value, len(steps))
    right = str(value.get("is_correct", value.get("is_corrected"))).lower() == "true"
    system = {"system_prompt": value["system_prompt"]} if "system_prompt" in value else {}
    return Transcript(
        external_id=f"{question_id(value)}/{subset(history)}",
        source=SOURCE,
        schema="whowhen",
        actors=tuple(actors(steps)),
        steps=steps,
        links=(*ordering.follows_conversation(steps), *addressed(steps)),
        gaps=(*gaps, *bad_entries(history), *misfits(opinion, steps)),
        failures=() if right else (FAILURE,),
        opinions=(opinion,),
        outcome=Outcome.SUCCEEDED if right else Outcome.FAILED,
        task_id=str(value.get("question_ID", "")),
        task_text=str(value.get("question", "")),
        system=system,
        withheld={k: v for k, v in value.items() if k not in LABEL_KEYS | OPEN_KEYS},
        capture=NOT_IN_SCHEMA | ({} if system else {"system": "not_captured"}),
    )


FAILURE = Failure(
    key="answer", statement="The run's answer does not match the expected answer.", check="answer"
)


def question_id(value: Mapping[str, Json]) -> str:
    """The question's id; a copy without it is named by its content."""
    given = value.get("question_ID")
    text = json.dumps(value["history"], sort_keys=True)
    return str(given) if given else hashlib.sha256(text.encode()).hexdigest()[:16]


def subset(history: Sequence[Json]) -> str:
    """Only the algorithm-generated half has names beside roles; ids occur in both halves."""
    named = any(isinstance(entry, Mapping) and "name" in entry for entry in history)
    return "algorithm-generated" if named else "hand-crafted"


def speaker_of(entry: Mapping[str, Json]) -> tuple[str, str]:
    """Who speaks, and the routing behind the role: in "Orchestrator (-> WebSurfer)", both."""
    raw = str(entry.get("name") or entry.get("role") or "unknown")
    whole = raw.rstrip()
    if entry.get("name") or not whole.endswith(")"):
        return raw, ""
    # No pattern: a role is foreign text of any length, and this must stay linear in it.
    speaker, bracket, routing = whole[:-1].partition("(")
    return (speaker.rstrip(), routing) if bracket else (raw, "")


def step(entry: Json, number: int) -> Step:
    """One entry of the history; its index is the step's number, whatever is in it."""
    if not isinstance(entry, Mapping):
        entry = {"role": "unknown", "content": json.dumps(entry)}
    speaker, routing = speaker_of(entry)
    terminal = speaker in TERMINALS
    part = part_of(entry, speaker, routing)
    return Step(
        number=number,
        source_id=str(number),
        actor=speaker,
        kind=step_kind(part, terminal=terminal),
        parts=(part,),
        status=status_of(part.text) if terminal else StepStatus.NOT_CAPTURED,
        tool=speaker if terminal else None,
        pointer=f"/history/{number}",
    )


def part_of(entry: Mapping[str, Json], speaker: str, routing: str) -> Part:
    content = entry.get("content")
    text = content if isinstance(content, str) else json.dumps(content) if content else ""
    data = {key: value for key, value in entry.items() if key != "content"}
    if speaker in TERMINALS:
        code = EXIT_CODE.match(text)
        return Part(PartKind.TOOL_RESPONSE, text, data | ({"exitcode": code[1]} if code else {}))
    if speaker == "human":
        return Part(PartKind.INPUT, text, data)
    if routing == "thought":
        return Part(PartKind.INTERPRETATION, text, data)
    if routing.startswith("->"):
        data["to"] = routing.removeprefix("->").strip()
    return Part(PartKind.MESSAGE, text, data)


def step_kind(part: Part, *, terminal: bool) -> StepKind:
    if terminal:
        return StepKind.TOOL
    if part.kind is PartKind.INPUT:
        return StepKind.INPUT
    return StepKind.HANDOFF if "to" in part.data else StepKind.MESSAGE


def status_of(output: str) -> StepStatus:
    """From the exit code; AG2's executor says 124 when it stopped a script for time."""
    code = EXIT_CODE.match(output)
    if code is None:
        return StepStatus.NOT_CAPTURED
    return {"0": StepStatus.OK, "124": StepStatus.TIMEOUT}.get(code[1], StepStatus.ERROR)


def actors(steps: Sequence[Step]) -> Iterator[Actor]:
    capture = {"instance": "not_in_schema", "model": "not_in_schema"}
    for name in dict.fromkeys(step.actor for step in steps):
        kind = ActorKind.TOOL if name in TERMINALS else ActorKind.AGENT
        kind = ActorKind.HUMAN if name == "human" else kind
        yield Actor(key=name, role=name, kind=kind, capture=capture)


def addressed(steps: Sequence[Step]) -> Iterator[Link]:
    """From a step that names whom it hands over to, to the next thing that actor does."""
    waiting: dict[str, int] = {}
    for step in steps:
        if step.actor in waiting:
            yield Link(waiting.pop(step.actor), step.number, LinkKind.HANDOFF, ADDRESSED)
        if to := step.parts[0].data.get("to"):
            waiting[str(to)] = step.number


def opinion_of(value: Mapping[str, Json], step_count: int) -> Opinion:
    native = str(value.get("mistake_step", ""))
    number = int(native) if re.fullmatch(r"\d{1,6}", native) else -1
    return Opinion(
        source=LABELLERS,
        native_step=native,
        base=0,
        step=number if 0 <= number < step_count else None,
        actor=str(value.get("mistake_agent", "")),
        reason=str(value.get("mistake_reason", "")),
        data={key: value[key] for key in ("mistake_type", "labels") if key in value},
    )


def misfits(opinion: Opinion, steps: Sequence[Step]) -> Iterator[Gap]:
    """Every label of this set has to name a step and its speaker, so one without is a misfit."""
    speaker, _ = speaker_of({"role": opinion.actor})
    native = opinion.native_step or "none"
    return label_gaps([replace(opinion, actor=speaker, native_step=native)], steps)


def bad_entries(history: Sequence[Json]) -> Iterator[Gap]:
    bad = [str(index) for index, entry in enumerate(history) if not isinstance(entry, Mapping)]
    if bad:
        yield Gap("undecodable_step", f"Entries that are no messages: {', '.join(bad[:10])}.")

"""Reads tasks of the A2A protocol, versions 0 and 1: whole, as answers, and as streamed updates.

The state that a task ends in is explicit, and is the remote agent's word. What that agent did
inside is not in the protocol.
"""

from __future__ import annotations

from traces.completeness import listed
from traces.formats.a2a.tasks import BAD, GOOD, Found, Task, found_in
from traces.formats.base import Document, ParsedRun, Reading, Refusal, Sample, Unreadable
from traces.formats.records import loose
from traces.formats.steps.unsayable import unsayable_but
from traces.transcript import Gap, Outcome, Report, Transcript

CAPTURE = unsayable_but(
    *("ended_at", "reports", "steps/started_at", "steps/parts/state"),
    more=("system/models", "actors/model"),
)
NO_PART = "This is no task, message or update of A2A."


class A2A:
    name = "a2a"
    version = "1"
    # Answers of A2A are JSON-RPC too, and a message has a role.
    before = ("mcp", "messages")

    def recognise(self, sample: Sample) -> str | None:
        kinds = {each.kind for item in sample.objects for each in found_in("", item)}
        if kinds & {"task", "status", "artifact"}:
            return "a task or an update of one, with a state of A2A"
        if "message" in kinds:
            return "a message of A2A, with messageId and parts"
        return None

    def read(self, document: Document) -> Reading:
        found: list[Found] = []
        refusals = []
        for pointer, value in loose.placed(document):
            pieces = list(found_in(pointer, value))
            found.extend(pieces)
            if not pieces:
                refusals.append(Refusal(pointer or "/", NO_PART))
        tasks = gathered(found)
        if not tasks:
            raise Unreadable("There are no tasks of A2A here.")
        gaps = loose.reading_gaps(document)
        if refusals:
            places = listed([refusal.position for refusal in refusals])
            gaps = (*gaps, Gap("undecodable_step", f"Records of no task: {places}."))
        runs = [ParsedRun(transcript(task, gaps)) for task in tasks.values()]
        return Reading(tuple(runs), tuple(refusals))


FORMAT = A2A()


def gathered(found: list[Found]) -> dict[str, Task]:
    """The tasks, each with what came of it. A message of no task is of the first one."""
    tasks: dict[str, Task] = {}
    alone = [each for each in found if not each.task]
    for each in found:
        if each.task:
            tasks.setdefault(each.task, Task(each.task))
    if not tasks and alone:
        tasks[""] = Task("")
    first = next(iter(tasks.values()), None)
    for order, each in enumerate(found):
        task = tasks[each.task] if each.task else first
        if task:
            task.add(each, order)
    return tasks


def transcript(task: Task, gaps: tuple[Gap, ...]) -> Transcript:
    builder = task.builder
    outcome = Outcome.UNKNOWN
    if task.state:
        outcome = Outcome.FAILED if task.state in BAD else outcome
        outcome = Outcome.SUCCEEDED if task.state in GOOD else outcome
        report = Report(task.state, by="agent", at=task.at, detail=task.reason)
        builder.report(report, task.last)
    ended = task.at if outcome is not Outcome.UNKNOWN else None
    header = Transcript(
        external_id=task.id or f"a2a-{loose.digest(sorted(builder.drafts))}",
        source="a2a",
        schema="a2a",
        actors=(),
        steps=(),
        gaps=gaps,
        outcome=outcome,
        task_id=task.context,
        task_text=task.first_words,
        system={"name": "a2a"},
        ended_at=ended,
        capture=CAPTURE,
    )
    return builder.transcript(header)

"""Reads what a chat of AG2 (AutoGen up to 0.3) results in: `chat_history` with its summary."""

from __future__ import annotations

from traces.formats.base import Document, Json, ParsedRun, Reading, Refusal, Sample, Unreadable
from traces.formats.chat import groups
from traces.formats.records import loose
from traces.formats.steps.building import Builder
from traces.formats.steps.unsayable import unsayable_but
from traces.transcript import Gap, Report, StepKind, Transcript

CAPTURE = unsayable_but("reports", more=("task/id", "outcome", "failures", "system/models"))
KEPT = frozenset({"chat_history", "history", "chat_id", "question", "question_ID", "summary"})
LABELS = ("mistake_step", "mistake_agent")


class Ag2:
    name = "ag2"
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            entries = history_of(item)[1]
            if any(map(groups.is_spoken, entries[:20])):
                return "key chat_history, or history and question, with names"
        return None

    def read(self, document: Document) -> Reading:
        runs, refusals = [], []
        for pointer, value, gaps in document.values():
            key, entries = history_of(value)
            if any(map(groups.is_spoken, entries)):
                runs.append(ParsedRun(transcript(value, key, pointer, gaps), pointer))
            else:
                refusals.append(Refusal(pointer or "/", "This holds no chat_history."))
        if not runs:
            raise Unreadable("There is no chat of AG2 here.")
        return Reading(tuple(runs), tuple(refusals))


FORMAT = Ag2()


def history_of(value: Json) -> tuple[str, list[Json]]:
    """The messages and their key. A bare history is one only with names and its question."""
    given = loose.mapping(value)
    entries = given.get("chat_history")
    if isinstance(entries, list):
        return "chat_history", entries
    entries = given.get("history")
    if not isinstance(entries, list) or "question" not in given or given.keys() & set(LABELS):
        return "", []
    named = any(loose.text(each.get("name")) for each in loose.objects(entries[:20]))
    return ("history", entries) if named else ("", [])


def transcript(value: Json, key: str, pointer: str, gaps: tuple[Gap, ...]) -> Transcript:
    given = loose.mapping(value)
    builder = Builder()
    groups.read(builder, given[key], f"{pointer}/{key}")
    if summary := loose.shown(given.get("summary")):
        builder.report(Report("ended", by="framework", detail=summary))
    told = loose.text(given.get("question"))
    spoken = [draft for draft in builder.drafts.values() if draft.kind is not StepKind.TOOL]
    first = "\n".join(part.text for part in spoken[0].parts) if spoken else ""
    header = Transcript(
        external_id=loose.name(given.get("question_ID") or given.get("chat_id"))
        or f"ag2-{loose.digest(given[key])}",
        source="ag2",
        schema="ag2",
        actors=(),
        steps=(),
        gaps=gaps,
        task_text=told or first,
        withheld={name: each for name, each in given.items() if name not in KEPT},
        capture=CAPTURE | {"system": "not_captured"},
    )
    return builder.transcript(header)

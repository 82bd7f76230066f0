"""Reads transcripts of Magentic-One: messages whose role says who speaks, and to whom.

They are those of Who&When without its labels: the same reading, and other people's names for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from traces.formats import whowhen
from traces.formats.base import (
    Document,
    Json,
    ParsedRun,
    Reading,
    Refusal,
    Sample,
    Unreadable,
    replacement_gaps,
)
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.steps import ordering
from traces.formats.steps.unsayable import unsayable_but
from traces.transcript import Gap, Report, Step, Transcript

LISTS = ("history", "messages")
LABELS = ("mistake_step", "mistake_agent")
STOPPED = "termination condition"
CAPTURE = unsayable_but(
    "reports", more=("system/models", "steps/inputs", "steps/parts/payload", "outcome", "failures")
)
NO_MESSAGE = "This is no message: it has no role and content."


class MagenticOne:
    name = "magentic_one"
    version = "1"
    before = ("messages",)

    def recognise(self, sample: Sample) -> str | None:
        if any(name in item for item in sample.objects for name in LABELS):
            return None
        nested = [each for item in sample.objects[:1] for each in listed(item)]
        if any(map(is_routed, (*sample.objects, *nested[:200]))):
            return 'roles like "Orchestrator (-> WebSurfer)"'
        return None

    def read(self, document: Document) -> Reading:
        runs: list[ParsedRun] = []
        refusals: list[Refusal] = []
        for talk in talks(document):
            good = [(at, value) for at, value in talk.entries if is_message(value)]
            bad = [f"{talk.pointer}{at}" for at, value in talk.entries if not is_message(value)]
            refusals.extend(Refusal(place or "/", NO_MESSAGE) for place in bad)
            if good:
                run = transcript(talk, good, len(bad))
                runs.append(ParsedRun(named(run, document.name), talk.pointer))
        if not runs:
            raise Unreadable("There are no messages of Magentic-One here.")
        return Reading(tuple(runs), tuple(refusals))


FORMAT = MagenticOne()


@dataclass(frozen=True, slots=True)
class Talk:
    """A list of messages with the place of each, and what stood beside it."""

    pointer: str
    entries: list[tuple[str, Json]]
    beside: Object
    gaps: tuple[Gap, ...]


def is_message(value: Json) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("role"), str) and "content" in value


def is_routed(value: Json) -> bool:
    if not is_message(value) or value.get("name"):
        return False
    _, routing = whowhen.speaker_of(value)
    return routing.startswith("->") or routing in ("thought", STOPPED)


def listed(value: Json) -> list[Json]:
    found = [loose.mapping(value).get(name) for name in LISTS]
    return next((each for each in found if isinstance(each, list)), [])


def talks(document: Document) -> Iterator[Talk]:
    """One for messages a line or in one list; else one for each value that holds a list."""
    placed = loose.placed(document)
    if any(is_message(value) for _, value in placed):
        yield Talk("", placed, loose.NOTHING, loose.reading_gaps(document))
        return
    for record in document.records:
        gaps = (*document.gaps, *replacement_gaps(record))
        values = record.value if isinstance(record.value, list) else [record.value]
        for index, value in enumerate(values):
            at = f"{record.position}/{index}" if values is record.value else record.position
            name = next((each for each in LISTS if loose.mapping(value).get(each)), "")
            inner = listed(value) or loose.items(value)
            entries = [(f"/{name}/{i}" if name else f"/{i}", item) for i, item in enumerate(inner)]
            beside = {k: v for k, v in loose.mapping(value).items() if k != name}
            yield Talk(at, entries, beside, gaps)


def transcript(talk: Talk, entries: list[tuple[str, Json]], bad: int) -> Transcript:
    steps = tuple(
        replace(whowhen.step(value, number), pointer=f"{talk.pointer}{at}")
        for number, (at, value) in enumerate(entries)
    )
    gaps = talk.gaps
    if bad:
        gaps = (*gaps, Gap("undecodable_step", f"Entries that are no messages: {bad}."))
    given = loose.name(talk.beside.get("question_ID") or talk.beside.get("id"))
    content = [(value.get("role"), value.get("content")) for _, value in entries]
    question = loose.text(talk.beside.get("question"))
    return Transcript(
        external_id=given or f"magentic-one-{loose.digest(content)}",
        source="Magentic-One",
        schema="magentic_one",
        actors=tuple(whowhen.actors(steps)),
        steps=steps,
        links=(*ordering.follows_conversation(steps), *whowhen.addressed(steps)),
        gaps=gaps,
        reports=tuple(stops(steps)),
        task_id=given,
        task_text=question or next((each.text for each in steps if each.actor == "human"), ""),
        withheld={k: v for k, v in talk.beside.items() if k not in ("question", "question_ID")},
        capture=CAPTURE | {"system": "not_captured"},
    )


def stops(steps: tuple[Step, ...]) -> Iterator[Report]:
    """Why the orchestrator stopped, which is not whether it did what it was asked."""
    for step in steps:
        if whowhen.speaker_of({"role": step.parts[0].data.get("role")})[1] == STOPPED:
            reason = step.text.partition("\n")[0]
            yield Report("stopped", by="framework", step=step.number, detail=reason)


def named(run: Transcript, path: str) -> Transcript:
    """A list has no id: labels of it go by the name of the file that it is in, if there is one."""
    stem = PurePosixPath(path).stem
    return replace(run, task_id=stem) if stem and not run.task_id else run

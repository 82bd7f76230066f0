"""Reads OpenHands: event streams of both generations, and the output of evaluations and of its
issue resolver, one run a line.

Times have no zone, and so cannot be placed: each is kept beside its step as it was written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from traces.facts import fact_lines, with_facts
from traces.formats.base import Document, Json, ParsedRun, Reading, Refusal, Sample, Unreadable
from traces.formats.openhands import v0, v1
from traces.formats.openhands.acts import AGENT, HARNESS, Acts
from traces.formats.records.event_log import Entry, Log, entries_of, unknown_kinds
from traces.formats.records.loose import Object, at, digest, items, mapping, name, shown, text
from traces.formats.steps.building import Builder
from traces.formats.steps.conversation import Place, drafted
from traces.formats.steps.tasks import first_words
from traces.transcript import (
    ActorKind,
    Fate,
    Gap,
    Opinion,
    Outcome,
    Part,
    PartKind,
    Report,
    StepKind,
    Transcript,
)

NAME = "openhands"
JUDGE = "OpenHands issue resolver"
NOT_IN_SCHEMA = dict.fromkeys(
    (
        *("recorder", "attempt", "actors/configuration", "actors/authority", "actors/replaces"),
        *("steps/retry", "steps/handoff_from", "steps/parts/claims", "parent"),
    ),
    "not_in_schema",
)
# Of an evaluation's line: what has a place of its own. The rest may hold answers.
PLACED = frozenset({"history", "instance_id", "instruction", "metadata", "error", "git_patch"})
PLACED_TOO = frozenset({"base_commit", "success", "comment_success", "result_explanation"})


class OpenHands:
    name = NAME
    version = "1"
    # Records of this format may look like messages too.
    before = ("messages",)

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            if is_output(item):
                return "key history, a list of actions and observations"
            if is_v1(item):
                return "keys id, kind and source"
            if is_v0(item) and "id" in item:
                return "keys id and action, or id and observation"
        return None

    def read(self, document: Document) -> Reading:
        runs: list[ParsedRun] = []
        refusals: list[Refusal] = []
        values = list(document.values())
        if not any(is_output(value) for _, value, _ in values):
            return reading(entries_of(document))
        for pointer, value, gaps in values:
            try:
                runs.append(ParsedRun(output(value, gaps), pointer))
            except Unreadable as error:
                refusals.append(Refusal.of(error, pointer or "/"))
        return Reading(tuple(runs), tuple(refusals))


FORMAT = OpenHands()


def reading(log: Log) -> Reading:
    """The run of one stream of events."""
    acts = Acts(Builder(), whole=not log.damaged)
    read_events(acts, log.entries)
    if not acts.builder.drafts:
        raise Unreadable("There is no action and no observation here.")
    first = v0.in_order(log.entries)[0]
    header = Transcript(f"{NAME}-{digest(first.value)}", NAME, (), (), schema=NAME)
    transcript = built(acts, replace(header, task_text=first_words(acts.builder)), log.gaps)
    return Reading((ParsedRun(transcript),), log.refusals)


def is_v0(item: Json) -> bool:
    if not isinstance(item, dict) or "role" in item:
        return False
    acts = isinstance(item.get("action"), str) and ("args" in item or "source" in item)
    sees = isinstance(item.get("observation"), str) and "content" in item
    return acts or sees


def is_v1(item: Json) -> bool:
    kind = item.get("kind") if isinstance(item, dict) else None
    known = isinstance(kind, str) and (kind in v1.KINDS or kind in v1.NOTES)
    return known and "id" in item and "source" in item


def is_output(item: Json) -> bool:
    """A line of an evaluation or of the resolver: a history of events, or of pairs of them."""
    if not isinstance(item, dict) or "mistake_step" in item or "mistake_agent" in item:
        return False
    first = next(iter(items(item.get("history"))), None)
    if isinstance(first, list) and first:
        first = first[0]
    if not isinstance(first, dict) or "role" in first:
        return False
    return is_v0(first) or isinstance(first.get("action"), str) or "observation" in first


def read_events(acts: Acts, entries: Sequence[Entry]) -> None:
    if any(is_v1(entry.value) for entry in entries):
        newer = v1.Events(acts, {})
        for entry in entries:
            newer.read(entry)
    else:
        older = v0.Events(acts)
        for entry in v0.in_order(entries):
            older.read(entry)
    acts.finish()
    note_times(acts, entries)


def note_times(acts: Acts, entries: Sequence[Entry]) -> None:
    """Times without a zone are kept as they were written, where the step begins."""
    written = {entry.pointer: text(entry.value.get("timestamp")) for entry in entries}
    for draft in acts.builder.drafts.values():
        when = written.get(draft.pointer)
        if when and draft.started_at is None and draft.parts:
            part = draft.parts[0]
            draft.parts[0] = replace(part, data={**part.data, "local_time": when})
            draft.capture["started_at"] = draft.capture["ended_at"] = "damaged"


def built(acts: Acts, header: Transcript, gaps: tuple[Gap, ...]) -> Transcript:
    builder = acts.builder
    local = any("started_at" in draft.capture for draft in builder.drafts.values())
    models = {actor.role: actor.model for actor in builder.actors.values() if actor.model}
    system = {"name": NAME, **({"models": models} if models else {}), **header.system}
    transcript = builder.transcript(replace(header, system=system, capture=NOT_IN_SCHEMA))
    zone = (Gap("implausible_values", NO_ZONE),) if local else ()
    found = (*gaps, *transcript.gaps, *unknown_kinds(transcript.records), *zone)
    return replace(transcript, gaps=found)


NO_ZONE = "Times have no zone: they are kept as they were written, and place nothing."


def output(value: Json, gaps: tuple[Gap, ...]) -> Transcript:
    """A run with what its evaluation tells: the task, the start, the end, and what was checked."""
    if not is_output(value):
        raise Unreadable("This is no OpenHands run: it has no history of events.")
    metadata = mapping(value.get("metadata"))
    acts = Acts(Builder(), agent=text(metadata.get("agent_class")) or AGENT)
    read_events(acts, history(acts.builder, value["history"]))
    if not acts.builder.drafts:
        raise Unreadable("There is no action and no observation here.")
    end(acts, value)
    outcome = checked(acts, value)
    model = text(at(metadata, "llm_config", "model"))
    if model and acts.agent in acts.builder.actors:
        acts.builder.actor(acts.agent, model=model)
    commit = text(value.get("base_commit"))
    named = instance(value)
    header = Transcript(
        external_id=named or f"{NAME}-{digest(value['history'])}",
        source=NAME,
        schema=NAME,
        actors=(),
        steps=(),
        outcome=outcome,
        task_id=named,
        task_text=text(value.get("instruction")) or first_words(acts.builder),
        system={"configuration": dict(metadata)} if metadata else {},
        initial_state={"reference": commit, "digest": commit} if commit else {},
        withheld={k: v for k, v in value.items() if k not in PLACED | PLACED_TOO},
    )
    return built(acts, header, gaps)


def instance(value: Object) -> str:
    if given := name(value.get("instance_id")):
        return given
    issue = mapping(value.get("issue"))
    where = "/".join(filter(None, (text(issue.get("owner")), text(issue.get("repo")))))
    number = name(issue.get("number"))
    return f"{where}#{number}" if where and number else ""


def history(builder: Builder, given: Sequence[Json]) -> list[Entry]:
    """Events in a list, or in pairs of an action and what was observed."""
    found: list[Entry] = []
    for index, value in enumerate(given):
        pair = value if isinstance(value, list) else [value]
        for nth, event in enumerate(pair):
            inside = f"/{nth}" if isinstance(value, list) else ""
            pointer = f"/history/{index}{inside}"
            if isinstance(event, dict):
                found.append(Entry(len(found), pointer, event))
            else:
                builder.record(pointer, Fate.UNMAPPED, "event that is no object")
    return found


def end(acts: Acts, value: Object) -> None:
    last = next(reversed(acts.ends.values()), None)
    if said := text(value.get("error")):
        acts.builder.report(Report("error", "framework", detail=said), last)
    own, tested = text(value.get("git_patch")), text(at(value, "test_result", "git_patch"))
    if patch := own or tested:
        pointer = "/git_patch" if own else "/test_result/git_patch"
        place = Place("git_patch", (float("inf"), 0), pointer)
        part = Part(PartKind.STATE, patch, {"type": "git_patch"})
        acts.add(drafted(place, acts.other(HARNESS), StepKind.STATE, [part]))
    if isinstance(success := value.get("success"), bool):
        reason = shown(value.get("result_explanation"))
        data = {"success": success, "comment_success": value.get("comment_success")}
        acts.builder.opinion(Opinion(JUDGE, "", 0, None, "", reason, data))


def checked(acts: Acts, value: Object) -> Outcome:
    """Tests that were run on the result decide; a model's word on it is an opinion."""
    result = mapping(value.get("test_result"))
    for place in (result, mapping(result.get("report")), mapping(value.get("report"))):
        resolved = place.get("resolved")
        if isinstance(resolved, bool):
            verdict = "passed" if resolved else "failed"
            data = {"check": "resolved", "method": "tests", "verdict": verdict}
            part = Part(PartKind.VERIFICATION, with_facts("", fact_lines(data)), data)
            tester = acts.builder.actor("tests", ActorKind.EVALUATOR)
            where = Place("resolved", (float("inf"), 1), "/test_result")
            acts.add(drafted(where, tester, StepKind.VERIFICATION, [part]))
            return Outcome.SUCCEEDED if resolved else Outcome.FAILED
    return Outcome.UNKNOWN

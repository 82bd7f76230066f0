"""Reads trials of Terminal-Bench 1: what was typed, what the terminal showed, what the tests said.

The harness types into the terminal for everybody, so that nobody can tell from the commands who
gave them. If the agent left a log of its own, that is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from traces.formats.base import (
    Document,
    Json,
    Reading,
    Recognised,
    Sample,
    Unreadable,
)
from traces.formats.records import loose, trials
from traces.formats.records.loose import Object
from traces.formats.records.times import moment
from traces.formats.records.trials import Trial
from traces.formats.steps.building import Builder, Draft
from traces.formats.steps.ordering import SAME_CONVERSATION
from traces.formats.steps.unsayable import unsayable_but
from traces.transcript import (
    ActorKind,
    Gap,
    LinkKind,
    Outcome,
    Part,
    PartKind,
    Report,
    StepKind,
    Transcript,
)

NAME, PROGRAM = "terminal_bench", "terminal-bench"
RESULTS, COMMANDS = "results.json", "commands.txt"
BEFORE, AFTER, TESTED = "panes/pre-agent.txt", "panes/post-agent.txt", "panes/post-test.txt"
BELONGS = (COMMANDS, "panes/", "sessions/", "agent-logs/")
CAPTURE = unsayable_but(
    *("started_at", "ended_at", "reports", "recorder", "steps/parts/verification"),
    more=("system", "steps/inputs", "steps/status"),
)
NO_TRIAL = "This is no result of a Terminal-Bench trial: it has no trial_name."


class TerminalBench:
    name = NAME
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            for each in (item, *loose.objects(item.get("results"))[:1]):
                if "trial_name" in each and "parser_results" in each:
                    return "keys trial_name and parser_results"
        return None

    def read(self, document: Document) -> Reading:
        return trials.read_alone(document, placed(document), run_of)


class TerminalBenchTrial:
    """Joins the results of a trial with what was typed and shown in its terminal."""

    name = NAME
    version = TerminalBench.version

    def claims(self, documents: Sequence[Recognised]) -> Iterator[tuple[int, ...]]:
        for group in trials.groups(documents, NAME, RESULTS, BELONGS):
            if len(group) > 1:
                yield group

    def read(self, documents: Sequence[Recognised]) -> Reading:
        return trials.read_folder(documents, RESULTS, run_of)


FORMAT = TerminalBench()
JOINER = TerminalBenchTrial()


def placed(document: Document) -> Iterator[tuple[str, Json, tuple[Gap, ...]]]:
    """Each trial: a document of its own, or one of a list, or of all results of a run."""
    for pointer, value, gaps in document.values():
        several = loose.items(loose.mapping(value).get("results"))
        if several:
            for index, each in enumerate(several):
                yield f"{pointer}/results/{index}", each, gaps
        else:
            yield pointer, value, gaps


def checked(value: Json) -> Object:
    result = loose.mapping(value)
    if not loose.text(result.get("trial_name")):
        raise Unreadable(NO_TRIAL)
    return result


def run_of(value: Json, trial: Trial) -> Transcript:
    result = checked(value)
    told, records = trials.story(trial, "sessions/", "agent-logs/")
    claims = tuple(trials.claims(told))
    told = told if told.steps else terminal(trial)
    parts = tuple(tests(result, trial))
    told = trials.with_checks(
        told,
        parts,
        tuple(filter(None, ("/parser_results", trial.pointer(TESTED)))),
        started_at=moment(result.get("test_started_at")),
        ended_at=moment(result.get("test_ended_at")),
    )
    held = {step.pointer.split(": ")[0] for step in told.steps}
    held |= {record.pointer.split(": ")[0] for record in records}
    used = {name for name, each in trial.files.items() if each.document.name in held} | {TESTED}
    return replace(
        told,
        external_id=loose.name(result.get("id")) or loose.text(result.get("trial_name")),
        source=PROGRAM,
        schema=NAME,
        reports=(*claims, *spoken(result)),
        outcome=outcome(result),
        task_id=loose.text(result.get("task_id")),
        task_text=loose.text(result.get("instruction")),
        started_at=moment(result.get("trial_started_at")),
        ended_at=moment(result.get("trial_ended_at")),
        recorder={"name": PROGRAM},
        records=(*told.records, *records, *trials.unclaimed(trial, used)),
        capture=CAPTURE,
    )


def terminal(trial: Trial) -> Transcript:
    """What was typed, a line a step, between what the terminal showed before and after."""
    builder = Builder()
    keys = builder.actor("keyboard", ActorKind.HARNESS)
    screen = builder.actor("terminal", ActorKind.ENVIRONMENT)
    shown(builder, trial, BEFORE, screen, (0,))
    for number, line in enumerate(trial.text(COMMANDS).split("\n"), start=1):
        if line.strip():
            pointer = f"{trial.pointer(COMMANDS)}: line {number}"
            part = Part(PartKind.INPUT, line)
            builder.add(
                Draft(f"command-{number}", keys, StepKind.INPUT, [part], (1, number), pointer)
            )
    shown(builder, trial, AFTER, screen, (2,))
    drafts = list(builder.drafts.values())
    for before, after in pairwise(drafts):
        builder.link(before.id, after.id, LinkKind.FOLLOWS, SAME_CONVERSATION)
    return builder.transcript(Transcript("", "", (), ()))


def shown(builder: Builder, trial: Trial, name: str, actor: str, order: tuple[int, ...]) -> None:
    if text := trial.text(name):
        part = Part(PartKind.INPUT, text)
        builder.add(Draft(name, actor, StepKind.INPUT, [part], order, trial.pointer(name)))


def tests(result: Object, trial: Trial) -> Iterator[Part]:
    """A part for each test, and what the terminal showed of all of them."""
    for name, verdict in loose.mapping(result.get("parser_results")).items():
        known = verdict if verdict in (trials.PASSED, trials.FAILED) else trials.OPEN
        yield trials.check(name, known)
    if text := trial.text(TESTED):
        yield Part(PartKind.VERIFICATION, text, {"method": "terminal after the tests"})


def spoken(result: Object) -> Iterator[Report]:
    mode = loose.text(result.get("failure_mode"))
    at = moment(result.get("trial_ended_at"))
    if mode not in ("", "unset", "none"):
        yield Report(mode, by="framework", at=at)
    elif at:
        yield Report("completed", by="framework", at=at)
    if isinstance(result.get("is_resolved"), bool):
        verdict = trials.PASSED if result["is_resolved"] else trials.FAILED
        yield Report(verdict, by="verifier", detail=f"is_resolved: {result['is_resolved']}")


def outcome(result: Object) -> Outcome:
    resolved = result.get("is_resolved")
    if not isinstance(resolved, bool):
        return Outcome.UNKNOWN
    return Outcome.SUCCEEDED if resolved else Outcome.FAILED

"""Reads runs of tau-bench: a conversation with a simulated user, and the reward it earned.

The reward comes of comparing databases and looking for answers: a check, and so the outcome. What
was to be done, and what is said of it, is withheld.
"""

from __future__ import annotations

from collections.abc import Mapping

from traces.formats.base import Document, Json, ParsedRun, Reading, Refusal, Sample, Unreadable
from traces.formats.chat.words import text_of, without
from traces.formats.records.loose import digest, mapping
from traces.formats.steps.building import Builder
from traces.formats.steps.unsayable import unsayable_but
from traces.formats.tau_bench.talk import number_of, outcome_of, talked
from traces.formats.tau_bench.tau2 import is_tau2, runs_of
from traces.transcript import Gap, Report, Transcript

Object = Mapping[str, Json]
NOT_IN_SCHEMA = unsayable_but(
    *("reports", "attempt", "initial_state", "steps/parts/verification"),
    more=("steps/status", "steps/handoff_from", "system"),
)
PRINTED = "messages_display"
FOR_PROMPTS = (
    "These are conversations of tau-bench that were printed to be shown in prompts: examples,"
    " without their messages, tasks and rewards. They hold no run."
)
NO_RUN = "This is no run of tau-bench: it has no list traj, or no reward."


class TauBench:
    name = "tau_bench"
    version = "1"
    before = ("messages",)

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            if isinstance(item.get("traj"), list) and "reward" in item:
                return "keys traj and reward"
            if is_tau2(item):
                return "keys simulations and tasks"
            if is_printed(item):
                return f"key {PRINTED}, a text"
        return None

    def read(self, document: Document) -> Reading:
        runs: list[ParsedRun] = []
        refusals: list[Refusal] = []
        for pointer, value, gaps in document.values():
            if is_tau2(value):
                found = runs_of(value, gaps)
                runs.extend(ParsedRun(run, f"{pointer}{path}") for path, run in found.runs)
                refusals.extend(Refusal(f"{pointer}{path}", why) for path, why in found.refused)
            elif isinstance(value, Mapping) and isinstance(value.get("traj"), list):
                runs.append(ParsedRun(transcript(value, gaps), pointer))
            else:
                refusals.append(Refusal(pointer or "/", NO_RUN))
        if not runs and any(is_printed(value) for _, value, _ in document.values()):
            raise Unreadable(FOR_PROMPTS)
        if not runs and not refusals:
            raise Unreadable("There are no runs here.")
        return Reading(tuple(runs), tuple(refusals))


FORMAT = TauBench()


def is_printed(value: Json) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get(PRINTED), str)


def transcript(value: Object, gaps: tuple[Gap, ...]) -> Transcript:
    info = mapping(value.get("info"))
    task = mapping(info.get("task"))
    builder = Builder()
    entries = [(f"/traj/{n}", n, each) for n, each in enumerate(value["traj"])]
    talked(builder, entries)
    for name in without(info, "task", "reward_info", "source", "error", "traceback"):
        builder.unread[f"info.{name}"] += 1
    task_id, trial = text_of(value.get("task_id")), value.get("trial")
    run = Transcript(
        external_id=f"{task_id}/{trial}/{digest(value['traj'])}",
        source="tau-bench",
        schema="tau_bench",
        actors=(),
        steps=(),
        gaps=gaps,
        outcome=outcome_of(value.get("reward")),
        reports=tuple(reports(value, info)),
        task_id=task_id,
        task_text=text_of(task.get("instruction")),
        attempt=attempt_of(value),
        withheld=without({"task": dict(task), "reward_info": info.get("reward_info")}),
        capture=NOT_IN_SCHEMA,
    )
    return builder.transcript(run)


def attempt_of(value: Object) -> int | None:
    """By the trial, counted from 0. In some exports it is the number of the task instead."""
    trial = value.get("trial")
    same = trial == value.get("task_id") and trial != 0
    return None if same else number_of(trial, least=0, plus=1)


def reports(value: Object, info: Object) -> list[Report]:
    """Who says how it ended: the check, and the environment, which says who ended it."""
    found = []
    if isinstance(value.get("reward"), int | float):
        found.append(Report(f"reward {value['reward']}", "verifier"))
    if source := text_of(info.get("source")):
        found.append(Report("done", "framework", detail=f"Ended by {source}."))
    if error := text_of(info.get("error")):
        found.append(Report("error", "framework", detail=error))
    return found

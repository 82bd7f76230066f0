"""Reads results of tau2: simulations of tasks, with what each check says and what models say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from traces.facts import fact_lines, with_facts
from traces.formats.base import Json
from traces.formats.chat.words import as_list, text_of, without
from traces.formats.records.loose import digest, mapping
from traces.formats.records.times import moment
from traces.formats.steps.building import Builder, Draft
from traces.formats.steps.unsayable import unsayable_but
from traces.formats.tau_bench.talk import INSTANCE, number_of, outcome_of, talked
from traces.transcript import (
    ActorKind,
    Gap,
    LinkKind,
    Opinion,
    Outcome,
    Part,
    PartKind,
    Report,
    StepKind,
    StepStatus,
    Transcript,
)

Object = Mapping[str, Json]
GRADED = "NL_ASSERTION"
GRADER = "tau2 (model-graded)"
NOT_IN_SCHEMA = unsayable_but(
    *("reports", "attempt", "initial_state", "started_at", "ended_at", "steps/started_at"),
    *("steps/ended_at", "steps/parts/verification", "system/configuration"),
    more=("steps/handoff_from",),
)
NO_SIMULATION = "This is no simulation: it has no list of messages."


@dataclass(frozen=True, slots=True)
class Found:
    """The runs of a file and what is none, each with its place."""

    runs: list[tuple[str, Transcript]] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)


def is_tau2(value: Json) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(value.get(key), list) for key in ("simulations", "tasks")
    )


def runs_of(value: Object, gaps: tuple[Gap, ...]) -> Found:
    tasks = {text_of(mapping(task).get("id")): mapping(task) for task in value["tasks"]}
    found = Found()
    for index, simulation in enumerate(value["simulations"]):
        path = f"/simulations/{index}"
        if isinstance(mapping(simulation).get("messages"), list):
            task = tasks.get(text_of(simulation.get("task_id")), {})
            run = transcript(simulation, task, mapping(value.get("info")), gaps)
            found.runs.append((path, run))
        else:
            found.refused.append((path, NO_SIMULATION))
    return found


def transcript(value: Object, task: Object, info: Object, gaps: tuple[Gap, ...]) -> Transcript:
    builder = Builder()
    entries = list(messages_of(value["messages"]))
    talked(builder, entries)
    reward = mapping(value.get("reward_info"))
    check(builder, reward, len(entries))
    for opinion in opinions(value, reward):
        builder.opinion(opinion)
    scenario = mapping(mapping(task.get("user_scenario")).get("instructions"))
    asked = text_of(mapping(task.get("user_scenario")).get("instructions"))
    secret = {"task": dict(task), "reward_info": dict(reward), "review": value.get("review")}
    run = Transcript(
        external_id=text_of(value.get("id")) or f"tau_bench-{digest(value['messages'])}",
        source="tau2",
        schema="tau2",
        actors=(),
        steps=(),
        gaps=gaps,
        outcome=outcome(reward),
        reports=tuple(reports(value, reward)),
        task_id=text_of(value.get("task_id")),
        task_text=asked or "\n".join(text for key in scenario if (text := text_of(scenario[key]))),
        system=without({**info, "seed": value.get("seed")}),
        started_at=moment(value.get("start_time")),
        ended_at=moment(value.get("end_time")),
        attempt=number_of(value.get("trial"), least=0, plus=1),
        withheld=without(secret),
        capture=NOT_IN_SCHEMA,
    )
    return builder.transcript(run)


def messages_of(given: Sequence[Json]) -> Iterator[tuple[str, int, Json]]:
    """Messages by their turn; several answers of tools may stand in one message."""
    turns = [number_of(mapping(each).get("turn_idx"), least=0) for each in given]
    known = len({turn for turn in turns if turn is not None}) == len(given)
    number = 0
    for index, value in sorted(
        enumerate(given), key=lambda e: (turns[e[0]] or 0) if known else e[0]
    ):
        within = mapping(value).get("tool_messages")
        for at, inner in enumerate(within) if isinstance(within, list) else [(-1, value)]:
            yield f"/messages/{index}" + (f"/tool_messages/{at}" if at >= 0 else ""), number, inner
            number += 1


def outcome(reward: Object) -> Outcome:
    """By the reward; where a model had a say in it, only the database can tell that it failed."""
    if GRADED not in as_list(reward.get("reward_basis")):
        return outcome_of(reward.get("reward"))
    matched = mapping(reward.get("db_check")).get("db_match")
    return Outcome.FAILED if matched is False else Outcome.UNKNOWN


def reports(value: Object, reward: Object) -> Iterator[Report]:
    if reason := text_of(value.get("termination_reason")):
        yield Report(reason, "framework", at=moment(value.get("end_time")))
    if GRADED not in as_list(reward.get("reward_basis")) and outcome(reward) is not Outcome.UNKNOWN:
        yield Report(f"reward {reward['reward']}", "verifier")


def check(builder: Builder, reward: Object, order: int) -> None:
    """A step for each check that a program made. What it looked for is not told."""
    database = mapping(reward.get("db_check")).get("db_match")
    made = [("database", database, "/reward_info/db_check")]
    for key, what in (("env_assertions", "environment"), ("communicate_checks", "communication")):
        for number, each in enumerate(as_list(reward.get(key))):
            path = f"/reward_info/{key}/{number}"
            made.append((f"{what} {number + 1}", mapping(each).get("met"), path))
    for number, (name, met, path) in enumerate(made):
        if isinstance(met, bool):
            draft = checked(builder, name, "passed" if met else "failed", path)
            draft.order = (order, number)
            builder.add(draft)
            builder.link(str(order - 1), draft.id, LinkKind.FOLLOWS, "checks come last")


def checked(builder: Builder, name: str, verdict: str, path: str) -> Draft:
    data = {"check": name, "verdict": verdict, "method": "program"}
    evaluator = builder.actor("tau2 evaluator", ActorKind.EVALUATOR, capture=INSTANCE)
    part = Part(PartKind.VERIFICATION, with_facts("", fact_lines(data)), data)
    draft = Draft(path, evaluator, StepKind.VERIFICATION, [part], (), path)
    draft.status = StepStatus.OK
    return draft


def opinions(value: Object, reward: Object) -> Iterator[Opinion]:
    """What models say of the run: assertions in words, and reviews."""
    for number, each in enumerate(as_list(reward.get("nl_assertions"))):
        given = mapping(each)
        data = {key: given[key] for key in ("nl_assertion", "met") if key in given}
        reason = text_of(given.get("justification"))
        yield Opinion(GRADER, f"nl_assertions/{number}", 0, None, "assistant", reason, data)
    for key in ("review", "user_only_review"):
        if review := value.get(key):
            data = dict(review) if isinstance(review, Mapping) else {"review": review}
            yield Opinion("tau2 (review)", key, 0, None, "", text_of(data.get("summary")), data)

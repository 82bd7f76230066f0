"""Reads trajectories of SWE-agent: what it thought, what it ran, what it saw, and the state after.

Older files and demonstrations only have the conversation. That it was submitted is what the
framework says; whether the task was solved is in no trajectory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from traces.formats.base import Document, Json, ParsedRun, Reading, Refusal, Sample, Unreadable
from traces.formats.chat.reading import opened
from traces.formats.chat.words import as_list, text_of, without
from traces.formats.records.loose import digest, mapping
from traces.formats.steps.building import Builder
from traces.formats.steps.unsayable import unsayable_but
from traces.formats.swe_agent.turns import Turns
from traces.transcript import ActorKind, Gap, Opinion, Report, Transcript

Object = Mapping[str, Json]
NOT_IN_SCHEMA = unsayable_but(
    *("reports", "attempt", "initial_state", "steps/parts/state", "system/configuration"),
    more=("outcome", "failures", "steps/handoff_from"),
)
NO_RUN = "This is no trajectory of SWE-agent: it has no list trajectory or history."


class SweAgent:
    name = "swe_agent"
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects[:1]:
            if is_run(item) and item.keys() & {"trajectory", "info"}:
                return "keys history and trajectory or info"
            history = item.get("history")
            first = mapping(history[0]) if isinstance(history, list) and history else {}
            if "message_type" in first and "role" in first:
                return "key history, with a message_type"
            if any(is_run(mapping(each)) for each in as_list(item.get("attempts"))):
                return "key attempts, with a history each"
        return None

    def read(self, document: Document) -> Reading:
        runs: list[ParsedRun] = []
        refusals: list[Refusal] = []
        for pointer, value, gaps in document.values():
            for path, number, run in attempts(value):
                if is_run(run):
                    read = transcript(run, gaps, number)
                    runs.append(ParsedRun(read, f"{pointer}{path}"))
                else:
                    refusals.append(Refusal(f"{pointer}{path}" or "/", NO_RUN))
        if not any(run.transcript.steps for run in runs):
            raise Unreadable("There are no steps here.")
        return Reading(tuple(runs), tuple(refusals))


FORMAT = SweAgent()


def is_run(value: Json) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("history"), list)


def attempts(value: Json) -> Iterator[tuple[str, int | None, Any]]:
    """A run, or the attempts of one that was tried several times."""
    tries = value.get("attempts") if isinstance(value, Mapping) else None
    if isinstance(tries, list) and tries:
        for index, each in enumerate(tries):
            yield f"/attempts/{index}", index + 1, each
    else:
        yield "", None, value


def transcript(value: Object, gaps: tuple[Gap, ...], attempt: int | None) -> Transcript:
    builder = Builder()
    turns = Turns(builder)
    turns.read(value)
    info = mapping(value.get("info"))
    for opinion in opinions(info):
        builder.opinion(opinion)
    for name in without(info, "exit_status", "review", "submission", "model_stats"):
        builder.unread[f"info.{name}"] += 1
    config = mapping(opened(value.get("replay_config")))
    problem = mapping(config.get("problem_statement"))
    system = system_of(config, value)
    for actor in list(builder.actors.values()) if "models" in system else ():
        if actor.kind is ActorKind.AGENT:
            builder.actor(actor.key, model=system["models"]["agent"])
    run = Transcript(
        external_id=f"swe_agent-{digest([value['history'], value.get('trajectory')])}",
        source="SWE-agent",
        schema="swe_agent",
        actors=(),
        steps=(),
        gaps=gaps,
        reports=reports(info),
        task_id=text_of(problem.get("id")),
        task_text=text_of(problem.get("text")) or turns.task,
        system=system,
        initial_state=initial_state(config),
        attempt=attempt,
        withheld=without({"submission": info.get("submission")}),
        capture=NOT_IN_SCHEMA,
    )
    return builder.transcript(run)


def reports(info: Object) -> tuple[Report, ...]:
    status = text_of(info.get("exit_status"))
    return (Report(status, "framework"),) if status else ()


def opinions(info: Object) -> Iterator[Opinion]:
    """What a reviewer among the agents made of an attempt."""
    for key in ("review", "chooser"):
        if review := info.get(key):
            data = dict(review) if isinstance(review, Mapping) else {"review": review}
            yield Opinion("SWE-agent (reviewer)", key, 0, None, "", "", data)


def system_of(config: Object, value: Object) -> dict[str, Json]:
    agent = mapping(config.get("agent"))
    model = text_of(mapping(agent.get("model")).get("name"))
    tools = [text_of(mapping(each).get("path")) for each in bundles(agent)]
    return without(
        {
            "models": {"agent": model} if model else {},
            "environment": value.get("environment"),
            "tools": [tool for tool in tools if tool],
        }
    )


def bundles(agent: Object) -> list[Json]:
    return list(as_list(mapping(agent.get("tools")).get("bundles")))


def initial_state(config: Object) -> dict[str, Json]:
    """The commit that the work began from, in the image it was done in."""
    environment = mapping(config.get("env"))
    commit = text_of(mapping(environment.get("repo")).get("base_commit"))
    image = text_of(mapping(environment.get("deployment")).get("image"))
    return without({"reference": commit, "image": image})

"""Reads ATIF, the trajectories that Harbor and others write, of versions 1.0 to 1.7.

A trajectory alone is a run. In a bundle, a trajectory, what continues it and the subagents it
refers to are one run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from traces.completeness import listed
from traces.formats.atif.steps import Story, Trajectory, names
from traces.formats.base import (
    Document,
    Json,
    ParsedRun,
    Reading,
    Recognised,
    Refusal,
    Sample,
    Unreadable,
)
from traces.formats.records import loose
from traces.formats.steps.building import Builder
from traces.formats.steps.tasks import first_words
from traces.formats.steps.unsayable import unsayable_but
from traces.transcript import Gap, Transcript

NAME = "atif"
CAPTURE = unsayable_but(
    "actors/parent",
    "started_at",
    "ended_at",
    "system/name",
    "system/version",
    "system/configuration",
    "steps/started_at",
    "steps/spawned_by",
    "steps/joins",
    more=("task/id", "outcome", "failures", "steps/status", "steps/handoff_from"),
)
NO_TRAJECTORY = "This is no ATIF trajectory: it has no list steps."


class Atif:
    name = NAME
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            if is_atif(item):
                return 'key schema_version, which begins "ATIF"'
        return None

    def read(self, document: Document) -> Reading:
        runs, refusals = [], []
        for pointer, value, gaps in document.values():
            try:
                runs.append(ParsedRun(read_run(Trajectory(checked(value)), gaps), pointer))
            except Unreadable as error:
                refusals.append(Refusal.of(error, pointer or "/"))
        return Reading(tuple(runs), tuple(refusals))


class AtifFiles:
    """Joins a trajectory with the files that it refers to."""

    name = NAME
    version = Atif.version

    def claims(self, documents: Sequence[Recognised]) -> Iterator[tuple[int, ...]]:
        files = trajectories(documents)
        index_of = {each.document.name: index for index, each in enumerate(documents)}
        below = {name: list(referred(each, files)) for name, each in files.items()}
        inner = {name for found in below.values() for name in found}
        for name in files:
            group = closure(name, below)
            if name not in inner and len(group) > 1:
                yield tuple(index_of[each] for each in group)

    def read(self, documents: Sequence[Recognised]) -> Reading:
        main = documents[0].document
        gaps = tuple(gap for each in documents for gap in loose.reading_gaps(each.document))
        return Reading((ParsedRun(read_files(documents, gaps), main.name),))


FORMAT = Atif()
JOINER = AtifFiles()


def is_atif(value: Json) -> bool:
    version = loose.mapping(value).get("schema_version")
    return isinstance(version, str) and version.startswith("ATIF")


def checked(value: Json) -> Mapping[str, Json]:
    if not isinstance(value, Mapping) or not isinstance(value.get("steps"), list):
        raise Unreadable(NO_TRAJECTORY)
    return value


def trajectories(documents: Sequence[Recognised]) -> dict[str, Trajectory]:
    """The trajectories among these, each with the pointer of its steps from its own file on."""
    return {
        each.document.name: Trajectory(value, f"{each.document.name}: ", each.document.name)
        for each in documents
        if each.format == NAME and each.document.records
        if isinstance(value := each.document.records[0].value, Mapping)
    }


def referred(trajectory: Trajectory, files: Mapping[str, Trajectory]) -> Iterator[str]:
    """The files that a trajectory, or one inside it, names and that are here."""
    value = trajectory.value
    paths = [loose.text(value.get("continued_trajectory_ref"))]
    for step in loose.objects(value.get("steps")):
        for result in loose.objects(loose.at(step, "observation", "results")):
            refs = loose.objects(result.get("subagent_trajectory_ref"))
            paths.extend(loose.text(ref.get("trajectory_path")) for ref in refs)
    for path in paths:
        yield from [name for name in names(trajectory.file, path) if name in files][:1]
    for inner in loose.objects(value.get("subagent_trajectories")):
        yield from referred(replace(trajectory, value=inner), files)


def closure(name: str, below: Mapping[str, list[str]]) -> list[str]:
    """The name and all that is reached from it, each once, in the order it is met."""
    met, waiting = [name], [name]
    while waiting:
        for each in below[waiting.pop(0)]:
            if each not in met:
                met.append(each)
                waiting.append(each)
    return met


def read_files(
    documents: Sequence[Recognised], gaps: tuple[Gap, ...], *, prefixed: bool = False
) -> Transcript:
    """One run of trajectories in several files, the main one first.

    The pointers of its steps begin with its name too if that is not the run's own place.
    """
    main = documents[0].document
    files = trajectories(documents)
    if main.name not in files:
        raise Unreadable(NO_TRAJECTORY)
    checked(files[main.name].value)
    first = files[main.name] if prefixed else replace(files[main.name], prefix="")
    return read_run(first, gaps, files)


def read_run(
    trajectory: Trajectory, gaps: tuple[Gap, ...], files: Mapping[str, Trajectory] | None = None
) -> Transcript:
    value = trajectory.value
    builder = Builder()
    story = Story(builder, files or {})
    story.tell(trajectory)
    note_rest(story, trajectory)
    timed = any(draft.started_at for draft in builder.drafts.values())
    times = {} if timed else {"steps/started_at": "not_captured"}
    return builder.transcript(
        Transcript(
            external_id=identity(trajectory),
            source=NAME,
            schema=loose.text(value.get("schema_version")),
            actors=(),
            steps=(),
            gaps=gaps,
            task_text=first_words(builder),
            system=system(value),
            capture=CAPTURE | times,
        )
    )


def note_rest(story: Story, trajectory: Trajectory) -> None:
    """What no step holds: references to nowhere, numbers out of turn, sums."""
    builder, value = story.builder, trajectory.value
    if story.missing:
        where = listed(list(dict.fromkeys(story.missing)))
        builder.gap("missing_parent", f"Trajectories that are referred to and not here: {where}.")
    numbers = [loose.mapping(step).get("step_id") for _, step in trajectory.steps()]
    if numbers != list(range(1, len(numbers) + 1)):
        builder.gap("sequence_hole", "The numbers of the steps are not 1, 2, 3 and so on.")
    for key in ("final_metrics", "notes", "extra"):
        if value.get(key):
            builder.unread[key] += 1


def identity(trajectory: Trajectory) -> str:
    """The trajectory's id; a continuation that came alone is told from what it continues."""
    part = loose.number(loose.at(trajectory.value, "agent", "extra", "continuation_index"))
    name = trajectory.id or f"atif-{loose.digest(trajectory.value)}"
    alone = part and not trajectory.value.get("trajectory_id")
    return f"{name}/continuation-{part}" if alone else name


def system(value: Mapping[str, Json]) -> dict[str, Json]:
    agent = loose.mapping(value.get("agent"))
    found = {
        "name": agent.get("name"),
        "version": agent.get("version"),
        "models": {str(agent.get("name")): agent["model_name"]} if agent.get("model_name") else {},
        "configuration": {
            key: agent[key] for key in ("tool_definitions", "extra") if agent.get(key)
        },
    }
    return {key: value for key, value in found.items() if value}

"""What trials of benchmarks have in common: a folder, an agent's story, and tests at the end.

The agent's claim, what the framework says and what the verifier found are told apart, each with
its speaker; nobody's word is taken for another's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from traces.completeness import listed
from traces.facts import fact_lines, with_facts
from traces.formats import atif, registry
from traces.formats.base import Document, Json, ParsedRun, Reading, Recognised, Refusal, Unreadable
from traces.formats.records import loose
from traces.transcript import (
    Actor,
    ActorKind,
    Fate,
    Gap,
    Link,
    LinkKind,
    Part,
    PartKind,
    RawRecord,
    Report,
    Step,
    StepKind,
    Transcript,
)

AFTER_THE_RUN = "checked after the run"
SAID_BY_OTHER = "told by the trajectory of the same trial"
RunOf = Callable[[Json, "Trial"], Transcript]
PASSED, FAILED, SKIPPED, OPEN = "passed", "failed", "skipped", "inconclusive"


@dataclass(frozen=True, slots=True)
class Trial:
    """The files of a trial: the main one, and the others by what they are called within it."""

    main: Recognised
    files: Mapping[str, Recognised]

    def value(self, name: str) -> Json:
        """The JSON in a file, if there is one."""
        found = self.files.get(name)
        return found.document.records[0].value if found and found.document.records else None

    def text(self, name: str) -> str:
        found = self.files.get(name)
        return found.document.content.decode("utf-8", "replace").strip() if found else ""

    def pointer(self, name: str) -> str:
        return self.files[name].document.name if name in self.files else ""

    def below(self, *folders: str) -> list[tuple[str, Recognised]]:
        return [(name, each) for name, each in self.files.items() if name.startswith(folders)]


def read_alone(
    document: Document, results: Iterable[tuple[str, Json, tuple[Gap, ...]]], run_of: RunOf
) -> Reading:
    """A run for each result that came without the folder of its trial."""
    runs, refusals = [], []
    alone = Trial(Recognised(document, "", ""), {})
    for pointer, value, gaps in results:
        try:
            runs.append(ParsedRun(replace(run_of(value, alone), gaps=gaps), pointer))
        except Unreadable as error:
            refusals.append(Refusal.of(error, pointer or "/"))
    return Reading(tuple(runs), tuple(refusals))


def read_folder(documents: Sequence[Recognised], main_name: str, run_of: RunOf) -> Reading:
    """The run of a whole folder, with what befell its main file."""
    trial = trial_of(documents, main_name)
    document = trial.main.document
    run = run_of(document.records[0].value, trial)
    gaps = (*run.gaps, *loose.reading_gaps(document))
    return Reading((ParsedRun(replace(run, gaps=gaps), document.name),))


def trial_of(documents: Sequence[Recognised], main_name: str) -> Trial:
    """Names are told from the folder of the main file on; `__` may stand for a slash."""
    begin = documents[0].document.name.removesuffix(main_name)
    files = {
        each.document.name.removeprefix(begin).replace("__", "/"): each for each in documents[1:]
    }
    return Trial(documents[0], files)


def groups(
    documents: Sequence[Recognised], format_: str, main_name: str, belongs: Iterable[str]
) -> Iterator[tuple[int, ...]]:
    """Each main file of a format with the files of its folder that belong to a trial."""
    starts = tuple(belongs)
    for index, each in enumerate(documents):
        name = each.document.name
        if each.format != format_ or not name.endswith(main_name):
            continue
        begin = name.removesuffix(main_name)
        others = [
            other
            for other, document in enumerate(documents)
            if other != index
            and document.document.name.startswith(begin)
            and inside(document.document.name.removeprefix(begin)).startswith(starts)
        ]
        yield (index, *others)


def inside(name: str) -> str:
    return name.replace("__", "/")


def story(trial: Trial, *folders: str) -> tuple[Transcript, tuple[RawRecord, ...]]:
    """What the agent did: by its trajectory, else by its own log; and records told only once."""
    given = trial.below(*folders)
    trajectories = [each for _, each in given if each.format == atif.NAME]
    logs = [each for _, each in given if each.format and each.format != atif.NAME]
    logs = [each for each in logs if each.format not in ("native", "whowhen")]
    told: Transcript | None = None
    if trajectories:
        ordered = main_first(trajectories)
        told = atif.read_files(ordered, tuple(gaps_of(ordered)), prefixed=True)
        told = with_others(told, {each.document.name for each in ordered}, trajectories)
    for log in list(logs):
        found = told_by(log)
        if told is None and found is not None and found.steps:
            told = prefixed(found, log.document.name)
            logs.remove(log)
        elif told is not None and found is not None:
            # Its steps are not those of the trajectory.
            own = (replace(report, step=None) for report in found.reports)
            told = replace(told, reports=(*told.reports, *own))
    records = tuple(record for log in logs for record in folded(log))
    return told or Transcript("", "", (), ()), records


def main_first(trajectories: Sequence[Recognised]) -> list[Recognised]:
    """The trajectory that refers to the others, or else the one with the shortest name."""
    main = next(iter(atif.JOINER.claims(trajectories)), None)
    if main:
        return [trajectories[index] for index in main]
    return [min(trajectories, key=lambda each: len(each.document.name))]


def with_others(
    told: Transcript, known: set[str], trajectories: Sequence[Recognised]
) -> Transcript:
    """The story, and a word about trajectories that the one which is told does not name."""
    others = [each.document.name for each in trajectories if each.document.name not in known]
    if not others:
        return told
    gap = Gap("kept_in_raw_only", f"Trajectories that nothing refers to: {listed(others)}.")
    records = tuple(RawRecord(name, Fate.UNMAPPED, "another trajectory") for name in others)
    return replace(told, gaps=(*told.gaps, gap), records=(*told.records, *records))


def gaps_of(documents: Sequence[Recognised]) -> Iterator[Gap]:
    for each in documents:
        yield from loose.reading_gaps(each.document)


def told_by(log: Recognised) -> Transcript | None:
    try:
        runs = registry.named(log.format).read(log.document).runs
    except Unreadable:
        return None
    return runs[0].transcript if runs else None


def prefixed(transcript: Transcript, name: str) -> Transcript:
    """The transcript with pointers that begin with the name of its file."""
    steps = tuple(
        replace(
            step,
            pointer=f"{name}: {step.pointer}",
            also_from=tuple(f"{name}: {each}" for each in step.also_from),
        )
        for step in transcript.steps
    )
    records = tuple(replace(each, pointer=f"{name}: {each.pointer}") for each in transcript.records)
    return replace(transcript, steps=steps, records=records)


def folded(log: Recognised) -> Iterator[RawRecord]:
    """The records of a log that says the same as the trajectory: they can still be reached."""
    for record in log.document.records:
        yield RawRecord(
            f"{log.document.name}: {record.position or '/'}", Fate.FOLDED, SAID_BY_OTHER
        )


def with_checks(
    told: Transcript, parts: Sequence[Part], pointers: Sequence[str], **more: Json
) -> Transcript:
    """The story with one step behind it, in which the verifier says what it found."""
    if not parts:
        return told
    number = len(told.steps)
    step = Step(
        number,
        "verifier",
        "verifier",
        StepKind.VERIFICATION,
        tuple(parts),
        pointer=pointers[0],
        also_from=tuple(pointers[1:]),
        **more,
    )
    last = [Link(number - 1, number, LinkKind.FOLLOWS, AFTER_THE_RUN)] if number else []
    verifier = Actor("verifier", "verifier", ActorKind.EVALUATOR)
    return replace(
        told,
        actors=(*told.actors, verifier),
        steps=(*told.steps, step),
        links=(*told.links, *last),
    )


def check(name: str, verdict: str, text: str = "", observed: str = "") -> Part:
    data = {"check": name, "verdict": verdict, "observed": observed}
    data = {key: value for key, value in data.items() if value}
    return Part(PartKind.VERIFICATION, with_facts(text, fact_lines(data)), data)


def claims(told: Transcript) -> Iterator[Report]:
    """What the agent's own program says, or else its last words."""
    own = [replace(report, by="agent") for report in told.reports]
    yield from own
    agents = {actor.key for actor in told.actors if actor.kind is ActorKind.AGENT}
    last = next((step for step in reversed(told.steps) if step.actor in agents), None)
    if last and not own:
        yield Report("completed", by="agent", step=last.number, detail=last.text[:400])


def unclaimed(trial: Trial, known: Iterable[str]) -> Iterator[RawRecord]:
    """Files of the trial that no step holds: they stay reachable as what stood around it."""
    for name in sorted(trial.files.keys() - set(known)):
        yield RawRecord(trial.files[name].document.name, Fate.CONTEXT, name[:200])

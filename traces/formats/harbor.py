"""Reads trials of Harbor: the folder as one run, from its task to the verdict of each test.

The agent's trajectory is told if there is one, else its own log; the other stays reachable. A
`result.json` alone is a run of which only the end is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

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
from traces.formats.steps.unsayable import unsayable_but
from traces.transcript import Fate, Outcome, Part, RawRecord, Report, Transcript

NAME = "harbor"
RESULT = "result.json"
CTRF, STDOUT = "verifier/ctrf.json", "verifier/test-stdout.txt"
BELONGS = (
    "agent/",
    "verifier/",
    "artifacts/",
    "config.json",
    "trial.log",
    "exception.txt",
    "job.log",
)
CAPTURE = unsayable_but(
    *("started_at", "ended_at", "reports", "initial_state", "actors/parent", "recorder"),
    *("system/name", "system/version", "system/configuration", "steps/parts/verification"),
    *("steps/started_at", "steps/spawned_by", "steps/joins"),
)
NO_TRIAL = "This is no result of a Harbor trial: it has no trial_name."


class Harbor:
    name = NAME
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            if "trial_name" in item and ("verifier_result" in item or "agent_info" in item):
                return "keys trial_name and verifier_result"
        return None

    def read(self, document: Document) -> Reading:
        return trials.read_alone(document, document.values(), run_of)


class HarborTrial:
    """Joins the result of a trial with the other files in its folder."""

    name = NAME
    version = Harbor.version

    def claims(self, documents: Sequence[Recognised]) -> Iterator[tuple[int, ...]]:
        return trials.groups(documents, NAME, RESULT, BELONGS)

    def read(self, documents: Sequence[Recognised]) -> Reading:
        return trials.read_folder(documents, RESULT, run_of)


FORMAT = Harbor()
JOINER = HarborTrial()


def checked(value: Json) -> Object:
    result = loose.mapping(value)
    if not loose.text(result.get("trial_name")):
        raise Unreadable(NO_TRIAL)
    return result


def run_of(value: Json, trial: Trial) -> Transcript:
    result = checked(value)
    told, records = trials.story(trial, "agent/")
    claims = tuple(trials.claims(told))
    parts, pointers = tuple(tests(trial)), tuple(filter(None, map(trial.pointer, (CTRF, STDOUT))))
    rewarded = tuple(rewards(result))
    # Tests that failed say what a bad reward only sums up.
    told = trials.with_checks(
        told,
        parts if any(map(is_failed, parts)) else (*parts, *rewarded),
        ("/verifier_result", *pointers),
        started_at=moment(loose.at(result, "verifier", "started_at")),
        ended_at=moment(loose.at(result, "verifier", "finished_at")),
    )
    used = {name for name, _ in trial.below("agent/")} | {CTRF, STDOUT}
    read = {step.pointer.split(": ")[0] for step in told.steps}
    unread = [
        RawRecord(each.document.name, Fate.CONTEXT, name)
        for name, each in trial.below("agent/")
        if not each.document.records and each.document.name not in read
    ]
    return replace(
        told,
        external_id=loose.name(result.get("id")) or loose.text(result.get("trial_name")),
        source=NAME,
        schema=NAME,
        reports=(*claims, *spoken(result, rewarded)),
        outcome=outcome(result),
        task_id=loose.text(result.get("task_name")),
        system=system(result),
        initial_state=initial_state(result),
        started_at=moment(result.get("started_at")),
        ended_at=moment(result.get("finished_at")),
        recorder={"name": NAME},
        records=(*told.records, *records, *unread, *trials.unclaimed(trial, used)),
        capture=CAPTURE,
    )


def tests(trial: Trial) -> Iterator[Part]:
    """A part for each test of the report; without a report, what the tests printed."""
    listed = loose.objects(loose.at(trial.value(CTRF), "results", "tests"))
    for test in listed:
        name = loose.text(test.get("name")) or "test"
        verdict = VERDICTS.get(loose.text(test.get("status")), trials.OPEN)
        said = loose.text(test.get("trace")) or loose.text(test.get("message"))
        yield trials.check(name, verdict, said)
    if not listed and trial.text(STDOUT):
        yield trials.check("tests", trials.OPEN, trial.text(STDOUT))


VERDICTS = {"passed": trials.PASSED, "failed": trials.FAILED, "skipped": trials.SKIPPED}


def given_rewards(result: Object) -> dict[str, float]:
    given = loose.mapping(loose.at(result, "verifier_result", "rewards"))
    single = loose.at(result, "verifier_result", "reward")
    found = given or ({"reward": single} if single is not None else {})
    return {
        name: float(value)
        for name, value in found.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }


def rewards(result: Object) -> Iterator[Part]:
    for name, value in given_rewards(result).items():
        yield trials.check(name, verdict_of(value), observed=f"{value:g}")


def verdict_of(reward: float) -> str:
    """All or nothing is a verdict; anything between is not for a reader to decide."""
    if reward >= 1:
        return trials.PASSED
    return trials.FAILED if reward <= 0 else trials.OPEN


def is_failed(part: Part) -> bool:
    return str(part.data["verdict"]) == trials.FAILED


def spoken(result: Object, rewarded: Sequence[Part]) -> Iterator[Report]:
    """What the framework and the verifier say, each for itself."""
    error = loose.mapping(result.get("exception_info"))
    if error:
        kind = loose.text(error.get("exception_type")) or "exception"
        said = loose.text(error.get("exception_message"))
        yield Report(kind, by="framework", at=moment(error.get("occurred_at")), detail=said)
    elif result.get("finished_at"):
        yield Report("completed", by="framework", at=moment(result["finished_at"]))
    for part in rewarded:
        detail = f"{part.data['check']} {part.data['observed']}"
        yield Report(str(part.data["verdict"]), by="verifier", detail=detail)


def outcome(result: Object) -> Outcome:
    verdicts = {verdict_of(value) for value in given_rewards(result).values()}
    if trials.FAILED in verdicts or (not verdicts and result.get("exception_info")):
        return Outcome.FAILED
    return Outcome.SUCCEEDED if verdicts == {trials.PASSED} else Outcome.UNKNOWN


def system(result: Object) -> dict[str, object]:
    agent = loose.mapping(result.get("agent_info"))
    model = loose.mapping(agent.get("model_info"))
    name = loose.text(agent.get("name"))
    called = loose.text(model.get("name")) or loose.text(
        loose.at(result, "config", "agent", "model_name")
    )
    found: dict[str, object] = {
        "name": name,
        "version": loose.text(agent.get("version")),
        "models": {name: called} if name and called else {},
        "configuration": loose.mapping(result.get("config")),
    }
    return {key: value for key, value in found.items() if value}


def initial_state(result: Object) -> dict[str, str]:
    """The task as it was checked out, and its digest."""
    task = result.get("task_id")
    where = [loose.text(loose.at(task, key)) for key in ("git_url", "git_commit_id", "path")]
    url, commit, path = where
    reference = f"{url}@{commit}#{path}" if url and commit else path
    found = {"reference": reference, "digest": loose.text(result.get("task_checksum"))}
    return {key: value for key, value in found.items() if value}

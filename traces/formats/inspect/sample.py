"""One sample of an Inspect log as a run: what it started from, its events, its scores, its end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from traces.completeness import listed
from traces.formats.base import Json, Unreadable
from traces.formats.chat.single import message
from traces.formats.inspect import scores
from traces.formats.inspect.bare import named
from traces.formats.inspect.events import Events
from traces.formats.inspect.refs import attachments_of, events_of, pool_of
from traces.formats.inspect.run import Run
from traces.formats.inspect.spans import NOBODY, Spans
from traces.formats.inspect.talk import spoken
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.records.times import moment
from traces.formats.steps.building import Builder
from traces.formats.steps.conversation import Conversation, Place
from traces.transcript import Gap, Outcome, Report, Transcript

NAME = "inspect"
NO_SAMPLE = "This is no sample of an Inspect log: it has no id."
CAPTURE = dict.fromkeys(
    ("failures", "actors/authority", "actors/replaces", "steps/recorded_at", "steps/parts/claims"),
    "not_in_schema",
)
# Of a sample: what has a place of its own, and the answers that nobody may see before signing.
WITHHELD = ("target", "metadata", "choices", "expected", "description")
COUNTED = ("model_usage", "role_usage", "total_time", "working_time", "store", "turn_count")


@dataclass(frozen=True, slots=True)
class Log:
    """What the header of a log says of all its samples."""

    header: Object
    gaps: tuple[Gap, ...] = ()

    def of_eval(self, *path: str) -> Json:
        return loose.at(self.header, "eval", *path)


def read_sample(sample: Json, log: Log, prefix: str = "") -> Transcript:
    """The run. `prefix` stands before its pointers."""
    own = named(sample)
    if not own:
        raise Unreadable(NO_SAMPLE)
    builder = Builder()
    run = Run(builder, attachments_of(sample), pool_of(sample), Spans(builder))
    events = [(f"{prefix}{pointer}", event) for pointer, event in events_of(sample)]
    reader = Events(run)
    reader.read(events)
    if not builder.drafts:
        talk(run, sample, prefix)
    judged = scores.told(reader, sample, prefix, max(len(events), 1_000_000))
    if run.attachments.missing:
        lost = listed(sorted(run.attachments.missing))
        builder.gap("damaged", f"Texts that are referred to and not here: {lost}.")
    for each in COUNTED:
        if sample.get(each):
            builder.unread[each] += 1
    for report in reports(sample, log):
        builder.report(report)
    return builder.transcript(header(sample, log, judged.outcome, own), follows="")


def talk(run: Run, sample: Object, prefix: str) -> None:
    """Old logs have no events: what is left is the conversation."""
    thread = Conversation(run.builder, NOBODY)
    for index, value in enumerate(loose.objects(sample.get("messages"))):
        whole = run.attachments.whole(value)
        error = loose.mapping(whole.get("error"))
        if error and whole.get("role") == "tool":
            said = filter(
                None, (loose.shown(whole.get("content")), loose.text(error.get("message")))
            )
            whole = {**whole, "content": "\n".join(said), "is_error": True}
        place = Place(f"message-{index}", (index, 1), f"{prefix}/messages/{index}")
        thread.say(spoken(whole), place)
    thread.note_reused()


def header(sample: Object, log: Log, outcome: Outcome, own: str) -> Transcript:
    run_id = loose.name(log.of_eval("run_id")) or loose.name(log.of_eval("eval_id"))
    ident, epoch = loose.name(sample.get("id")), loose.number(sample.get("epoch"))
    name = loose.name(sample.get("uuid")) or own
    began, ended = moment(sample.get("started_at")), moment(sample.get("completed_at"))
    failed = bool(sample.get("error"))
    return Transcript(
        external_id=f"{run_id}/{name}" if run_id else name,
        source=NAME,
        schema=f"inspect/{loose.name(log.header.get('version')) or '?'}",
        actors=(),
        steps=(),
        gaps=log.gaps,
        outcome=Outcome.FAILED if failed else outcome,
        task_id="/".join(filter(None, (loose.name(log.of_eval("task")), ident))),
        task_text=task_text(sample),
        system=system(log),
        initial_state=initial_state(sample, log),
        started_at=began,
        ended_at=ended,
        recorder={"name": "inspect_ai", **version(log)},
        attempt=epoch if epoch and epoch > 0 else None,
        attempt_reason=f"epoch {epoch}" if epoch and epoch > 1 else "",
        withheld={key: sample[key] for key in WITHHELD if sample.get(key)},
        capture=CAPTURE,
    )


def task_text(sample: Object) -> str:
    given = attachments_of(sample).whole(sample.get("input"))
    if isinstance(given, str):
        return given
    said = [message(each) for each in loose.objects(given)]
    return next((each.text for each in said if each.role == "user"), "")


def version(log: Log) -> dict[str, str]:
    found = loose.text(log.of_eval("packages", "inspect_ai"))
    return {"version": found} if found else {}


def system(log: Log) -> dict[str, Json]:
    configuration = {
        key: log.of_eval(key)
        for key in ("model_generate_config", "model_args", "task_args", "config", "packages")
        if log.of_eval(key)
    }
    solvers = [
        loose.text(each.get("solver"))
        for each in loose.objects(loose.at(log.header, "plan", "steps"))
    ]
    if solvers:
        configuration["solvers"] = solvers
    model = loose.text(log.of_eval("model"))
    found: dict[str, Json] = {
        "name": loose.text(log.of_eval("task")) or NAME,
        "version": loose.name(log.of_eval("task_version")),
        "models": {"default": model} if model else {},
        "configuration": configuration,
    }
    return {key: value for key, value in found.items() if value}


def initial_state(sample: Object, log: Log) -> dict[str, Json]:
    """The commit the task was run from, and what was put into the sandbox."""
    origin = loose.text(log.of_eval("revision", "origin"))
    commit = loose.text(log.of_eval("revision", "commit"))
    found: dict[str, Json] = {"reference": f"git:{origin}@{commit}" if commit else ""}
    found["files"] = [str(each) for each in loose.items(sample.get("files"))]
    for key in ("setup", "sandbox"):
        found[key] = loose.shown(sample.get(key))
    return {key: value for key, value in found.items() if value}


def reports(sample: Object, log: Log) -> Iterator[Report]:
    """What the harness says: that the evaluation ran is not that the task was done."""
    status = loose.text(log.header.get("status"))
    if status:
        yield Report(status, by="harness", detail="status of the evaluation, not of the task")
    error = loose.mapping(sample.get("error"))
    if error:
        yield Report("error", by="harness", detail=loose.text(error.get("message"))[:1000])
    limit = loose.mapping(sample.get("limit"))
    if limit:
        yield Report(f"{loose.text(limit.get('type'))} limit", by="harness")
    for number, retried in enumerate(loose.objects(sample.get("error_retries")), start=1):
        said = loose.text(retried.get("message"))[:1000]
        yield Report("error", by="harness", detail=f"attempt {number} before this one: {said}")

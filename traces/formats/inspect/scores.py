"""The scores of a sample of Inspect: what a program checked, and what a model or nobody knows who
judged.

A log rarely says which is which. A scorer that asked a model while it scored, or whose name says
that it does, gives opinions. One whose own span shows no such question, or that compares texts
as those of Inspect itself do, gives checks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from traces.facts import fact_lines, with_facts
from traces.formats.base import Json
from traces.formats.inspect.events import Events, Score
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.records.times import moment
from traces.formats.steps.building import Draft
from traces.transcript import ActorKind, Opinion, Outcome, Part, PartKind, StepKind

COMPARING = frozenset({"match", "includes", "exact", "pattern", "answer", "choice", "f1", "math"})
JUDGING = re.compile(r"model_graded|judge|grader|graded|rubric|critic|opinion|human", re.IGNORECASE)
PASSED = frozenset({"C", "CORRECT"})
FAILED = frozenset({"I", "INCORRECT", "N"})


@dataclass(frozen=True, slots=True)
class Scores:
    """The verdicts of checks, for the outcome."""

    verdicts: tuple[str, ...]

    @property
    def outcome(self) -> Outcome:
        if "failed" in self.verdicts:
            return Outcome.FAILED
        return Outcome.SUCCEEDED if set(self.verdicts) == {"passed"} else Outcome.UNKNOWN


def told(events: Events, sample: Object, prefix: str, last: int) -> Scores:
    """Add checks as steps and judgements as opinions; what an event said is not said again."""
    verdicts = []
    for number, score in enumerate(all_scores(events, sample, prefix)):
        given = loose.mapping(score.event.get("score"))
        if is_judged(score, events):
            events.run.builder.opinion(opinion(score, given))
            continue
        verdict = verdict_of(given.get("value"))
        verdicts.append(verdict)
        check(events, score, given, verdict, (last + number, 1))
    return Scores(tuple(verdicts))


def all_scores(events: Events, sample: Object, prefix: str) -> Iterator[Score]:
    """Scores of events, then those of the sample that no event gave; the last of a name counts."""
    final = {score.scorer: score for score in events.scores}
    listed = loose.mapping(sample.get("scores"))
    unnamed = final.pop("", None)
    if unnamed and len(listed) == 1:
        final.setdefault(next(iter(listed)), unnamed)
    elif unnamed and not listed:
        final["score"] = unnamed
    for name, value in listed.items():
        edited = final.get(name)
        if edited is None or loose.mapping(edited.event.get("score")).get("value") != value_of(
            value
        ):
            event = {"score": value if isinstance(value, dict) else {"value": value}}
            final[name] = Score(name, event, f"{prefix}/scores/{name}")
    if not listed and sample.get("score") is not None:
        final.setdefault("score", Score("score", {"score": sample["score"]}, f"{prefix}/score"))
    for name, score in final.items():
        yield Score(name, score.event, score.pointer)


def value_of(score: Json) -> Json:
    return score.get("value") if isinstance(score, dict) else score


def is_judged(score: Score, events: Events) -> bool:
    name = score.scorer.rsplit("/", 1)[-1]
    if score.scorer in events.judges or JUDGING.search(name):
        return True
    return not (name in COMPARING or score.scorer in events.computed)


def verdict_of(value: Json) -> str:
    """All or nothing is a verdict; anything between is not for a reader to decide."""
    word = str(value).upper() if isinstance(value, str | bool) else ""
    number = float(value) if isinstance(value, int | float) else None
    if word in PASSED or number == 1 or word == "TRUE":
        return "passed"
    if word in FAILED or number == 0 or word == "FALSE":
        return "failed"
    return "inconclusive"


def check(
    events: Events, score: Score, given: Object, verdict: str, order: tuple[int, int]
) -> None:
    builder = events.run.builder
    said = loose.shown(events.run.attachments.whole(given.get("explanation")))
    observed = loose.shown(events.run.attachments.whole(given.get("answer")))
    data = {"check": score.scorer, "verdict": verdict, "observed": observed[:400]}
    if verdict == "inconclusive":
        data["value"] = loose.shown(given.get("value"))[:400]
    data = {key: value for key, value in data.items() if value}
    part = Part(PartKind.VERIFICATION, with_facts(said, fact_lines(data)), data)
    name = builder.actor(f"scorer {score.scorer}", ActorKind.EVALUATOR, role=score.scorer)
    at = moment(score.event.get("timestamp"))
    builder.add(
        Draft(
            f"score-{score.scorer}",
            name,
            StepKind.VERIFICATION,
            [part],
            order,
            score.pointer,
            started_at=at,
        )
    )


def opinion(score: Score, given: Object) -> Opinion:
    data = {
        key: given[key] for key in ("value", "answer", "metadata") if given.get(key) is not None
    }
    reason = loose.shown(given.get("explanation"))
    return Opinion(f"Inspect scorer {score.scorer}", "", 0, None, "", reason, data)

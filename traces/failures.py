"""What "failed" means for a run, when its file does not say it itself.

A failure is made only for a run that is recorded as failed, and only from what its record
shows. A run of unknown outcome has none.
"""

from __future__ import annotations

import re
from dataclasses import replace

from traces.checking import Check, last_verdicts
from traces.transcript import Failure, Outcome, Report, StepStatus, Transcript

OUTSIDE = ("harness", "verifier", "human", "framework", "agent")
GOOD_WORDS = frozenset(
    {"passed", "pass", "ok", "success", "succeeded", "done", "completed"}
    | {"reward 1", "reward 1.0"}
)
# Words of frameworks and agents that say that it ended, and not how.
ENDED = frozenset(
    {"finish", "finished", "ended", "end_turn", "submitted", "task_complete", "turn.completed"}
    | {"final answer"}
)
CHECKERS = ("verifier", "human")
# Words that a report must have to say something by itself, and words that say only how it went.
TELLING = 3
VERDICTS = frozenset(
    {"passed", "failed", "failure", "failures", "tests", "test", "check", "checks", "error"}
    | {"errors", "with", "that", "this", "were", "have", "from", "skipped", "rejected"}
)


def recognised(transcript: Transcript) -> tuple[Failure, ...]:
    """The failures the file states; else those its record shows, if the run failed.

    A bad ending, and reports unless they say something else, tell of the same failures once
    more where checks show them.
    """
    if transcript.failures or transcript.outcome is not Outcome.FAILED:
        return transcript.failures
    if checks := failed_checks(transcript):
        return (*checks, *further_reports(transcript, checks))
    return (
        adverse_report(transcript)
        or last_error(transcript)
        or Failure(
            key="outcome",
            statement="The run is recorded as failed; the record does not say what failed.",
        ),
    )


def failed_checks(transcript: Transcript) -> tuple[Failure, ...]:
    """Each check that failed and was never passed again, exposed where it failed last."""
    failed = [check for check in last_verdicts(transcript) if check.verdict == "failed"]
    unnamed = sum(not check.name for check in failed)
    return tuple(of_check(check, apart=unnamed > 1) for check in failed)


def of_check(check: Check, *, apart: bool) -> Failure:
    """The failure of a check. Several checks without a name are told apart by who made them."""
    who = f":{check.step.actor}" if apart else ""
    return Failure(
        key=f"check:{check.name}" if check.name else f"check{who}",
        statement=f'The check "{check.name}" failed.' if check.name else "A check failed.",
        expected=check.fact("expected"),
        observed=check.fact("observed"),
        check=check.name,
        exposed_by=check.step.number,
        consequence=check.fact("consequence"),
    )


def adverse_report(transcript: Transcript) -> Failure | None:
    """From a report that is not good news; of several, by who stands furthest outside."""
    adverse = [report for report in transcript.reports if is_adverse(report)]
    for speaker in OUTSIDE:
        for report in adverse:
            if report.by == speaker:
                return of_report(report)
    return None


def further_reports(transcript: Transcript, checks: tuple[Failure, ...]) -> tuple[Failure, ...]:
    """What a verifier or a human reports in words that share nothing with the failed checks."""
    known = {word for each in checks for fact in facts(each) for word in telling(fact)}
    places = {each.exposed_by for each in checks}
    found: dict[str, Failure] = {}
    for report in transcript.reports:
        words = telling(report.detail)
        new = len(words) >= TELLING and words.isdisjoint(known) and report.step not in places
        if report.by in CHECKERS and is_adverse(report) and new:
            found.setdefault(report.by, replace(of_report(report), key=f"report:{report.by}"))
    return tuple(found.values())


def facts(failure: Failure) -> tuple[str, ...]:
    return (failure.check, failure.expected, failure.observed, failure.consequence)


def telling(text: str) -> set[str]:
    """The words of a text that are about something, in small letters."""
    return set(re.findall(r"[^\W\d_]{4,}", text.lower())) - VERDICTS


def is_adverse(report: Report) -> bool:
    return report.value.lower() not in GOOD_WORDS | ENDED


def of_report(report: Report) -> Failure:
    return Failure(
        key="report",
        statement=f'The {report.by} reported "{report.value}".',
        observed=report.detail,
        exposed_by=report.step,
    )


def last_error(transcript: Transcript) -> Failure | None:
    """From a run that ends with an error nobody answered."""
    last = transcript.steps[-1] if transcript.steps else None
    if last is None or last.status not in (StepStatus.ERROR, StepStatus.TIMEOUT):
        return None
    ending = "an error" if last.status is StepStatus.ERROR else "a time-out"
    return Failure(
        key="ending",
        statement=f"The run ended with {ending} in step {last.number}.",
        observed=last.text[:500],
        exposed_by=last.number,
    )

"""What "failed" means for a run, when its file does not say it itself.

A failure is made only for a run that is recorded as failed, and only from what its record
shows. A run of unknown outcome has none.
"""

from __future__ import annotations

from traces.transcript import Failure, Outcome, Part, PartKind, Report, Step, StepStatus, Transcript

OUTSIDE = ("harness", "verifier", "human", "framework", "agent")
GOOD_WORDS = frozenset({"passed", "pass", "ok", "success", "succeeded", "done", "completed"})


def recognised(transcript: Transcript) -> tuple[Failure, ...]:
    """The failures the file states; else the one its record shows, if the run failed."""
    if transcript.failures or transcript.outcome is not Outcome.FAILED:
        return transcript.failures
    return (
        failed_check(transcript)
        or adverse_report(transcript)
        or last_error(transcript)
        or Failure(
            key="outcome",
            statement="The run is recorded as failed; the record does not say what failed.",
        ),
    )


def failed_check(transcript: Transcript) -> Failure | None:
    """From the last verification that failed: later ones judge the run's end."""
    for step in reversed(transcript.steps):
        for part in step.parts:
            if part.kind is PartKind.VERIFICATION and part.data.get("verdict") == "failed":
                return of_check(step, part)
    return None


def of_check(step: Step, part: Part) -> Failure:
    check = str(part.data.get("check", ""))
    return Failure(
        key="check",
        statement=f'The check "{check}" failed.' if check else "A check failed.",
        expected=str(part.data.get("expected", "")),
        observed=str(part.data.get("observed", "")),
        check=check,
        exposed_by=step.number,
    )


def adverse_report(transcript: Transcript) -> Failure | None:
    """From a report that is not good news; of several, by who stands furthest outside."""
    adverse = [report for report in transcript.reports if report.value.lower() not in GOOD_WORDS]
    for speaker in OUTSIDE:
        for report in adverse:
            if report.by == speaker:
                return of_report(report)
    return None


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

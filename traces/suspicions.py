"""Why a run that nobody calls failed deserves a look: a success that nothing bears out.

Found at ingest in what the record itself shows, and only where it says that the run succeeded.
None is a failure: a person decides whether it becomes one.
"""

from __future__ import annotations

from collections.abc import Iterator

from traces.causality import StepGraph
from traces.checking import last_verdicts
from traces.completeness import listed
from traces.failures import is_adverse
from traces.gaps import Kind
from traces.transcript import LinkKind, Outcome, PartKind, Report, Suspicion, Transcript

KINDS = {
    "verification_skipped": Kind(
        "Check skipped",
        "The run is said to have succeeded, but a check of it was skipped and never made up for.",
        "Run the check, or record who waived it and why.",
    ),
    "verification_inconclusive": Kind(
        "Check without result",
        "The run is said to have succeeded, but a check of it ended without a result.",
        "Repeat a check that ends without a result until it passes or fails.",
    ),
    "verification_not_recorded": Kind(
        "Success without a check",
        "The run is said to have succeeded, and nothing in the record checks that.",
        "Record each check with its verdict, what it expected and what it observed.",
    ),
    "reports_disagree": Kind(
        "Reports disagree",
        "One says that the run succeeded, another that it did not.",
        "Record whose word decides, and correct the reports that were wrong.",
    ),
    "failed_check_not_passed_again": Kind(
        "Failed check never passed",
        "The run is said to have succeeded, but a check failed and was never seen to pass.",
        "Run a check that failed once more after the repair, under the same name.",
    ),
    "unexplained_retry": Kind(
        "Success by an unexplained retry",
        "What the success rests on was tried again, and nobody recorded why the first try was"
        " not good enough.",
        "Record why each attempt was not accepted, and who ordered the next.",
    ),
}
OUTSIDERS = frozenset({"harness", "verifier", "human"})
NO_WORD = frozenset({"", "unknown", "skipped", "inconclusive", "not run"})


def suspicions(transcript: Transcript) -> tuple[Suspicion, ...]:
    """Those that came with the run and those its record shows, one per kind and step."""
    found = list(transcript.suspicions)
    if transcript.outcome is Outcome.SUCCEEDED:
        found += [*of_checks(transcript), *unchecked(transcript)]
        found += [*disagreement(transcript), *unexplained_retries(transcript)]
    return tuple({(each.kind, each.step): each for each in reversed(found)}.values())[::-1]


def of_checks(transcript: Transcript) -> Iterator[Suspicion]:
    """Checks whose last verdict is anything but good."""
    for check in last_verdicts(transcript):
        name = f'The check "{check.name}"' if check.name else "A check"
        where = check.step.number
        if check.verdict == "skipped":
            yield Suspicion("verification_skipped", f"{name} was skipped.", where)
        elif check.verdict == "inconclusive":
            yield Suspicion("verification_inconclusive", f"{name} was inconclusive.", where)
        elif check.verdict == "failed":
            detail = f"{name} failed and was never passed again."
            yield Suspicion("failed_check_not_passed_again", detail, where)


def unchecked(transcript: Transcript) -> Iterator[Suspicion]:
    checked = any(part.kind is PartKind.VERIFICATION for _, _, part in transcript.citable())
    told = any(report.by in OUTSIDERS for report in transcript.reports)
    if not (checked or told or last_verdicts(transcript)):
        detail = "No check is recorded, and no report by anybody but the agents."
        yield Suspicion("verification_not_recorded", detail)


def disagreement(transcript: Transcript) -> Iterator[Suspicion]:
    words = [report for report in transcript.reports if report.value.lower() not in NO_WORD]
    bad = [report for report in words if is_adverse(report)]
    if bad:
        said = listed([worded(report) for report in words])
        step = next((report.step for report in bad if report.step is not None), None)
        detail = f"The run is recorded as succeeded; reports say: {said}."
        yield Suspicion("reports_disagree", detail, step)


def worded(report: Report) -> str:
    return f'{report.by} "{report.value}"'


def unexplained_retries(transcript: Transcript) -> Iterator[Suspicion]:
    """Attempts without a reason that the end of the run builds on: one for the run, at the last."""
    retries = {link.target for link in transcript.links if link.kind is LinkKind.RETRY_OF}
    unexplained = {
        step.number
        for step in transcript.steps
        if (step.number in retries or (step.attempt or 0) > 1) and not step.attempt_reason
    }
    if not unexplained:
        return
    ends = {len(transcript.steps) - 1}
    ends |= {report.step for report in transcript.reports if report.step is not None}
    on_the_way = sorted(unexplained & (StepGraph(transcript.links).ancestors(*ends) | ends))
    if on_the_way:
        steps = listed([str(number) for number in on_the_way])
        detail = f"The end builds on attempts without a recorded reason: step {steps}."
        yield Suspicion("unexplained_retry", detail, on_the_way[-1])

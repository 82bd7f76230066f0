"""Why a run that nobody calls failed deserves a look.

Found at ingest in what the record itself shows: a success that nothing bears out, and a run of
unknown outcome in which something speaks of failure. None is a failure: a person decides whether
it becomes one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from traces.causality import StepGraph
from traces.checking import last_verdicts
from traces.completeness import listed
from traces.failures import ENDED, is_adverse
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
        "Nobody calls the run failed, but a check of it failed and was never seen to pass.",
        "Run a check that failed once more after the repair, under the same name.",
    ),
    "adverse_report": Kind(
        "Report of a failure",
        "Nothing says how the run ended, and whoever reports on it does not call it a success.",
        "Record how the run ended, and whose word decides that.",
    ),
    "unexplained_retry": Kind(
        "Success by an unexplained retry",
        "What the success rests on was tried again, and nobody recorded why the first try was"
        " not good enough.",
        "Record why each attempt was not accepted, and who ordered the next.",
    ),
}
OUTSIDERS = frozenset({"harness", "verifier", "human"})
NO_END = "Nothing says how the run ended"
NO_WORD = ENDED | {"", "unknown", "skipped", "inconclusive", "not run"}


def suspicions(transcript: Transcript) -> tuple[Suspicion, ...]:
    """Those that came with the run and those its record shows, one per kind and step."""
    found = list(transcript.suspicions)
    if transcript.outcome is Outcome.SUCCEEDED:
        found += [*of_checks(transcript), *unchecked(transcript)]
        found += [*disagreement(transcript), *unexplained_retries(transcript)]
    elif transcript.outcome is Outcome.UNKNOWN:
        found += [*never_passed(transcript), *ill_reported(transcript)]
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


def never_passed(transcript: Transcript) -> Iterator[Suspicion]:
    """Checks that failed last, where nothing else speaks of the end."""
    for each in of_checks(transcript):
        if each.kind == "failed_check_not_passed_again":
            detail = f"{NO_END}, and {each.detail[0].lower()}{each.detail[1:]}"
            yield replace(each, detail=detail)


def unchecked(transcript: Transcript) -> Iterator[Suspicion]:
    checked = any(part.kind is PartKind.VERIFICATION for _, _, part in transcript.citable())
    told = any(report.by in OUTSIDERS for report in transcript.reports)
    if not (checked or told or last_verdicts(transcript)):
        detail = "No check is recorded, and no report by anybody but the agents."
        yield Suspicion("verification_not_recorded", detail)


def disagreement(transcript: Transcript) -> Iterator[Suspicion]:
    if any(map(is_adverse, words(transcript))):
        yield of_reports("reports_disagree", "The run is recorded as succeeded; ", transcript)


def ill_reported(transcript: Transcript) -> Iterator[Suspicion]:
    """Reports that are not good news, where nothing else speaks of the end."""
    adverse = [is_adverse(report) for report in words(transcript)]
    if any(adverse):
        kind = "adverse_report" if all(adverse) else "reports_disagree"
        yield of_reports(kind, f"{NO_END}, and ", transcript)


def of_reports(kind: str, before: str, transcript: Transcript) -> Suspicion:
    """What the reports say, at the first step that one which is not good news names."""
    reports = words(transcript)
    bad = [report for report in reports if is_adverse(report)]
    step = next((report.step for report in bad if report.step is not None), None)
    said = listed([worded(report) for report in reports])
    return Suspicion(kind, f"{before}reports say: {said}.", step)


def words(transcript: Transcript) -> list[Report]:
    """The reports that say anything about the end."""
    return [report for report in transcript.reports if report.value.lower() not in NO_WORD]


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

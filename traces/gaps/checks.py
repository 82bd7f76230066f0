"""Gaps in what was checked."""

from __future__ import annotations

import re
from collections.abc import Iterator

from traces.completeness import explained
from traces.facts import main_text
from traces.gaps.kind import Finder, Kind
from traces.gaps.systematic import once_if_common
from traces.transcript import Gap, Outcome, Part, PartKind, Transcript

DETAILS = ("expected", "observed", "method")
WORD = re.compile(r"\w+")
# Words of a check that say only how it went. So many others, or a figure, say something.
VERDICTS = frozenset(
    {"passed", "failed", "pass", "fail", "passes", "fails", "ok", "done", "good", "bad", "green"}
    | {"red", "success", "failure", "check", "checks", "test", "tests", "verdict", "all", "the"}
    | {"a", "an", "is", "was", "it", "this", "has", "have", "and"}
)
TELLING = 3

KINDS = {
    "missing_verification": Kind(
        "No verification outcome",
        "No check in the record says what was tested, and with which verdict.",
        "Record each check with its verdict, what it expected and what it observed.",
    ),
    "check_without_details": Kind(
        "Check without details",
        "A verdict stands alone: neither what was expected nor what was observed is recorded,"
        " so nobody can tell what it proves.",
        "Record with each verdict the subject, the method, what was expected and observed.",
    ),
}


def missing_verification(transcript: Transcript) -> Iterator[Gap]:
    checks = transcript.parts_of(PartKind.VERIFICATION)
    for step, part in checks:
        if not (part.data.get("verdict") or explained(part.capture, "verdict")):
            yield Gap("missing_verification", f"{named(part)} has no verdict.", step.number)
    if transcript.outcome is not Outcome.FAILED or checks:
        return
    if explained(transcript.capture, "verification", "steps/parts/verification", "reports"):
        return
    if not any(report.by in ("harness", "verifier") for report in transcript.reports):
        yield Gap("missing_verification", "The run failed, but no check is recorded.")


def check_without_details(transcript: Transcript) -> list[Gap]:
    checks = len(transcript.parts_of(PartKind.VERIFICATION))
    return once_if_common(_bare(transcript), among=checks)


def _bare(transcript: Transcript) -> Iterator[Gap]:
    """Verdicts with nothing to them, in steps that show no tool's answer either."""
    for step in transcript.steps_with(PartKind.VERIFICATION):
        seen = any(part.kind is PartKind.TOOL_RESPONSE for part in step.parts)
        for part in step.parts:
            decided = is_check(part) and part.data.get("verdict") in ("passed", "failed")
            if decided and not seen and not has_details(part):
                detail = f"{named(part)} has a verdict and nothing else."
                yield Gap("check_without_details", detail, step.number)


def has_details(part: Part) -> bool:
    """Whether a check says what it proves: by a fact, a payload, or words beside its verdict.

    Or why it does not.
    """
    if any(part.data.get(name) for name in (*DETAILS, "payload", "payloads")):
        return True
    if explained(part.capture, *DETAILS):
        return True
    said = WORD.findall(main_text(part).lower())
    own = {*WORD.findall(str(part.data.get("check") or "").lower()), *VERDICTS}
    more = [word for word in said if word not in own]
    return len(more) >= TELLING or any(letter.isdigit() for word in more for letter in word)


def is_check(part: Part) -> bool:
    return part.kind is PartKind.VERIFICATION


def named(part: Part) -> str:
    check = str(part.data.get("check") or "")
    return f'The check "{check[:80]}"' if check else "A check"


FINDERS: tuple[Finder, ...] = (missing_verification, check_without_details)

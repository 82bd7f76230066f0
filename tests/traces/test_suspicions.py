"""A success is suspicious for what its record shows or lacks, and never failed by that."""

from __future__ import annotations

from typing import Any

import pytest

from tests.factories import make_step, make_transcript
from traces.suspicions import KINDS, suspicions
from traces.transcript import (
    Link,
    LinkKind,
    Outcome,
    Part,
    PartKind,
    Report,
    Step,
    Suspicion,
    Transcript,
)

GOOD = Report("succeeded", "harness")


def check(verdict: str, name: str = "ci") -> Part:
    return Part(PartKind.VERIFICATION, "", {"check": name, "verdict": verdict})


def success(*steps: Step, reports: tuple[Report, ...] = (GOOD,), **more: Any) -> Transcript:
    return make_transcript(*steps, outcome=Outcome.SUCCEEDED, reports=reports, **more)


def found(transcript: Transcript) -> list[tuple[str, int | None]]:
    return [(each.kind, each.step) for each in suspicions(transcript)]


@pytest.mark.parametrize("verdict", ["failed", "skipped"])
def test_a_run_that_is_recorded_as_failed_is_not_suspicious(verdict: str) -> None:
    transcript = make_transcript(make_step(0, parts=(check(verdict),)), outcome=Outcome.FAILED)
    assert suspicions(transcript) == ()


@pytest.mark.parametrize("verdict", ["passed", "skipped", "inconclusive"])
def test_nothing_speaks_of_a_failure_where_nothing_says_how_the_run_ended(verdict: str) -> None:
    steps = make_step(0), make_step(1, parts=(check(verdict),), attempt=2)
    reports = (Report("unknown", "human"), GOOD)
    assert found(make_transcript(*steps, outcome=Outcome.UNKNOWN, reports=reports)) == []


def test_a_check_that_failed_is_suspicious_where_nothing_says_how_the_run_ended() -> None:
    first, again = make_step(0, parts=(check("failed"),)), make_step(1, parts=(check("passed"),))
    (only,) = suspicions(make_transcript(first, outcome=Outcome.UNKNOWN))
    assert (only.kind, only.step) == ("failed_check_not_passed_again", 0)
    assert only.detail == (
        'Nothing says how the run ended, and the check "ci" failed and was never passed again.'
    )
    assert found(make_transcript(first, again, outcome=Outcome.UNKNOWN)) == []


@pytest.mark.parametrize("value", ["finished", "Submitted", "turn.completed", "reward 1.0"])
def test_that_it_ended_or_was_rewarded_is_no_bad_news(value: str) -> None:
    told = (Report(value, "framework"),)
    assert found(make_transcript(make_step(0), outcome=Outcome.UNKNOWN, reports=told)) == []
    assert found(success(make_step(0, parts=(check("passed"),)), reports=(GOOD, *told))) == []


@pytest.mark.parametrize(
    ("reports", "kind"),
    [
        ((Report("done", "agent"), Report("failed", "verifier", 0)), "reports_disagree"),
        ((Report("unknown", "human"), Report("failed", "verifier", 0)), "adverse_report"),
        ((Report("finished", "agent"), Report("failed", "verifier", 0)), "adverse_report"),
    ],
)
def test_bad_news_is_suspicious_where_nothing_says_how_the_run_ended(
    reports: tuple[Report, ...], kind: str
) -> None:
    unknown = make_transcript(make_step(0), outcome=Outcome.UNKNOWN, reports=reports)
    (only,) = suspicions(unknown)
    assert (only.kind, only.step) == (kind, 0)
    assert only.detail.startswith("Nothing says how the run ended, and reports say: ")
    assert only.detail.endswith('verifier "failed".')


def test_a_success_that_was_checked_is_not_suspicious() -> None:
    assert found(success(make_step(0, parts=(check("passed"),)))) == []
    assert found(success(make_step(0))) == []


@pytest.mark.parametrize(
    ("verdict", "kind"),
    [
        ("skipped", "verification_skipped"),
        ("inconclusive", "verification_inconclusive"),
        ("failed", "failed_check_not_passed_again"),
    ],
)
def test_a_check_that_did_not_pass_is_suspicious_until_it_passes(verdict: str, kind: str) -> None:
    first = make_step(0, parts=(check(verdict),))
    other = make_step(1, parts=(check("passed", "lint"),))
    again = make_step(2, parts=(check("passed"),))
    assert found(success(first, other)) == [(kind, 0)]
    assert found(success(first, other, again)) == []


def test_a_success_that_only_agents_tell_of_is_suspicious() -> None:
    told = success(make_step(0), reports=(Report("done", "agent"),))
    assert found(told) == [("verification_not_recorded", None)]


def test_reports_that_disagree_are_suspicious() -> None:
    reports = (Report("done", "agent", 1), Report("failed", "verifier", 0))
    (only,) = suspicions(success(make_step(0), make_step(1), reports=reports))
    assert (only.kind, only.step) == ("reports_disagree", 0)
    assert only.detail.endswith('reports say: agent "done", verifier "failed".')
    assert found(success(make_step(0), reports=(GOOD, Report("unknown", "human")))) == []


def test_a_retry_without_reason_counts_where_the_end_builds_on_it() -> None:
    retry, on, aside = Link(0, 1, LinkKind.RETRY_OF), Link(1, 3, LinkKind.CONSUMES), make_step(2)
    steps = (make_step(0), make_step(1), aside, make_step(3))
    assert found(success(*steps, links=(retry, on))) == [("unexplained_retry", 1)]
    assert found(success(*steps, links=(retry,))) == []
    explained = (make_step(0), make_step(1, attempt_reason="timeout"), aside, make_step(3))
    assert found(success(*explained, links=(retry, on))) == []


def test_what_came_with_the_run_stays_and_comes_once() -> None:
    given = Suspicion("verification_skipped", "As the file says.", 0)
    transcript = success(make_step(0, parts=(check("skipped"),)), suspicions=(given,))
    assert suspicions(transcript) == (given,)


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_is_explained(name: str) -> None:
    kind = KINDS[name]
    assert kind.meaning.endswith(".")
    assert kind.remedy.endswith(".")

"""The sample corpus shows each kind of gap, on small records that are bad on purpose."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

import traces
from traces import gaps, states
from traces.formats import intake
from traces.formats.steps.labels import QUOTE_MISSING, label_gaps
from traces.transcript import Opinion, Outcome, Transcript

SAMPLES = Path(traces.__file__).parent / "samples"
BAD = sorted((SAMPLES / "gaps").glob("*.json*"))
GOOD = sorted(SAMPLES.glob("*-*.json"))


@cache
def read(path: Path) -> Transcript:
    (run,) = intake.take(path.read_bytes()).runs
    return run.transcript


def sample(name: str) -> Transcript:
    return read(SAMPLES / "gaps" / f"{name}.json")


def sent_twice() -> bool:
    """Whether two records have the same name and source; that they conflict is seen at ingest."""
    names = Counter((read(path).external_id, read(path).source) for path in BAD)
    return max(names.values()) > 1


# They tell of a run that came again: see tests/traces/test_renewing.py.
OF_SECOND_ARRIVALS = ("late_records", "failure_not_shown")


@pytest.mark.parametrize("kind", [kind for kind in gaps.KINDS if kind not in OF_SECOND_ARRIVALS])
def test_each_kind_is_in_a_bad_record(kind: str) -> None:
    if kind == "conflicting_duplicate":
        assert sent_twice()
        return
    if kind == "partial_trace":
        return  # The door knows that nothing more came: tests/traces/otlp/test_assembling.py.
    if kind == "label_quote_missing":
        # Labels that quote come in files of their own, and no sample is one.
        elsewhere = Opinion("raters", "", 0, None, "", data={"quote": "words of another run"})
        assert all([*label_gaps([elsewhere], read(path).steps)] == [QUOTE_MISSING] for path in BAD)
        return
    assert any(gap.kind == kind for path in BAD for gap in read(path).gaps)


def test_bad_records_are_few_and_small_and_open_one_case() -> None:
    assert len(BAD) <= 20
    assert max(len(read(path).steps) for path in BAD) <= 40
    failed = [path.stem for path in BAD if read(path).outcome is Outcome.FAILED]
    assert failed == ["record-without-a-check-failed"]


def test_good_records_have_few_gaps() -> None:
    found = Counter(gap.kind for path in GOOD for gap in read(path).gaps)
    assert sum(found.values()) <= len(GOOD)


def test_good_records_keep_their_failures() -> None:
    assert sum(len(read(path).failures) for path in GOOD) == 13


def test_two_coders_of_one_role_are_two_instances() -> None:
    run = sample("two-coders-of-one-role")
    first, second = [actor for actor in run.actors if actor.role == "coder"]
    assert second.replaces == first.key
    assert first.instance != second.instance


def test_a_race_names_the_accepted_version_and_the_rule() -> None:
    (race,) = states.races(sample("race-settled-by-a-rule"))
    assert race.accepted == "slots@8-opening"
    assert race.rule == "config store rule 2: the first write of a version stays"
    assert [each.after for each in race.losers] == ["slots@8-reefer"]


def test_a_success_that_nobody_checked_is_suspicious() -> None:
    kinds = [each.kind for each in sample("success-that-nobody-checked").suspicions]
    assert kinds == ["verification_skipped", "reports_disagree", "unexplained_retry"]


@pytest.mark.parametrize("name", ["race-settled-by-a-rule", "two-coders-of-one-role"])
def test_a_check_that_failed_is_pointed_at_where_the_record_has_no_outcome(name: str) -> None:
    (only,) = sample(name).suspicions
    assert (only.kind, only.step) == ("failed_check_not_passed_again", 6)
    assert only.detail.startswith("Nothing says how the run ended, and the check ")

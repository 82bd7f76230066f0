"""Why a team stopped: a condition that was met is no bad news, an error is."""

from __future__ import annotations

import pytest

from tests.traces.formats.autogen.test_autogen import ASKED, TOLD
from tests.traces.formats.frameworks import read
from traces.failures import is_adverse
from traces.formats.autogen.stopping import stopped
from traces.suspicions import suspicions


@pytest.mark.parametrize(
    "reason",
    [
        "An error occurred in the group chat.",
        "RuntimeError: the model is gone",
        "Traceback (most recent call last):",
        "openai.RateLimitError: 429",
        "ValueError('lost')",
    ],
)
def test_an_error_is_bad_news(reason: str) -> None:
    report = stopped(reason)
    assert is_adverse(report)
    assert (report.value, report.detail) == ("error", reason)


@pytest.mark.parametrize(
    "reason",
    [
        "Text 'TERMINATE' mentioned",
        "Text 'ERROR' mentioned",
        "Maximum number of messages 10 reached, current message count: 10",
        "Handoff to user from clerk detected.",
        "Text message received from 'error_finder'",
        "Function 'raise_exception' was executed.",
        "Stop message received",
        "Terrors ended.",
    ],
)
def test_a_condition_that_was_met_is_none(reason: str) -> None:
    report = stopped(reason)
    assert not is_adverse(report)
    assert (report.value, report.by, report.detail) == ("ended", "framework", reason)


@pytest.mark.parametrize(("reason", "flagged"), [("Stop message received", False), ("error", True)])
def test_only_an_error_makes_the_run_worth_a_look(reason: str, *, flagged: bool) -> None:
    transcript = read(ASKED, TOLD, {"messages": [], "stop_reason": reason})
    kinds = {each.kind for each in suspicions(transcript)}
    assert ("adverse_report" in kinds) is flagged

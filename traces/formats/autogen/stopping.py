"""Why a team of AutoGen stopped: a condition that its maker set, or an error.

That a condition was met (a word said, a number of messages, a handoff, a time) says nothing of
whether the task was done, so it is no bad news.
"""

from __future__ import annotations

import re

from traces.transcript import Report

ENDED, ERROR = "ended", "error"
# What an agent said or was called is quoted, and may be any word.
QUOTED = re.compile(r"'[^']*'")
BROKEN = re.compile(r"\berror\b|\w*(?:Error|Exception)\b|\bexception\b|^Traceback", re.IGNORECASE)


def stopped(reason: str) -> Report:
    """The framework's report of the end, in which the reason stands as it was given."""
    broken = BROKEN.search(QUOTED.sub("", reason))
    return Report(ERROR if broken else ENDED, by="framework", detail=reason)

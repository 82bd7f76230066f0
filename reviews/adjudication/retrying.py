"""Doing a verb again when Postgres chose it as the one to give way in a deadlock."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from django.db import OperationalError, connection

P = ParamSpec("P")
R = TypeVar("R")
DEADLOCK = "40P01"


def once_more_on_deadlock(verb: Callable[P, R]) -> Callable[P, R]:
    """Call the verb once more after a deadlock, unless an outer transaction is gone with it."""

    @wraps(verb)
    def tried(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return verb(*args, **kwargs)
        except OperationalError as error:
            if connection.in_atomic_block or not _is_deadlock(error):
                raise
        return verb(*args, **kwargs)

    return tried


def _is_deadlock(error: OperationalError) -> bool:
    return getattr(error.__cause__, "sqlstate", None) == DEADLOCK

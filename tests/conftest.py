"""Fixtures for all tests. People are made by `tests.factories`; see there for who is who."""

from __future__ import annotations

from collections.abc import Iterator

import pgtrigger
import pytest
from django.test import TransactionTestCase


@pytest.fixture(autouse=True, scope="session")
def _emptying_between_tests_is_allowed() -> Iterator[None]:
    """Transactional tests empty all tables at their end; the append-only ones would refuse."""
    teardown = TransactionTestCase._fixture_teardown

    def emptied(case: TransactionTestCase) -> None:
        with pgtrigger.ignore():
            teardown(case)

    TransactionTestCase._fixture_teardown = emptied
    yield
    TransactionTestCase._fixture_teardown = teardown

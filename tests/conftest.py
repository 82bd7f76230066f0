"""Fixtures for all tests. People are made by `tests.factories`; see there for who is who."""

from __future__ import annotations

from collections.abc import Iterator

import pgtrigger
import pytest
from django.test import TransactionTestCase, override_settings


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


@pytest.fixture(autouse=True, scope="session")
def _passwords_are_hashed_quickly() -> Iterator[None]:
    """Four people in each project would otherwise cost a second each test."""
    with override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]):
        yield

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, ProgrammingError

from reviews.management.database import DatabaseCommand


class Failing(DatabaseCommand):
    requires_system_checks = []

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def handle(self, **options: object) -> None:
        raise self.error


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (OperationalError("refused\nmore"), "The database cannot be reached. .* It said: refused$"),
        (OperationalError(), "The database cannot be reached. .* It said: $"),
        (ProgrammingError("no table\nmore"), "no tables yet: .* It said: no table$"),
    ],
)
def test_a_missing_database_is_said_in_a_sentence(error: Exception, sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        call_command(Failing(error))

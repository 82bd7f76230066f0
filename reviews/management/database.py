from __future__ import annotations

from typing import Any

from django.core.management import BaseCommand, CommandError
from django.db import OperationalError, ProgrammingError


class DatabaseCommand(BaseCommand):
    """A command that says in one sentence when there is no database to work on."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except OperationalError as error:
            reason = (str(error).splitlines() or [""])[0]
            raise CommandError(
                "The database cannot be reached. Start it with `make run`, or set DATABASE_URL"
                f" to one that runs. It said: {reason}"
            ) from error
        except ProgrammingError as error:
            reason = (str(error).splitlines() or [""])[0]
            raise CommandError(
                f"The database has no tables yet: run `manage.py migrate`. It said: {reason}"
            ) from error

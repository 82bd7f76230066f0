"""A database that is made for a measurement and deleted after it. The real one is never touched:
what a bench writes could not be deleted from there."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psutil
from celery import current_app
from django.conf import settings
from django.db import connection

PREFIX = "inquest_bench_"


@contextmanager
def throw_away() -> Iterator[str]:
    """Work in a new, migrated database inside this; it is gone after it, also on Ctrl-C.

    Messages to the workers stay in this process: they name rows that no worker will find.
    """
    real = connection.settings_dict["NAME"]
    name = f"{PREFIX}{os.getpid()}"
    # A polite request to end is Ctrl-C too.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    broker = current_app.conf.get("broker_write_url")
    # The one to write to: the other one yields to what the environment says.
    current_app.conf.update(broker_write_url="memory://localhost/")
    try:
        connection.settings_dict["TEST"]["NAME"] = name
        connection.creation.create_test_db(verbosity=0, serialize=False)
        yield name
    finally:
        connection.settings_dict["TEST"]["NAME"] = None
        dropped(name, real)
        current_app.conf.update(broker_write_url=broker)
        signal.signal(signal.SIGTERM, before)


def dropped(name: str, real: str) -> None:
    """Delete the database, whoever is still connected to it, and go back to the real one."""
    connection.close()
    without_database: Any = connection._nodb_cursor
    with without_database() as cursor:
        quoted = connection.ops.quote_name(name)
        cursor.execute(f"DROP DATABASE IF EXISTS {quoted} WITH (FORCE)")
    settings.DATABASES[connection.alias]["NAME"] = real
    connection.settings_dict["NAME"] = real


def server() -> psutil.Process | None:
    """The process that serves our connection, if it runs on this machine."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    try:
        found = psutil.Process(pid)
        return found if found.name().startswith("postgres") else None
    except psutil.Error:
        return None

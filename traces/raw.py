"""Raw documents into their table and out of it, in the binary form of the protocol.

Django binds values into the text of a statement, where bytes become twice as many hex digits
that the server has to parse: for large files that took longer than everything else about them.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import psycopg
from django.db import connection

from traces.models import RawDocument

QUICK_COMPRESSION = "lz4"


def insert(document: RawDocument) -> None:
    """Insert the row unless the project has these bytes. To be called inside a transaction."""
    fields = [field for field in document._meta.concrete_fields if not field.primary_key]
    columns = ", ".join(f'"{field.column}"' for field in fields)
    places = ", ".join(["%s"] * len(fields))
    statement = (
        f'INSERT INTO "{document._meta.db_table}" ({columns}) VALUES ({places})'  # noqa: S608
        " ON CONFLICT DO NOTHING"
    )
    values = [getattr(document, field.attname) for field in fields]
    with connection.wrap_database_errors, _cursor() as cursor:
        if _has_quick_compression():
            cursor.execute(f"SET LOCAL default_toast_compression = {QUICK_COMPRESSION}")
        cursor.execute(statement, values)


def content(document_id: int) -> bytes:
    """The bytes of a stored document."""
    table = RawDocument._meta.db_table
    statement = f'SELECT content FROM "{table}" WHERE id = %s'  # noqa: S608
    with connection.wrap_database_errors, _cursor() as cursor:
        found = cursor.execute(statement, [document_id], binary=True).fetchone()
    if found is None:
        raise RawDocument.DoesNotExist
    return bytes(found[0])


def _cursor() -> psycopg.Cursor[Any]:
    """A cursor of the driver itself on Django's connection, in whatever transaction it is."""
    connection.ensure_connection()
    return psycopg.Cursor(connection.connection)


@cache
def _has_quick_compression() -> bool:
    """Whether this server was built with it. A fifth of the time; files are a third larger."""
    with _cursor() as cursor:
        cursor.execute(
            "SELECT %s = ANY(enumvals) FROM pg_settings WHERE name = 'default_toast_compression'",
            [QUICK_COMPRESSION],
        )
        return cursor.fetchone() == (True,)

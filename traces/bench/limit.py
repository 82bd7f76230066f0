"""What Postgres and its driver allow: a bare COPY of rows that are ready into one plain table."""

from __future__ import annotations

from collections.abc import Iterable

import psutil
from django.db import connection, transaction

from traces.bench.watch import Watch
from traces.models import Part, Project, Step

# All columns of both, and no index, check, key or trigger.
TABLE = """CREATE TABLE bench_limit AS
    SELECT step.*, position, part.kind AS part_kind, text, data, part.capture AS part_capture
    FROM traces_step AS step JOIN traces_part AS part USING (run_id) WITH NO DATA"""
RENAMED = {"kind": "part_kind", "capture": "part_capture", "step": "number"}

Rows = list[tuple[object, ...]]


def bare_copy(project: Project, server: psutil.Process | None, *, times: int = 2) -> Watch:
    """Copy all steps and parts of a project into one table, in one transaction; the quickest try.

    The rows are taken from the tables beforehand, their JSON as text, so that nothing is left to
    do for them but what every COPY of Python values does.
    """
    steps, step_columns = rows_of(Step._meta.db_table, project)
    parts, part_columns = rows_of(Part._meta.db_table, project)
    part_columns = [RENAMED.get(name, name) for name in part_columns]
    tries = []
    for _ in range(times):
        with connection.cursor() as cursor:
            cursor.execute(TABLE)
        watch = Watch(server)
        with watch, transaction.atomic():
            copy(step_columns, steps)
            copy(part_columns, parts)
        tries.append(watch)
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE bench_limit")
    return min(tries, key=lambda watch: watch.cpu)


def rows_of(table: str, project: Project) -> tuple[Rows, list[str]]:
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT content.* FROM {table} content JOIN traces_run run ON run.id = run_id"  # noqa: S608
            " WHERE project_id = %s",
            [project.pk],
        )
        columns = [column.name for column in cursor.description]
        return list(map(tuple, cursor.fetchall())), columns


def copy(columns: Iterable[str], rows: Rows) -> None:
    statement = f"COPY bench_limit ({', '.join(columns)}) FROM STDIN"
    with connection.cursor() as cursor, cursor.copy(statement) as target:
        for row in rows:
            target.write_row(row)

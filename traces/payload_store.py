"""The bytes of payloads in the database, or in a storage outside it that the settings name.

Outside, bytes are addressed by project and sha256. They are written before the transaction that
refers to them commits: one that fails leaves an object nobody refers to, never a reference to
nothing. Whatever is read is checked against its digest first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages
from django.db import connection

from traces import payloads
from traces.models import Payload, Project, Run

OUTSIDE = "payloads"
COLUMNS = {
    "project_id": "int8",
    "sha256": "varchar",
    "size": "int8",
    "media_type": "varchar",
    "content": "bytea",
    "received_at": "timestamptz",
}


class Unavailable(Exception):
    """The bytes are not where they should be, or are others; says so in a sentence."""


def keep(*, project: Project, taken_out: Sequence[payloads.Payload], at: datetime) -> list[int]:
    """Store what the project does not have yet; the keys of all of it.

    To be called by the one writer of runs of the project, in the transaction of the run.
    """
    if not taken_out:
        return []
    here = Payload.objects.filter(project=project, sha256__in=[each.sha256 for each in taken_out])
    known = set(here.values_list("sha256", flat=True))
    new = [each for each in taken_out if each.sha256 not in known]
    storage = outside()
    if storage:
        for each in new:
            put(storage, name_of(project.pk, each.sha256), each.content)
    _insert(project, new, at, within=storage is None)
    return list(here.order_by("pk").values_list("pk", flat=True))


def _insert(
    project: Project, new: Iterable[payloads.Payload], at: datetime, *, within: bool
) -> None:
    """By binary COPY: anything else would hold the bytes once more, as hexadecimal digits."""
    statement = f'COPY "{Payload._meta.db_table}" ({", ".join(COLUMNS)}) FROM STDIN (FORMAT BINARY)'
    with (
        connection.wrap_database_errors,
        connection.cursor() as cursor,
        cursor.copy(statement) as target,
    ):
        target.set_types(list(COLUMNS.values()))
        for each in new:
            content = each.content if within else None
            size = len(each.content)
            target.write_row((project.pk, each.sha256, size, each.media_type, content, at))


def outside() -> Storage | None:
    return storages[OUTSIDE] if OUTSIDE in settings.STORAGES else None


def name_of(project: int, sha256: str) -> str:
    return f"payloads/{project}/{sha256}"


def put(storage: Storage, name: str, content: bytes) -> None:
    """Write the bytes under this name and no other, also over what a crash left half-written."""
    if storage.exists(name):
        if storage.size(name) == len(content):
            return
        storage.delete(name)
    saved = storage.save(name, ContentFile(content))
    if saved != name:
        storage.delete(saved)
        raise Unavailable(f"The payload storage would not take the name {name}.")


def content_of(payload: Payload) -> bytes:
    """The bytes, which are surely those. Raises Unavailable."""
    content = _outside_content(payload) if payload.content is None else bytes(payload.content)
    if hashlib.sha256(content).hexdigest() != payload.sha256:
        raise Unavailable(
            "The stored bytes of this payload are not those that came: see its digest."
        )
    return content


def _outside_content(payload: Payload) -> bytes:
    storage = outside()
    if storage is None:
        raise Unavailable("This payload lies in a storage that the settings no longer name.")
    try:
        with storage.open(name_of(payload.project_id, payload.sha256)) as file:
            return bytes(file.read())
    except FileNotFoundError as error:
        raise Unavailable("The payload storage does not have these bytes.") from error
    except Exception as error:  # each storage has its own; what they say is for the log
        raise Unavailable("The payload storage does not answer.") from error


def used(run: Run, sha256: str) -> Payload | None:
    """The payload, if this run uses it: whoever may read the run may read it."""
    return Payload.objects.filter(uses__run=run, sha256=sha256).first()

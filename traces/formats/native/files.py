"""Whole files of version 1 of the native format as runs of version 2, or why not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from traces.formats.base import Document, Json, Limits, Unreadable
from traces.formats.files import containers, documents
from traces.formats.native import read_run, v1, v2
from traces.formats.native.migration import migrated

Migrated = tuple[dict[str, Any], ...]


def migrated_file(content: bytes, limits: Limits = Limits()) -> Migrated:  # noqa: B008
    """All runs of a file. Raises Unreadable if one is not of version 1 or would lose anything."""
    members, refusals = containers.opened(content, limits)
    read = [documents.decoded(member, limits) for member in members]
    refusals += [refusal for document in read for refusal in document.refusals]
    if refusals:
        raise Unreadable(f"{refusals[0].position}: {refusals[0].reason}")
    return tuple(run for document in read for run in runs_of(document))


def runs_of(document: Document) -> list[dict[str, Any]]:
    found = []
    for pointer, value, gaps in document.values():
        where = pointer or "/"
        if gaps:
            raise Unreadable(f"{where}: It would not stay as it is: {gaps[0].detail}")
        check(value, where)
        found.append(migrated(value))
    return found


def check(value: Json, where: str) -> None:
    """A step that version 1 refuses must not become one that version 2 takes."""
    schema = value.get("schema") if isinstance(value, Mapping) else v1.SCHEMA
    if schema == v2.SCHEMA:
        raise Unreadable(f"{where}: This is version 2 already: there is nothing to migrate.")
    if schema != v1.SCHEMA:
        raise Unreadable(f'{where}: The schema is not "{v1.SCHEMA}".')
    _, refusals = read_run(value, ())
    if refusals:
        raise Unreadable(f"{where}{refusals[0].position}: {refusals[0].reason}")

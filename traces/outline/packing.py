"""An outline as bytes and back: names as JSON, then two tables as .npy files; compressed."""

from __future__ import annotations

import io
import zlib

import msgspec
import numpy as np

from traces.outline.columns import COLUMNS, LINKS, Lane, Outline
from traces.transcript import ActorKind

# Of another version it is made again from the rows.
VERSION = 2


def packed(outline: Outline) -> bytes:
    names = {
        "version": VERSION,
        "lanes": outline.lanes,
        "tools": outline.tools,
        "rules": outline.rules,
    }
    content = io.BytesIO()
    head = msgspec.json.encode(names)
    content.write(len(head).to_bytes(4) + head)
    for columns in (COLUMNS, LINKS):
        table = np.empty(len(getattr(outline, next(iter(columns)))), dtype=list(columns.items()))
        for name in columns:
            table[name] = getattr(outline, name)
        np.save(content, table, allow_pickle=False)
    return zlib.compress(content.getvalue(), level=3)


def unpacked(content: bytes) -> Outline | None:
    """The outline, or None if another version wrote these bytes."""
    read = io.BytesIO(zlib.decompress(content))
    head = msgspec.json.decode(read.read(int.from_bytes(read.read(4))))
    if head["version"] != VERSION:
        return None
    lanes = tuple(
        Lane(key, role, ActorKind(kind), *rest) for key, role, kind, *rest in head["lanes"]
    )
    steps, links = (np.load(read, allow_pickle=False) for _ in range(2))
    columns = {name: np.ascontiguousarray(steps[name]) for name in COLUMNS}
    columns |= {name: np.ascontiguousarray(links[name]) for name in LINKS}
    return Outline(lanes, tuple(head["tools"]), tuple(head["rules"]), **columns)

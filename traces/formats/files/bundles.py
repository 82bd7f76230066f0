"""Files that came together, in a zip or a folder: what each of them is, and which belong together.

A joiner asks for groups by content, and by names inside the bundle where a format has fixed ones.
Text that is no JSON takes part: test reports and terminal logs are pieces of some records.
"""

from __future__ import annotations

import logging
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import takewhile

from traces.formats import registry
from traces.formats.base import (
    SAMPLE_SIZE,
    Document,
    Joiner,
    Limits,
    Recognised,
    Unreadable,
)
from traces.formats.files import documents
from traces.formats.files.containers import Member

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Group:
    """Documents that one joiner reads as one, by their indexes, the main one first."""

    joiner: Joiner
    indexes: tuple[int, ...]


def recognised(member: Member, limits: Limits) -> Recognised:
    """What a file of a bundle is. Format and rule are empty if it is in none that we know."""
    document = unread(member)
    try:
        document = documents.decoded(member, limits)
        format_, rule = registry.detect(document.sample())
    except limits.interruptions:
        raise
    except Unreadable:
        return Recognised(document, "", "")
    except Exception:  # what is wrong with it is told when it is read
        logger.exception("A file of a bundle could not be looked at.")
        return Recognised(document, "", "")
    return Recognised(document, format_.name, rule)


def unread(member: Member) -> Document:
    return Document(content=member.content, records=(), name=member.name)


def glimpsed(each: Recognised) -> Recognised:
    """As much of a file as it takes to see what it belongs to."""
    records = each.document.records[:SAMPLE_SIZE]
    return replace(each, document=replace(each.document, records=records))


def groups(given: Sequence[Recognised], wanted: str = "") -> Iterator[Group]:
    """The groups that joiners ask for. What one has is not given to the next."""
    taken: set[int] = set()
    for joiner in registry.joiners():
        if wanted and joiner.name != wanted:
            continue
        for indexes in claims(joiner, given):
            if taken.isdisjoint(indexes):
                taken.update(indexes)
                yield Group(joiner, indexes)


def claims(joiner: Joiner, given: Sequence[Recognised]) -> list[tuple[int, ...]]:
    try:
        return list(joiner.claims(given))
    except Exception:  # the files of its groups are read one by one then
        logger.exception("The joiner %s failed.", joiner.name)
        return []


def together(names: Sequence[str], contents: Sequence[bytes]) -> bytes:
    """One document of several files: the same files are the same bytes, wherever they lay."""
    begin = len(common_folder(names))
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, content in sorted(zip(names, contents, strict=True)):
            entry = zipfile.ZipInfo(name[begin:])
            entry.create_system = 3
            archive.writestr(entry, content)
    return buffer.getvalue()


def common_folder(names: Sequence[str]) -> str:
    """The folder that all of them are in, with its slash, or nothing."""
    folders = [name.split("/")[:-1] for name in names]
    same = takewhile(lambda level: len(set(level)) == 1, zip(*folders, strict=False))
    return "".join(f"{level[0]}/" for level in same)


def whole(given: Sequence[Recognised]) -> Document:
    """A document that stands for a group. It has no name: pointers begin with the file's own."""
    gaps = tuple(dict.fromkeys(gap for each in given for gap in each.document.gaps))
    return Document(content=b"", records=(), gaps=gaps)

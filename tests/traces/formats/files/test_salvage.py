"""Of an archive without a directory, every file that is whole comes back."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from traces.formats.base import Limits, Unreadable
from traces.formats.files import archives
from traces.formats.files.salvage import files
from traces.formats.files.sizes import TooLarge

NOISE = random.Random(3).randbytes(70_000)
CONTENTS = {"header.json": b'{"status": "started"}', "samples/1.json": NOISE, "c.json": b"[1]" * 99}
METHODS = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, 93]


class NoSeeking(io.RawIOBase):
    """A pipe: the archive can only say how long a file is after it."""

    def __init__(self) -> None:
        self.written = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, piece: Any) -> int:
        self.written += piece
        return len(piece)


def packed(method: int, *, seekable: bool = True) -> bytes:
    target: Any = io.BytesIO() if seekable else NoSeeking()
    with zipfile.ZipFile(target, "w", method) as archive:
        for name, content in CONTENTS.items():
            archive.writestr(name, content)
    return target.getvalue() if seekable else bytes(target.written)


def without_directory(content: bytes) -> bytes:
    return content[: content.index(b"PK\x01\x02")]


def test_more_files_than_allowed_are_refused() -> None:
    with pytest.raises(TooLarge, match="more than 2 files"):
        list(files(packed(8), Limits(members=2)))


@pytest.mark.parametrize("method", METHODS)
def test_more_bytes_than_allowed_are_refused(method: int) -> None:
    with pytest.raises(TooLarge):
        list(files(without_directory(packed(method)), Limits(size=70_005)))


def test_nothing_whole_is_a_refusal_with_a_sentence() -> None:
    with pytest.raises(Unreadable, match="zip archive is damaged"):
        archives.unpacked(packed(8)[:41], Limits())


def test_an_unknown_method_and_encryption_are_told() -> None:
    content = bytearray(without_directory(packed(8)))
    content[8] = 77
    second = content.index(b"PK\x03\x04", 4)
    content[second + 6] |= 1
    reasons = [each.refused for each in files(bytes(content), Limits())]
    assert reasons == [
        "This file is compressed in an unknown way.",
        "This file is encrypted.",
        "",
    ]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seekable", [True, False])
def test_all_files_come_back_without_the_directory(*, method: int, seekable: bool) -> None:
    found = list(files(without_directory(packed(method, seekable=seekable)), Limits()))
    assert {each.name: each.content for each in found} == CONTENTS
    assert [each.damage for each in found] == ["", "", ""]


def test_what_lies_in_another_archive_is_none_of_its_files() -> None:
    inner = packed(0)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("inner.bin", inner)
    (found,) = files(without_directory_of(buffer.getvalue()), Limits())
    assert found.content == inner


def without_directory_of(content: bytes) -> bytes:
    return content[: content.rindex(b"PK\x01\x02")]


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(METHODS), st.booleans(), st.data())
def test_any_cut_gives_beginnings_of_the_files(
    method: int,
    seekable: bool,
    data: st.DataObject,
) -> None:
    whole = packed(method, seekable=seekable)
    found: Sequence[Any] = list(files(whole[: data.draw(st.integers(0, len(whole)))], Limits()))
    for each, (name, content) in zip(found, CONTENTS.items(), strict=False):
        assert each.name == name
        assert content.startswith(each.content)
        assert each.content == content or each.damage or each.refused


def test_a_cut_within_what_stands_behind_a_file_is_not_taken_for_its_end() -> None:
    whole = packed(zipfile.ZIP_STORED, seekable=False)
    name, content = next(iter(CONTENTS.items()))
    behind = whole.index(content) + len(content)

    for more in range(4):
        (file,) = files(whole[: behind + more], Limits())
        assert (file.name, file.content) == (name, content)

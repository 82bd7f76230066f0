"""Whatever a document is packed in, it is searched, and written anew without what is withheld."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable

import pytest
import zstandard

from tests.traces.formats.files.test_containers import zipped
from traces import redaction
from traces.formats.base import Limits
from traces.formats.files.containers import opened
from traces.redaction.documents import Standing, value_of

POLICY = redaction.policy_of(
    [{"name": "mail", "detector": "emails", "type": "EMAIL", "action": "redact"}]
)
SAID = b'{"said": "Ask ada@example.org."}'


def zstandard_zip(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", 93) as archive:
        archive.writestr("run.json", content)
    return buffer.getvalue()


def without_directory(content: bytes) -> bytes:
    whole = zipped({"run.json": content, "more.json": b"[" + b"1," * 200 + b"1]"})
    return whole[: whole.index(b"PK\x01\x02")]


def written(content: bytes) -> bytes:
    search = redaction.search(content, POLICY, Limits())
    numbers = {value_of(found): 1 for found in search.found() if found.rule}
    return search.written(Standing(numbers))


@pytest.mark.parametrize(
    "pack",
    [
        lambda content: zstandard.ZstdCompressor().compress(content),
        zlib.compress,
        zstandard_zip,
        without_directory,
    ],
)
def test_a_value_is_found_however_it_is_packed(pack: Callable[[bytes], bytes]) -> None:
    stored = written(pack(SAID))
    members, refusals = opened(stored, Limits())
    assert refusals == []
    assert members[0].content == SAID.replace(b"ada@example.org", b"[EMAIL-1]")
    assert not any(b"ada@example.org" in member.content for member in members)
    assert b"ada@example.org" not in stored


def test_what_was_wrong_with_an_archive_stays_told_when_it_is_written_anew() -> None:
    members, _ = opened(written(without_directory(SAID)), Limits())
    (remark,) = [member for member in members if member.name == "(archive)"]
    assert remark.content.startswith(b"The zip archive is damaged")

"""Encodings and bundles: what cannot be searched is not kept, and the rest is written anew."""

from __future__ import annotations

import gzip
import io
import json
import zipfile

import pytest

from tests.traces.redaction.searching import EMAIL, EVERYTHING, Site, redacted
from traces.formats.base import Limits
from traces.formats.files import containers
from traces.redaction import Unopened, policy_of, search

TEXT = json.dumps({"a": f"é {EMAIL}"}, ensure_ascii=False)
CLEAN = json.dumps({"a": "é [EMAIL-1]"}, ensure_ascii=False)
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\xff"


def zipped(*members: tuple[str, bytes], comment: bytes = b"") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.comment = comment
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


def unzipped(content: bytes) -> dict[str, bytes]:
    archive = zipfile.ZipFile(io.BytesIO(content))
    return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (PNG, "This is no text."),
        (b'{"a": 1}\n' + TEXT.encode("utf-16-le"), "This is no text."),
        (b'["' + TEXT.encode("utf-16-be"), "This is no text."),
        (b'{"a": "' + TEXT.encode("utf-32-le"), "This is no text."),
        (b"\xff\xfe{\x00\x00", "is not valid UTF-16-LE."),
        (gzip.compress(TEXT.encode())[:-9], "The gzip data was cut after"),
        (b"\x1f\x8b" + b"x" * 40, "The gzip data is damaged"),
        (b"PK\x03\x04" + b"x" * 40, "The zip archive is damaged"),
        (b"\x28\xb5\x2f\xfd" + b"x" * 40, "The zstd data is damaged"),
        (b"SQLite format 3\x00", "Inquest opens no databases."),
    ],
)
def test_what_cannot_be_searched_is_refused_with_a_sentence(content: bytes, sentence: str) -> None:
    with pytest.raises(Unopened) as caught:
        redacted(content)
    assert sentence in str(caught.value)
    assert str(caught.value).endswith("cannot be searched for them: nothing was stored.")


def test_what_is_too_large_is_refused() -> None:
    with pytest.raises(containers.TooLarge):
        search(b"x" * 100, policy_of(EVERYTHING), Limits(size=99))


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"]
)
def test_a_document_keeps_its_encoding(encoding: str) -> None:
    assert redacted(TEXT.encode(encoding)) == CLEAN.encode(encoding)


def test_gzip_is_stored_inflated() -> None:
    assert redacted(gzip.compress(gzip.compress(TEXT.encode()))) == CLEAN.encode()


def test_a_bundle_is_searched_in_names_and_members() -> None:
    content = zipped(
        (f"{EMAIL}/a.json", TEXT.encode()),
        ("b.json.gz", gzip.compress(TEXT.encode())),
        ("c.json", b"{}"),
        comment=EMAIL.encode(),
    )
    site = Site()
    once = site.redacted(content)
    assert EMAIL.encode() not in once
    assert unzipped(once) == {
        "[EMAIL-1]/a.json": CLEAN.encode(),
        "b.json.gz": CLEAN.encode(),
        "c.json": b"{}",
    }
    assert site.redacted(once) == once
    assert containers.opened(once, Limits())[1] == []


def test_members_that_get_one_name_are_told_apart() -> None:
    rules = [{"name": "m", "action": "redact", "detector": "emails"}]
    content = zipped((f"{EMAIL}", b"1"), ("[EMAIL-1 as sent]", b"2"), ("[EMAIL-1]", b"3"))
    assert unzipped(redacted(content, rules)) == {
        "[EMAIL-1]": b"1",
        "[EMAIL-1 as sent]": b"2",
        "[EMAIL-1 as sent]#2": b"3",
    }


def test_a_member_that_cannot_be_searched_leaves_a_note() -> None:
    site = Site()
    once = site.redacted(zipped(("a.json", TEXT.encode()), ("shot.png", PNG)))
    members = unzipped(once)
    assert members["a.json"] == CLEAN.encode()
    assert members["shot.png"].startswith(b"This file was not stored. This is no text. The project")
    assert site.redacted(once) == once

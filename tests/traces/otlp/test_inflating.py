"""Bodies without their compression: too much, damaged and unknown ones first."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as some

from traces.otlp import inflating

LIMIT = 1_000_000
BODY = b'{"resourceSpans": []}' * 500
Compress = Callable[[bytes], bytes]


def bare_deflate(body: bytes) -> bytes:
    return zlib.compress(body, wbits=-15)


FRAMED: list[Compress] = [gzip.compress, zlib.compress, zstandard.compress]


@pytest.mark.parametrize("compress", [*FRAMED, bare_deflate])
def test_a_bomb_is_refused_with_the_number_and_never_inflated(compress: Compress) -> None:
    with pytest.raises(inflating.TooLarge, match="1,000,000 bytes"):
        inflating.plain(compress(bytes(50 * LIMIT)), "deflate", limit=LIMIT)


def test_a_bomb_in_layers_is_refused() -> None:
    with pytest.raises(inflating.TooLarge):
        inflating.plain(gzip.compress(zstandard.compress(bytes(50 * LIMIT))), "gzip", limit=LIMIT)


@pytest.mark.parametrize("compress", FRAMED)
def test_what_was_cut_is_refused(compress: Compress) -> None:
    with pytest.raises(inflating.Damaged):
        inflating.plain(compress(BODY)[:-4], "", limit=LIMIT)


@pytest.mark.parametrize("name", ["br", "gzip, br", "compress"])
def test_an_unknown_encoding_is_refused(name: str) -> None:
    with pytest.raises(inflating.Unsupported):
        inflating.plain(BODY, name, limit=LIMIT)


@pytest.mark.parametrize("name", ["", "identity", "gzip", "deflate", "zstd", "GZIP"])
def test_a_plain_body_stays_whatever_the_header_says(name: str) -> None:
    for body in (BODY, b"\n\x05hello", b""):
        assert inflating.plain(body, name, limit=LIMIT) == body


@pytest.mark.parametrize("compress", FRAMED)
@pytest.mark.parametrize("name", ["", "gzip", "zstd", "deflate"])
def test_first_bytes_decide(compress: Compress, name: str) -> None:
    assert inflating.plain(compress(BODY), name, limit=LIMIT) == BODY


def test_bare_deflate_is_known_by_its_header_alone() -> None:
    assert inflating.plain(bare_deflate(BODY), "deflate", limit=LIMIT) == BODY


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])
def test_members_one_behind_the_other_are_one_body(compress: Compress) -> None:
    assert inflating.plain(compress(BODY) + compress(BODY), "", limit=LIMIT) == BODY * 2


@given(some.binary(max_size=40), some.sampled_from(["", "gzip", "deflate", "zstd"]))
def test_any_bytes_are_read_or_refused(body: bytes, name: str) -> None:
    for start in (b"", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"x\x9c"):
        try:
            inflating.plain(start + body, name, limit=LIMIT)
        except (inflating.Damaged, inflating.TooLarge):
            continue

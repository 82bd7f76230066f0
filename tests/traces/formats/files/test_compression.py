"""Compressed streams are read to their end, or to where they break, and never past the limit."""

from __future__ import annotations

import contextlib
import gzip
import random
import zlib

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from traces.formats.base import Limits, Unreadable
from traces.formats.files.compression import MAGIC, inflated
from traces.formats.files.sizes import TooLarge

NOISE = random.Random(7).randbytes(300_000)
PLAIN = b'{"a": 1}\n' * 40_000 + NOISE
SKIPPED = b"\x5a\x2a\x4d\x18\x05\x00\x00\x00abcde"


def zstd(content: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(content)


WAYS = {"gzip": gzip.compress, "zlib": zlib.compress, "zstd": zstd}


@pytest.mark.parametrize("name", WAYS)
def test_what_inflates_beyond_the_limit_is_refused_on_the_way(name: str) -> None:
    with pytest.raises(TooLarge, match=r"the limit is 1,000,000 \(INQUEST_MAX_DOCUMENT_BYTES"):
        inflated(WAYS[name](bytes(50_000_000)), Limits(size=1_000_000))


@pytest.mark.parametrize("name", WAYS)
def test_what_is_nothing_of_the_kind_is_refused(name: str) -> None:
    with pytest.raises(Unreadable, match=f"The {name} data is damaged"):
        inflated(WAYS[name](b"")[:4] + b"\xff" * 40, Limits())


@pytest.mark.parametrize("name", WAYS)
def test_a_cut_stream_gives_its_beginning_and_says_so(name: str) -> None:
    whole = WAYS[name](PLAIN)
    content, damage = inflated(whole[: len(whole) // 2], Limits())
    assert PLAIN.startswith(content)
    assert len(content) > 100_000
    assert damage == f"The {name} data was cut after {len(content):,} bytes."


@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_a_stream_damaged_in_the_middle_gives_what_stands_before(name: str) -> None:
    damaged = bytearray(WAYS[name](PLAIN) + WAYS[name](PLAIN))
    middle = len(damaged) // 2
    damaged[middle : middle + 4000] = b"\xff" * 4000
    content, damage = inflated(bytes(damaged), Limits())
    assert content[:300_000] == PLAIN[:300_000]
    assert damage.startswith(f"The {name} data is damaged after") or len(content) == len(PLAIN)


@pytest.mark.parametrize("name", WAYS)
def test_streams_are_read_whole(name: str) -> None:
    assert inflated(WAYS[name](PLAIN), Limits()) == (PLAIN, "")


@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_several_members_are_one_document(name: str) -> None:
    several = b"".join(map(WAYS[name], (PLAIN, b"", NOISE)))
    assert inflated(several, Limits()) == (PLAIN + NOISE, "")


def test_frames_for_other_programs_are_skipped() -> None:
    content = SKIPPED + zstd(b"[1,") + SKIPPED + SKIPPED + zstd(b"2]") + SKIPPED
    assert inflated(content, Limits()) == (b"[1,2]", "")


@settings(deadline=None)
@given(st.sampled_from(MAGIC), st.binary(max_size=300))
def test_any_bytes_are_inflated_or_refused(start: bytes, content: bytes) -> None:
    with contextlib.suppress(Unreadable):
        inflated(start + content, Limits(size=1000))

"""Archives are opened by their bytes and within limits, and never run anything."""

from __future__ import annotations

import contextlib
import gzip
import io
import pickle
import random
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from traces.formats.base import Limits, Unreadable
from traces.formats.files.containers import TooLarge, measure, opened

SMALL = Limits(size=1000, members=3)
STARTS = [b"", b"\x1f\x8b\x08", b"PK\x03\x04", b"\x80\x05", b"\x78\x9c", b"\x28\xb5\x2f\xfd"]


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_a_pickle_is_refused_unopened(protocol: int) -> None:
    with pytest.raises(Unreadable, match="Python pickle"):
        opened(pickle.dumps({"steps": []}, protocol=protocol), Limits())


def test_a_pickle_inside_gzip_is_refused() -> None:
    with pytest.raises(Unreadable, match="Python pickle"):
        opened(gzip.compress(pickle.dumps([1])), Limits())


def test_a_database_is_refused_with_a_hint() -> None:
    hint = r"SQLite database.*Export the runs.*LangGraph.*MLflow.*Phoenix"
    with pytest.raises(Unreadable, match=hint):
        opened(b"SQLite format 3\x00" + bytes(84), Limits())


def test_what_is_too_large_is_refused_with_both_numbers() -> None:
    with pytest.raises(TooLarge, match=r"1,001 bytes or more; the limit is 1,000"):
        opened(bytes(1001), SMALL)


def test_what_inflates_too_far_is_refused_while_inflating() -> None:
    with pytest.raises(TooLarge):
        opened(gzip.compress(bytes(50_000_000)), Limits(size=1_000_000))


def test_gzip_in_gzip_cannot_get_around_the_limit() -> None:
    with pytest.raises(TooLarge):
        opened(gzip.compress(gzip.compress(bytes(5000))), SMALL)


def test_a_zip_of_too_many_files_is_refused() -> None:
    with pytest.raises(TooLarge, match="holds 4 files; the limit is 3"):
        opened(zipped({f"{n}.json": b"{}" for n in range(4)}), SMALL)


def test_a_zip_bomb_is_refused_by_what_its_directory_says() -> None:
    bomb = zipped({"run.json": bytes(3_000_000)})
    with pytest.raises(TooLarge, match=r"run\.json would grow .* zip bomb"):
        opened(bomb, Limits())


def test_a_zip_whose_directory_lies_about_sizes_yields_no_more_than_it_says() -> None:
    honest = zipped({"run.json": b"[" + b" " * 500 + b"]"})
    lying = honest.replace((502).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    members, refusals = opened(lying, Limits())
    assert members == []
    assert "This file" in refusals[0].reason


def test_a_zip_in_a_zip_is_refused_and_its_neighbours_are_kept() -> None:
    members, refusals = opened(zipped({"a.zip": zipped({"x": b"1"}), "b.json": b"{}"}), Limits())
    assert [member.name for member in members] == ["b.json"]
    assert [refusal.position for refusal in refusals] == ["a.zip"]
    assert "another container" in refusals[0].reason


def test_an_empty_zip_is_refused() -> None:
    with pytest.raises(Unreadable, match="holds no files"):
        opened(zipped({}), Limits())


def test_a_damaged_zip_is_refused() -> None:
    with pytest.raises(Unreadable, match="zip archive is damaged"):
        opened(zipped({"a": b"1"})[:30], Limits())


def test_an_encrypted_file_in_a_zip_is_refused() -> None:
    content = bytearray(zipped({"run.json": b"{}"}))
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    members, refusals = opened(bytes(content), Limits())
    assert (members, refusals[0].reason) == ([], "This file is encrypted.")


def test_a_damaged_file_in_a_zip_is_refused_alone() -> None:
    content = bytearray(zipped({"bad.json": b"[" + b"1," * 99 + b"1]", "good.json": b"[]"}))
    content[40] ^= 0xFF
    members, refusals = opened(bytes(content), Limits())
    assert [member.name for member in members] == ["good.json"]
    assert refusals[0].position == "bad.json"


def test_a_zip_is_too_large_when_all_its_files_are() -> None:
    with pytest.raises(TooLarge):
        opened(zipped({"a": bytes(600), "b": bytes(600)}), SMALL)


def test_files_in_a_zip_inflate_within_the_limit_of_the_whole() -> None:
    squeezed = gzip.compress(bytes(800))
    with pytest.raises(TooLarge):
        opened(zipped({"a.gz": squeezed, "b.gz": squeezed}), SMALL)


def test_gzip_damaged_in_the_middle_gives_its_beginning_and_says_so() -> None:
    noise = random.Random(7).randbytes(300_000)
    content = bytearray(gzip.compress(noise))
    content[200_000:200_100] = bytes(100)
    (member,), _ = opened(bytes(content), Limits())
    assert noise.startswith(member.content[:65_536])
    assert "is damaged after" in member.damage


def test_what_is_compressed_more_than_three_times_is_refused() -> None:
    content = b"[]"
    for _ in range(3):
        content = gzip.compress(content)
    (member,), _ = opened(content, Limits())
    assert member.content == b"[]"
    with pytest.raises(Unreadable, match="more than 3 times over"):
        opened(gzip.compress(content), Limits())


def test_gzip_that_is_no_gzip_is_refused() -> None:
    with pytest.raises(Unreadable, match="gzip data is damaged"):
        opened(b"\x1f\x8b" + b"nothing of the kind", Limits())


def test_cut_gzip_gives_its_beginning_and_says_so() -> None:
    whole = gzip.compress(bytes(range(256)) * 400)
    members, _ = opened(whole[: len(whole) - 12], Limits())
    assert 0 < len(members[0].content) <= 256 * 400
    assert "was cut" in members[0].damage


def test_several_gzip_members_are_one_document() -> None:
    members, _ = opened(gzip.compress(b"[1,") + gzip.compress(b"2]"), Limits())
    assert members[0].content == b"[1,2]"


def test_members_of_a_zip_come_with_their_names() -> None:
    members, refusals = opened(
        zipped({"a/1.json": b"{}", "b.json.gz": gzip.compress(b"[]")}), Limits()
    )
    assert [(member.name, member.content) for member in members] == [
        ("a/1.json", b"{}"),
        ("b.json.gz", b"[]"),
    ]
    assert refusals == []


def test_damaged_lzma_in_a_zip_is_refused_and_the_others_kept() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("good.json", b"[]")
        archive.writestr("bad.json", b"[1, 2, 3]" * 50, compress_type=zipfile.ZIP_LZMA)
        start = archive.getinfo("bad.json").header_offset + 30 + len("bad.json") + 9
    content = bytearray(packed.getvalue())
    content[start : start + 8] = b"\xff" * 8
    measure(bytes(content), Limits())
    members, refusals = opened(bytes(content), Limits())
    assert [member.name for member in members] == ["good.json"]
    assert [refusal.position for refusal in refusals] == ["bad.json"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_members_of_one_name_are_told_apart() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in (("a", "1"), ("a", "2"), ("a#2", "3"), ("a", "4")):
            archive.writestr(name, content)
    members, _ = opened(packed.getvalue(), Limits())
    assert [(m.name, m.content) for m in members] == [
        ("a", b"1"),
        ("a#3", b"2"),
        ("a#2", b"3"),
        ("a#4", b"4"),
    ]


def test_measuring_complains_of_size_only() -> None:
    measure(b"\x80\x04 a pickle", Limits())
    with pytest.raises(TooLarge):
        measure(bytes(2000), SMALL)


@settings(deadline=None)
@given(st.binary(max_size=200), st.sampled_from(STARTS))
def test_any_bytes_are_opened_or_refused(content: bytes, start: bytes) -> None:
    with contextlib.suppress(Unreadable):
        opened(start + content, SMALL)


@pytest.mark.parametrize("name", ["../run.json", "/etc/run.json", "C:\\run.json", "a/../../b.json"])
def test_a_name_that_leads_out_of_the_archive_is_refused_alone(name: str) -> None:
    members, refusals = opened(zipped({name: b"{}", "a..b/run.json": b"{}"}), Limits())
    assert [member.name for member in members] == ["a..b/run.json"]
    assert [refusal.reason for refusal in refusals] == ["Its name leads out of the archive."]


def test_files_compressed_with_zstandard_are_opened() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", 93) as archive:
        archive.writestr("run.json", b'{"a": 1}' * 999)
    ((member,), refusals) = opened(buffer.getvalue(), Limits())
    assert (member.content, refusals) == (b'{"a": 1}' * 999, [])


def test_a_zip_without_its_directory_gives_the_files_that_are_whole() -> None:
    whole = zipped({"a.json": b"[1]" * 50, "b.json": random.Random(1).randbytes(900)})
    members, refusals = opened(whole[: whole.index(b"b.json") + 500], Limits())
    assert [member.name for member in members] == ["a.json", "b.json"]
    assert members[0].content == b"[1]" * 50
    assert members[0].damage == ""
    assert "breaks off" in members[1].damage
    assert {member.around for member in members} == {
        "The zip archive is damaged: File is not a zip file. 2 files were found without its"
        " directory."
    }
    assert refusals == []

"""Files that belong together are read as one, the rest one by one, and none is passed over."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.traces.formats.files.test_containers import zipped
from tests.traces.formats.native_runs import native_run
from traces.formats import intake, registry
from traces.formats.base import Limits, Reading, Recognised, Unreadable
from traces.formats.files import bundles
from traces.formats.files.containers import Member, opened

RUN = json.dumps(native_run()).encode()
OTHER = json.dumps(native_run(id="run-2")).encode()


class Notes:
    """Joins a run with the notes beside it, as `run.json` and `run.notes.txt`."""

    name = "noted"
    version = "1"

    def claims(self, documents: Sequence[Recognised]) -> Iterator[tuple[int, ...]]:
        names = {each.document.name: index for index, each in enumerate(documents)}
        for index, each in enumerate(documents):
            notes = names.get(each.document.name.replace(".json", ".notes.txt"))
            if each.format == "native" and notes is not None:
                yield (index, notes)

    def read(self, documents: Sequence[Recognised]) -> Reading:
        main, notes = documents
        if notes.document.content == b"refuse":
            raise Unreadable("There is nothing in these notes.")
        if notes.document.content == b"break":
            raise KeyError("page 7")
        (run,) = registry.named("native").read(main.document).runs
        transcript = replace(run.transcript, task_text=notes.document.content.decode())
        return Reading((replace(run, transcript=transcript, pointer=main.document.name),))


class Broken(Notes):
    name = "broken"

    def claims(self, documents: Sequence[Recognised]) -> Iterator[tuple[int, ...]]:
        raise KeyError("claims")


@pytest.fixture
def joiners(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    listed: list[Any] = [Notes()]
    monkeypatch.setattr(registry, "joiners", lambda: listed)
    return listed


def bundle(notes: bytes = b"Count the ships.") -> bytes:
    return zipped({"a/run.json": RUN, "a/run.notes.txt": notes, "b.json": OTHER, "b.txt": b"hm"})


def test_a_group_that_cannot_be_read_is_refused_and_the_rest_is_kept(joiners: list[Any]) -> None:
    result = intake.take(bundle(b"refuse"))
    assert [run.pointer for run in result.runs] == ["b.json"]
    assert [(r.position, r.reason) for r in result.refusals] == [
        ("a/run.json", "There is nothing in these notes.")
    ]


def test_what_a_joiner_raises_is_a_sentence(
    joiners: list[Any], caplog: pytest.LogCaptureFixture
) -> None:
    (refusal,) = intake.take(bundle(b"break")).refusals
    assert refusal.reason == "The format noted failed on this document."
    assert refusal.excerpt == "KeyError: 'page 7'"


def test_a_joiner_that_cannot_choose_leaves_the_files_to_the_others(
    joiners: list[Any], caplog: pytest.LogCaptureFixture
) -> None:
    joiners.insert(0, Broken())
    assert [run.format for run in intake.take(bundle()).runs] == ["noted@1", "native@2"]


def test_files_of_a_group_are_read_together_and_the_others_one_by_one(joiners: list[Any]) -> None:
    result = intake.take(bundle())
    first, second = result.runs
    assert (first.pointer, first.format) == ("a/run.json", "noted@1")
    assert first.rule.startswith("a bundle of 2 files: ")
    assert first.transcript.task_text == "Count the ships."
    assert (second.pointer, second.format) == ("b.json", "native@2")
    assert (result.refusals, result.left_out) == ((), ("b.txt",))


def test_a_format_named_by_the_sender_joins_only_what_is_its_own(joiners: list[Any]) -> None:
    result = intake.take(bundle(), wanted="native")
    assert [run.format for run in result.runs] == ["native@2", "native@2"]


def test_what_one_joiner_has_is_not_given_to_the_next(joiners: list[Any]) -> None:
    joiners.append(Notes())
    files = [bundles.recognised(member, Limits()) for member in opened(bundle(), Limits())[0]]
    assert [group.indexes for group in bundles.groups(files)] == [(0, 1)]


@pytest.mark.parametrize(
    ("names", "folder"),
    [
        (["a/b/c", "a/b/d"], "a/b/"),
        (["a/b/c", "a/x"], "a/"),
        (["a", "b"], ""),
        (["a/b"], "a/"),
        (["a/a/b", "a"], ""),
    ],
)
def test_the_folder_that_files_have_in_common(names: list[str], folder: str) -> None:
    assert bundles.common_folder(names) == folder


@given(st.permutations([("x/1", b"1"), ("x/y/2", b"2"), ("x/3", b"3")]), st.sampled_from("pq"))
def test_the_same_files_are_the_same_bytes(files: list[tuple[str, bytes]], root: str) -> None:
    made = bundles.together([f"{root}/{name}" for name, _ in files], [c for _, c in files])
    members, _ = opened(made, Limits())
    assert members == [Member(b"1", "1"), Member(b"3", "3"), Member(b"2", "y/2")]
    assert made == bundles.together(["x/1", "x/3", "x/y/2"], [b"1", b"3", b"2"])

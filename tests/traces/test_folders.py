"""Which files of a folder are taken, and what is said of the others."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.traces.formats.files.test_bundles import Notes
from tests.traces.formats.native_runs import native_run
from traces.folders import Found, found
from traces.formats import intake, registry


def found_in(*paths: Path | str, limit: int = 1000) -> list[Found]:
    return list(found(map(str, paths), limit=limit))


def test_what_does_not_exist_is_named() -> None:
    assert found_in("/no/such") == [Found("/no/such", trouble="There is no such file.")]


def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (each,) = found_in(tmp_path / "pipe")
    assert each.trouble == "This is neither a file nor a folder."


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_what_may_not_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(b"{}")
    path.chmod(0)
    assert found_in(path)[0].trouble == "It cannot be read: Permission denied."


def test_a_link_to_nothing_is_named_if_it_was_asked_for(tmp_path: Path) -> None:
    (tmp_path / "run.json").symlink_to(tmp_path / "gone")
    assert found_in(tmp_path / "run.json")[0].trouble


def test_a_folder_without_traces_says_so(tmp_path: Path) -> None:
    (each,) = found_in(tmp_path)
    assert each.trouble == "There is no trace in this folder: it is empty."
    (tmp_path / "README.md").write_text("# Notes")
    skipped, each = found_in(tmp_path)
    assert skipped.skipped == "documentation"
    assert each.trouble == "There is no trace in this folder: none of its 1 files is one."


def test_a_named_file_is_never_passed_over(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Notes")
    assert found_in(tmp_path / "README.md") == [
        Found(str(tmp_path / "README.md"), content=b"# Notes")
    ]


def test_a_folder_is_walked_in_order_of_names(tmp_path: Path) -> None:
    for name in ("b/2.json", "b/1.json", "a.json", ".hidden/3.json", "LICENSE"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}")
    taken = [Path(each.path).relative_to(tmp_path) for each in found_in(tmp_path) if each.content]
    assert list(map(str, taken)) == ["a.json", "b/1.json", "b/2.json"]


def test_no_more_is_read_than_shows_that_it_is_too_large(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_bytes(bytes(5000))
    assert len(found_in(tmp_path / "run.json", limit=100)[0].content) == 101


@pytest.fixture
def noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a run and its notes, another run, and notes of nobody."""
    monkeypatch.setattr(registry, "joiners", lambda: [Notes()])
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "run.json").write_text(json.dumps(native_run()))
    (tmp_path / "a" / "run.notes.txt").write_text("Count the ships.")
    (tmp_path / "b.json").write_text(json.dumps(native_run(id="run-2")))
    (tmp_path / "b.txt").write_text("hm")
    return tmp_path


def told(folder: Path, *, limit: int) -> list[tuple[str, list[str], str]]:
    """What became of each file: its name, those of its parts, and why it was skipped."""
    return [
        (name_in(folder, each.path), [name_in(folder, p) for p in each.parts], each.skipped)
        for each in found_in(folder, limit=limit)
    ]


def name_in(folder: Path, path: str) -> str:
    return str(Path(path).relative_to(folder))


def test_files_that_belong_together_are_one_document(noted: Path) -> None:
    assert told(noted, limit=10_000) == [
        ("a/run.json", ["a/run.notes.txt"], ""),
        ("b.json", [], ""),
        ("b.txt", [], "not JSON"),
    ]
    main = found_in(noted, limit=10_000)[0]
    (run,) = intake.take(main.content).runs
    assert (run.format, run.pointer) == ("noted@1", "run.json")
    assert run.transcript.task_text == "Count the ships."


def test_one_document_is_the_same_wherever_the_folder_lies(noted: Path) -> None:
    (noted / "x").mkdir()
    before = found_in(noted, limit=10_000)[0].content
    (noted / "a").rename(noted / "x" / "y")
    assert found_in(noted, limit=10_000)[-1].content == before


def test_a_folder_too_large_for_a_bundle_is_taken_folder_by_folder(noted: Path) -> None:
    one = (noted / "a" / "run.json").stat().st_size + len("Count the ships.")
    assert told(noted, limit=one) == [
        ("b.json", [], ""),
        ("b.txt", [], "not JSON"),
        ("a/run.json", ["a/run.notes.txt"], ""),
    ]


def test_at_last_file_by_file(noted: Path) -> None:
    assert ("a/run.json", [], "") in told(noted, limit=100)
    assert ("a/run.notes.txt", [], "not JSON") in told(noted, limit=100)


def test_a_link_to_a_folder_above_leads_nowhere(noted: Path) -> None:
    (noted / "a" / "round").symlink_to(noted)
    assert len(told(noted, limit=100)) == 4

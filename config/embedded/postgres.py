"""The embedded PostgreSQL 18: where it is, and the program that runs it.

It listens on a Unix socket only, in a folder that other users cannot enter, and asks everybody
for a password all the same.
"""

import os
import signal
from dataclasses import dataclass
from pathlib import Path

import psutil
import psycopg

from config.embedded import paths
from config.embedded.account import Account
from config.embedded.processes import Child, Program
from config.embedded.secrets import secret

ROLE = DATABASE = "inquest"
SUPERUSER = "postgres"
# No TCP port is opened: the number is only part of the socket's name.
PORT = "5432"
# For a small machine that also runs everything else.
SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "shared_buffers": "128MB",
    "max_connections": "60",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
}
# Fast shutdown: ends sessions and writes everything down. Then immediate: recovers at next start.
STOP = (signal.SIGINT, signal.SIGQUIT)
PATIENCE = 60.0
# For databases that nobody will miss.
THROWAWAY = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


@dataclass(frozen=True)
class Cluster:
    """A database cluster on disk, the programs for it, and the account that runs them."""

    data: Path
    programs: Path
    account: Account
    throwaway: bool = False


def connection_settings() -> dict[str, str]:
    """Django's keys for the embedded server, whether it runs or not. Never raises.

    Where the state folder cannot be written or read the password is empty, and the first
    connection says what is wrong.
    """
    keys = {"NAME": DATABASE, "USER": ROLE, "PORT": PORT}
    try:
        return {**keys, "HOST": str(socket_dir()), "PASSWORD": secret("database_password")}
    except (OSError, paths.StartRefused):
        return {**keys, "HOST": "/nonexistent", "PASSWORD": ""}


def socket_dir() -> Path:
    """The folder of the server's socket. Root's server runs as another user and has its own."""
    return paths.data_dir() / "sockets-postgres" if paths.runs_as_root() else paths.socket_dir()


def program(cluster: Cluster) -> Program:
    """The server, with all it listens to and all it may use on its command line."""
    settings = {**SETTINGS, "unix_socket_directories": str(socket_dir())}
    if cluster.throwaway:
        settings |= THROWAWAY
    options = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
    return Program(
        "postgres",
        [cluster.programs / "postgres", "-D", cluster.data, *options],
        place=Path("/"),
        environment=environment(),
        account=cluster.account,
        stop=STOP,
        patience=PATIENCE,
    )


def environment() -> dict[str, str]:
    """Nothing of the caller's: a stray PGDATA or PGPORT would move the server elsewhere."""
    return {"PATH": os.defpath, "LC_ALL": "C"}


def accepts_connections() -> bool:
    """Whether the server is there and has finished recovering. Raises if it refuses us."""
    try:
        connect_as_superuser().close()
    except psycopg.OperationalError as error:
        if "password authentication failed" in str(error):
            raise paths.StartRefused(
                f"The database in {paths.data_dir()} was made with other passwords than those in"
                f" {paths.state_dir() / 'secrets'}: put those back."
            ) from error
        return False
    return True


def connect_as_superuser() -> psycopg.Connection:
    """A connection for laying out roles and databases, never for the application."""
    return psycopg.connect(
        host=str(socket_dir()),
        port=PORT,
        user=SUPERUSER,
        password=secret("database_superuser_password"),
        dbname="postgres",
        connect_timeout=5,
        autocommit=True,
    )


def running_server(data: Path) -> Child | None:
    """The server that holds this data, if its lock file tells the truth."""
    try:
        number = int((data / "postmaster.pid").read_text().split("\n", 1)[0])
        process = psutil.Process(number)
        ours = str(data) in process.cmdline()
    except (FileNotFoundError, ValueError, psutil.Error):
        return None
    return Child("postgres", process, process.create_time(), STOP, PATIENCE) if ours else None

"""The embedded PostgreSQL 18: where it is."""

from pathlib import Path

from config.embedded import paths
from config.embedded.secrets import secret

ROLE = DATABASE = "inquest"
# No TCP port is opened: the number is only part of the socket's name.
PORT = "5432"


def socket_dir() -> Path:
    """The folder of the server's socket. Root's server runs as another user and has its own."""
    return paths.data_dir() / "sockets-postgres" if paths.runs_as_root() else paths.socket_dir()


def connection_settings() -> dict[str, str]:
    """Django's keys for the embedded server, whether it runs or not. Never raises.

    Where the state folder cannot be written or read the password is empty, and the first
    connection says what is wrong.
    """
    keys = {"NAME": DATABASE, "USER": ROLE, "PORT": PORT}
    try:
        return {**keys, "HOST": str(socket_dir()), "PASSWORD": secret("database_password")}
    except OSError:
        return {**keys, "HOST": "/nonexistent", "PASSWORD": ""}

"""The embedded Valkey: where it is."""

from config.embedded.paths import socket_dir
from config.embedded.secrets import secret


def broker_url() -> str:
    """Celery's address of the embedded broker, whether it runs or not. Never raises."""
    try:
        return f"redis+socket://:{secret('broker_password')}@{socket_dir()}/valkey.sock"
    except OSError:
        return "redis+socket:///nonexistent/valkey.sock"

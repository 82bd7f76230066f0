"""The application's own processes: web server, Celery worker and beat."""

import errno
import http.client
import os
import signal
import socket
import sys
from collections.abc import Sequence

from config.embedded.paths import StartRefused, checkout, state_dir
from config.embedded.processes import Program, log_tail

# Seconds a request or a task may go on after we were asked to stop.
WEB_GRACE = 5
WORKER_GRACE = 10.0
# Tasks at a time.
WIDEST_WORKER = 4


def listen(host: str, port: int) -> socket.socket:
    """Take the port before anything is started, so that nothing has to be taken back."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=128)
    except OSError as error:
        why = "is taken" if error.errno == errno.EADDRINUSE else f"is not to be had ({error})"
        raise StartRefused(
            f"Port {port} of {host} {why}: free it, or choose another with `make run PORT=8001`."
        ) from error


def web(listener: socket.socket) -> Program:
    arguments = (
        "config.wsgi:application",
        f"--bind=fd://{listener.fileno()}",
        "--worker-class=gthread",
        "--workers=2",
        "--threads=4",
        f"--graceful-timeout={WEB_GRACE}",
        "--access-logfile=-",
        # Without the query: it may hold what somebody searches for.
        "--access-logformat=%(h)s %(l)s %(u)s %(t)s %(m)s %(U)s %(H)s %(s)s %(b)s",
        # It would be one more socket, in a folder of gunicorn's choice.
        "--no-control-socket",
    )
    return _python("web", ("gunicorn", *arguments), files=(listener.fileno(),))


def worker() -> Program:
    # Few enough for the embedded database's connections, on whatever machine.
    width = min(os.cpu_count() or 2, WIDEST_WORKER)
    options = ("--loglevel=INFO", f"--concurrency={width}", "--without-mingle")
    return _python(
        "worker",
        ("celery", "--app=config", "worker", "--without-gossip", *options),
        # Warm first: finish the task. Then cold: hand it back.
        stop=(signal.SIGTERM, signal.SIGQUIT),
        patience=WORKER_GRACE,
    )


def beat() -> Program:
    schedule = f"--schedule={state_dir() / 'beat-schedule'}"
    return _python("beat", ("celery", "--app=config", "beat", "--loglevel=INFO", schedule))


def answers(host: str, port: int) -> bool:
    """Whether the web server there gives any answer at all within two seconds."""
    connection = http.client.HTTPConnection(host, port, timeout=2)
    try:
        connection.request("GET", "/")
        connection.getresponse()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return True


def worker_is_ready() -> bool:
    """Whether the worker has said so; it would have to be asked by a message otherwise."""
    return " ready." in log_tail("worker", lines=100)


def _python(
    name: str,
    module: Sequence[str],
    *,
    files: Sequence[int] = (),
    stop: Sequence[int] = (signal.SIGTERM,),
    patience: float = 10.0,
) -> Program:
    # By -m and from the checkout: the path in a script's first line may not be long or spaced.
    return Program(
        name,
        [sys.executable, "-m", *module],
        place=checkout(),
        environment={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "INQUEST_STATE_DIR": str(state_dir()),
            "PYTHONUNBUFFERED": "1",
        },
        files=files,
        stop=stop,
        patience=patience,
    )

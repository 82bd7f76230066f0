"""Services that live as long as the process that started them: for tests.

`python -m config.embedded.temporary` starts both in the state folder it is given, says that they
are ready, and waits for its standard input to end. However its parent dies, the input ends with
it: the services stop and their data is deleted.
"""

import contextlib
import select
import shutil
import sys

from config.embedded import paths
from config.embedded.services import start_services
from config.embedded.supervisor import StopAsked, Supervisor


def keep(*, database: bool, broker: bool) -> None:
    try:
        with contextlib.suppress(StopAsked), Supervisor() as supervisor:
            start_services(supervisor, database=database, broker=broker, throwaway=True)
            sys.stdout.write("ready\n")
            sys.stdout.flush()
            supervisor.wait_until(_input_ended, name="parent", seconds=float("inf"))
    finally:
        forget()


def forget() -> None:
    """Delete the data, the sockets and the state of this installation."""
    for folder in (paths.socket_dir(), paths.data_dir(), paths.state_dir()):
        shutil.rmtree(folder, ignore_errors=True)


def _input_ended() -> bool:
    readable, _, _ = select.select([sys.stdin], [], [], 0)
    return bool(readable) and not sys.stdin.read(1)


if __name__ == "__main__":
    keep(database="DATABASE_URL" in sys.argv, broker="CELERY_BROKER_URL" in sys.argv)

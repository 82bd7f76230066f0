"""Gives the tests a database and a broker of their own, before Django's settings are read.

Loaded with `-p tests.services`. DATABASE_URL and CELERY_BROKER_URL choose other ones. The state
folder is always a temporary one: no test touches a developer's installation.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

import pytest

from config.embedded import postgres, valkey

# Seconds. Both are there after one or two.
PATIENCE = 60


def _start_keeper() -> subprocess.Popen[str] | None:
    """Start what the environment does not name, and name it there for us and our children."""
    os.environ["INQUEST_STATE_DIR"] = tempfile.mkdtemp(prefix="inquest-tests-")
    urls = {"DATABASE_URL": database_url(), "CELERY_BROKER_URL": valkey.broker_url()}
    missing = {name: url for name, url in urls.items() if not os.environ.get(name)}
    os.environ.update(missing)
    if not missing:
        return None
    # In a process of its own, which ends with us in whatever way we end.
    return subprocess.Popen(
        [sys.executable, "-m", "config.embedded.temporary", *missing],
        cwd=Path(__file__).parent.parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )


def database_url() -> str:
    """The embedded server as one address; its host is the folder of its socket."""
    keys = postgres.connection_settings()
    host = quote(keys["HOST"], safe="")
    return f"postgres://{keys['USER']}:{keys['PASSWORD']}@{host}:{keys['PORT']}/{keys['NAME']}"


keeper = _start_keeper()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart() -> None:
    if keeper is not None and keeper.stdout is not None and keeper.stdout.readline() != "ready\n":
        pytest.exit("The services for the tests did not start: see above.", returncode=3)


def pytest_unconfigure() -> None:
    if keeper is not None:
        keeper.communicate()
    shutil.rmtree(os.environ["INQUEST_STATE_DIR"], ignore_errors=True)

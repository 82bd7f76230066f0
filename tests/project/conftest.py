"""Installations of the embedded services, apart from the one that serves the tests themselves."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.embedded import temporary
from tests.project.embedded import running


@pytest.fixture(scope="module")
def installation() -> Iterator[Path]:
    """A state folder with both services running."""
    with pytest.MonkeyPatch.context() as patch:
        state = Path(tempfile.mkdtemp(prefix="inquest-embedded-"))
        patch.setenv("INQUEST_STATE_DIR", str(state))
        with running():
            yield state
        temporary.forget()


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A new state folder, nothing running."""
    folder = Path(tempfile.mkdtemp(prefix="inquest-embedded-"))
    monkeypatch.setenv("INQUEST_STATE_DIR", str(folder))
    yield folder
    temporary.forget()

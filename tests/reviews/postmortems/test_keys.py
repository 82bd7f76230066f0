"""The installation's key: made once, by whoever comes first, and readable by its owner only."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings as configured

from reviews.postmortems import keys, signing

SHOW = (
    "from config.embedded import paths, records; from reviews.postmortems import signing;"
    "print(signing.signer_from(records.read_or_create(paths.state_dir() / 'signing_key.pem',"
    " signing.generate_key).encode()).public_key.keyid)"
)


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("INQUEST_STATE_DIR", str(tmp_path))
    return tmp_path


def test_a_named_key_that_is_not_there_is_an_error(settings, state: Path) -> None:
    settings.SIGNING_KEY_FILE = str(state / "nowhere.pem")
    with pytest.raises(FileNotFoundError):
        keys.installation_signer()
    (state / "nowhere.pem").write_text("no key")
    with pytest.raises(signing.BadKey):
        keys.installation_signer()
    assert not (state / "signing_key.pem").exists()


def test_the_key_is_made_once_and_private(state: Path) -> None:
    first, second = keys.installation_signer(), keys.installation_signer()
    assert first.public_key.keyid == second.public_key.keyid
    file = state / "signing_key.pem"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_text().startswith("-----BEGIN PRIVATE KEY-----\n")


def test_processes_that_start_together_agree_on_one_key(state: Path) -> None:
    started = [
        subprocess.Popen(
            [sys.executable, "-c", SHOW],
            cwd=configured.BASE_DIR,
            env={"INQUEST_STATE_DIR": str(state)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    told = {process.communicate(timeout=60)[0] for process in started}
    assert told == {keys.installation_signer().public_key.keyid + "\n"}


def test_a_named_key_is_used(settings, state: Path) -> None:
    file = state / "mine.pem"
    file.write_text(signing.generate_key())
    settings.SIGNING_KEY_FILE = str(file)
    signer = keys.installation_signer()
    assert signer.public_key.keyid == signing.signer_from(file.read_bytes()).public_key.keyid
    assert not (state / "signing_key.pem").exists()

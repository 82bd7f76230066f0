"""The files that install and start Inquest say what they promise."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from config.embedded.paths import checkout

ROOT = checkout()
LOCKS = [ROOT / "requirements" / "runtime.txt", ROOT / "requirements" / "dev.txt"]


def pins(lock: Path) -> dict[str, str]:
    return dict(re.findall(r"^([\w.-]+)==(\S+)", lock.read_text(), re.MULTILINE))


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_file_names_no_package_index(lock: Path) -> None:
    assert re.findall(r"^-.*|https?:\S*", lock.read_text(), re.MULTILINE) == []


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_package_is_pinned_with_a_hash(lock: Path) -> None:
    blocks = re.split(r"\n(?=\S)", lock.read_text().strip())
    assert [block for block in blocks if not re.match(r"[\w.\[\]-]+==\S+", block)] == []
    assert [block for block in blocks if "--hash=sha256:" not in block] == []


def test_what_is_asked_for_is_locked() -> None:
    for lock in LOCKS:
        asked = re.findall(r"^[a-z][\w.-]*", lock.with_suffix(".in").read_text(), re.MULTILINE)
        assert [name for name in asked if name not in pins(lock)] == []


def test_the_lock_files_agree() -> None:
    runtime, dev = map(pins, LOCKS)
    assert {name for name in runtime.keys() & dev.keys() if runtime[name] != dev[name]} == set()


def test_a_port_of_the_environment_is_not_ours() -> None:
    shown = subprocess.run(
        ["make", "-n", "run"],
        cwd=ROOT,
        env={"PORT": "3000", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "--port" not in shown.stdout


def test_a_port_on_the_command_line_is() -> None:
    shown = subprocess.run(
        ["make", "-n", "run", "PORT=8001"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "manage.py up --port '8001'" in shown.stdout


def test_every_container_is_checked_or_ends() -> None:
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    assert set(services) == {"postgres", "valkey", "migrate", "web", "worker", "beat"}
    assert [name for name, each in services.items() if "test" not in each["healthcheck"]] == [
        "migrate"
    ]
    for name in ("web", "worker", "beat"):
        needed = services[name]["depends_on"]
        assert needed["migrate"] == {"condition": "service_completed_successfully"}
        assert services[name]["environment"]["DATABASE_URL"].endswith("@postgres:5432/inquest")


def test_the_script_of_continuous_integration_is_sound() -> None:
    script = ROOT / ".ci" / "run"
    assert subprocess.run(["bash", "-n", script], check=False).returncode == 0
    assert script.stat().st_mode & 0o111

"""The command as people run it: in a process and a database of its own, which then is gone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest

from traces.bench.database import PREFIX

ROOT = Path(__file__).parents[2]
PATIENCE = 180

pytestmark = pytest.mark.database


def start(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "manage.py", "bench", *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def databases() -> set[str]:
    """Names of the databases that benches made and that are there now."""
    address = os.environ["DATABASE_URL"].rpartition("/")[0] + "/postgres"
    with psycopg.connect(address) as connection:
        rows = connection.execute("SELECT datname FROM pg_database").fetchall()
    return {name for (name,) in rows if name.startswith(PREFIX)}


def test_an_unknown_bench_is_refused_before_anything_is_made() -> None:
    process = start("speed")
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert out == ""
    assert 'There is no bench "speed". Known: ingest, otlp, otlp-kill, memory,' in err


def test_one_json_document_comes_out_and_the_database_is_gone() -> None:
    process = start("causality", "attributors", "--quick", "--json")
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    figures = json.loads(out)["figures"]
    assert [figure["bench"] for figure in figures] == ["causality"] * 6 + ["attributors"] * 3
    keys = {"bench", "name", "of", "value", "unit", "target", "met", "command"}
    assert all(set(figure) == keys and figure["value"] > 0 for figure in figures)
    assert [(figure["target"], figure["met"]) for figure in figures[:6]] == [("<= 1000", None)] * 6
    assert err.splitlines()[:2] == ["Measuring causality, 1 of 2.", "  could_see, 5,000 steps"]
    assert "Measuring attributors, 2 of 2." in err.splitlines()
    assert f"{PREFIX}{process.pid}" not in databases()


def test_an_interrupted_bench_leaves_no_database() -> None:
    process = start("claims")
    name, end = f"{PREFIX}{process.pid}", time.monotonic() + PATIENCE
    while name not in databases():
        assert time.monotonic() < end
        time.sleep(0.2)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1, out + err
    assert "Stopped. The database of the measurement is deleted." in err
    assert name not in databases()

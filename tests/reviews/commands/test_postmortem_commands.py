from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from reviews.models import Postmortem, Verdict
from reviews.postmortems import signing
from reviews.postmortems.verify import statement_in
from tests.reviews.scenes import case_of, make_failed_run, make_scene, settle, sign

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def verdict() -> Verdict:
    case = make_scene()
    return settle(case, sign(case, "ada"))


def run(*words: str) -> str:
    out = StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


def exported(folder: Path) -> tuple[Path, Path]:
    file, key = folder / "case-1.json", folder / "key.pem"
    where = ("--out", str(file), "--public-key", str(key))
    run("export_postmortem", "--project", "demo", "--case", "1", *where)
    return file, key


def program(*words: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words,
        check=False,
        cwd=settings.BASE_DIR,
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
    )


def refused(*words: str) -> str:
    out = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command(*words, stdout=out)
    assert ended.value.code == 1
    return out.getvalue()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--project", "other", "--case", "1"), "Case 1 of other has no verdict"),
        (("--project", "demo", "--case", "2"), "Case 2 of demo has no verdict"),
        (("--project", "demo", "--case", str(2**40)), "has no verdict"),
        (("--project", "demo", "--case", "1", "--json"), "give --out as well"),
        (("--project", "demo", "--case", "1", "--out", "/nowhere/x"), "cannot be written"),
        (("--project", "demo", "--case", "1", "--format", "pdf"), "invalid choice"),
    ],
)
@pytest.mark.usefixtures("verdict")
def test_what_cannot_be_exported_is_refused(words: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        run("export_postmortem", *words)


def test_a_case_without_a_verdict_is_not_exported() -> None:
    case = make_scene()
    sign(case, "ada")
    with pytest.raises(CommandError, match="has no verdict"):
        run("export_postmortem", "--project", "demo", "--case", "1")


def test_the_file_is_the_envelope_byte_for_byte(verdict: Verdict, tmp_path: Path) -> None:
    envelope = verdict.postmortem.envelope
    assert run("export_postmortem", "--project", "demo", "--case", "1") == envelope
    file, _ = exported(tmp_path)
    assert file.read_bytes() == envelope.encode()


def test_the_standing_verdict_is_exported(verdict: Verdict) -> None:
    newer = settle(verdict.case, verdict.adopted, supersedes=verdict)
    told = run("export_postmortem", "--project", "demo", "--case", "1")
    assert told == newer.postmortem.envelope
    assert Postmortem.objects.count() == 2


def test_exporting_says_what_was_written(verdict: Verdict, tmp_path: Path) -> None:
    for kind, start in {"json": "{", "markdown": "# ", "html": "<!doctype html>"}.items():
        file = tmp_path / kind
        words = ("--format", kind, "--out", str(file), "--json")
        told = json.loads(run("export_postmortem", "--project", "demo", "--case", "1", *words))
        assert told["sha256"] == hashlib.sha256(verdict.postmortem.envelope.encode()).hexdigest()
        assert (told["format"], told["verdict"]) == (kind, 1)
        assert file.read_text().startswith(start)


def test_a_key_that_did_not_sign_is_not_handed_out(
    verdict: Verdict, tmp_path: Path, settings
) -> None:
    other = tmp_path / "other.pem"
    other.write_text(signing.generate_key())
    settings.SIGNING_KEY_FILE = str(other)
    with pytest.raises(CommandError, match="does not use any more"):
        exported(tmp_path)


@pytest.mark.usefixtures("verdict")
def test_a_changed_file_is_invalid(tmp_path: Path) -> None:
    file, key = exported(tmp_path)
    file.write_bytes(file.read_bytes() + b"\n")
    told = refused("verify_postmortem", str(file), "--key", str(key))
    assert told == "invalid: The file is not canonical JSON (RFC 8785).\n"
    told = json.loads(refused("verify_postmortem", str(file), "--key", str(key), "--json"))
    assert told["valid"] is False
    assert told["faults"] == ["The file is not canonical JSON (RFC 8785)."]
    assert "signed_by" not in told


@pytest.mark.usefixtures("verdict")
def test_another_document_is_invalid(tmp_path: Path) -> None:
    file, key = exported(tmp_path)
    raw = tmp_path / "raw.json"
    raw.write_bytes(b"{}")
    words = ("verify_postmortem", str(file), "--key", str(key), "--document", str(raw))
    assert "is no document of this postmortem" in refused(*words)


@pytest.mark.usefixtures("verdict")
def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    file, key = exported(tmp_path)
    for words in ((str(file), "--key", "/nowhere"), ("/nowhere", "--key", str(key))):
        with pytest.raises(CommandError, match="/nowhere cannot be read: No such file"):
            run("verify_postmortem", *words)


def test_a_valid_file_is_told_with_who_what_and_when(verdict: Verdict, tmp_path: Path) -> None:
    file, key = exported(tmp_path)
    raw = tmp_path / "raw.json"
    raw.write_bytes(bytes(verdict.case.run.document.content))
    words = ("verify_postmortem", str(file), "--key", str(key), "--document", str(raw))
    told = run(*words)
    assert told.startswith("valid\n")
    for line in (
        "what: case 1 of demo, verdict 1: attributed",
        "who: lena (lena)",
        "when: 2026-11-20T09:00:00+00:00",
        "run: run-1",
        f"document: {raw} is the one it is about",
    ):
        assert line in told
    told = json.loads(run(*words, "--json"))
    assert told["valid"] is True
    assert told["faults"] == []
    assert (told["project"], told["case"], told["signed_by"]) == ("demo", 1, "lena (lena)")
    assert told["keyid"] == verdict.postmortem.keyid


@pytest.mark.usefixtures("verdict")
def test_verifying_needs_no_database_no_services_and_no_state(tmp_path: Path) -> None:
    file, key = exported(tmp_path)
    state = tmp_path / "state"
    state.mkdir()
    environment = {
        "PATH": os.environ["PATH"],
        "DATABASE_URL": "postgres://nobody@127.0.0.1:9/nothing",
        "CELERY_BROKER_URL": "redis://127.0.0.1:9/0",
        "INQUEST_STATE_DIR": str(state),
    }
    words = (sys.executable, "manage.py", "verify_postmortem", str(file), "--key", str(key))
    ended = program(*words, env=environment)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("valid\n")
    file.write_bytes(file.read_bytes()[:-1])
    ended = program(*words, env=environment)
    assert (ended.returncode, ended.stderr) == (1, "")
    assert ended.stdout == "invalid: The file is not JSON in UTF-8.\n"


@pytest.mark.usefixtures("verdict")
def test_the_program_of_the_documentation_verifies_too(tmp_path: Path) -> None:
    """It uses nothing of ours, so it is also a second opinion on our own verifier."""
    page = (Path(settings.BASE_DIR) / "docs" / "verify.md").read_text()
    (text,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    file, key = exported(tmp_path)
    words = (sys.executable, "-c", text, str(file), str(key))
    ended = program(*words)
    assert ended.returncode == 0, ended.stderr
    told = statement_in(file.read_bytes())["predicate"]["verdict"]
    assert json.loads(ended.stdout) == told
    file.write_bytes(file.read_bytes().replace(b'"payload":"ey', b'"payload":"eY'))
    assert program(*words).returncode != 0


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
@pytest.mark.usefixtures("verdict")
def test_openssl_verifies_the_signature_too(tmp_path: Path) -> None:
    file, key = exported(tmp_path)
    envelope = json.loads(file.read_bytes())
    (tmp_path / "sig").write_bytes(base64.b64decode(envelope["signatures"][0]["sig"]))
    kind, payload = envelope["payloadType"].encode(), base64.b64decode(envelope["payload"])
    pae = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)
    (tmp_path / "pae").write_bytes(pae)
    words = ("openssl", "pkeyutl", "-verify", "-pubin", "-inkey", str(key), "-rawin")
    files = ("-in", str(tmp_path / "pae"), "-sigfile", str(tmp_path / "sig"))
    ended = program(*words, *files)
    assert "Signature Verified Successfully" in ended.stdout, ended.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("export_postmortem", "--project", "demo", "--case", "1"),
        ("verify_audit",),
        ("load_samples",),
    ],
)
def test_no_database_is_said_in_a_sentence(words: tuple[str, ...]) -> None:
    closed = {**os.environ, "DATABASE_URL": "postgres://nobody@127.0.0.1:9/nothing"}
    ended = program(sys.executable, "manage.py", *words, env=closed)
    assert ended.returncode == 1
    assert ended.stderr.startswith("CommandError: The database cannot be reached.")
    assert "Traceback" not in ended.stderr


def test_two_cases_export_two_files(verdict: Verdict) -> None:
    other = case_of(make_failed_run(verdict.case.project, "run-2"))
    settle(other, sign(other, "ada", "unresolved"))
    told = run("export_postmortem", "--project", "demo", "--case", "2")
    assert statement_in(told.encode())["predicate"]["verdict"]["outcome"] == "unresolved"

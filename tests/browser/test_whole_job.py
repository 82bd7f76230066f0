"""From a file to a verified postmortem, with the keyboard alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.browser.conftest import ROOT, Person
from tests.factories import make_project
from tests.reviews.scenes import make_policy

SAMPLES = ROOT / "traces" / "samples"
FILES = [SAMPLES / f"retired-interface-{outcome}.json" for outcome in ("passed", "failed")]


def test_from_upload_to_verified_postmortem(people, worker, tmp_path):
    make_policy(make_project(), signatures_needed=1)
    ada = people("ada")
    upload(ada, FILES)
    take_the_case(ada)
    judge(ada)
    sign(ada)
    lena = people("lena")
    settle(lena)
    envelope, key = download(lena, tmp_path)
    assert verify(envelope, key) == 0
    spoilt = tmp_path / "spoilt.json"
    spoilt.write_bytes(envelope.read_bytes().replace(b"a", b"b", 1))
    assert verify(spoilt, key) == 1


def upload(ada: Person, files: list[Path]) -> None:
    ada.follows("Runs")
    ada.follows("Upload")
    # No keyboard reaches into the system's file dialog: the field it would fill is filled.
    ada.page.set_input_files("input[type=file]", files)
    ada.focuses("main form button")
    ada.presses("Enter")
    ada.sees("einv-7f3c21e1")


def take_the_case(ada: Person) -> None:
    ada.follows("Work list")
    ada.focuses("main header button")
    ada.presses("Enter")
    ada.sees("Your claim")


def judge(ada: Person) -> None:
    # Candidates come by themselves once the worker has looked at the run.
    ada.page.wait_for_selector("#candidates li[data-candidate='1']")
    ada.presses("1")
    ada.sees_in("#claim", "#14 planner")
    ada.presses(".", "x")
    ada.sees_in("#claim", "#50 integrator")
    ada.presses("e")
    ada.page.keyboard.type("The page it read says the interface is retired.")
    ada.focuses("#state_change")
    ada.page.keyboard.type("plan@1 to plan@2: interface = gateway v1")
    for name in ("counterfactual", "evaluator", "environment", "task", "harness", "confidence"):
        ada.focuses(f"input[name={name}]")
        ada.presses("Space")
    ada.sees_in("#claim-footer", "Nothing is missing.")
    ada.sees_saved()


def sign(ada: Person) -> None:
    ada.presses("Escape", "s")
    ada.sees("Sign the candidate as it stands")
    ada.presses("Enter")
    ada.sees("Claim of ada")


def settle(lena: Person) -> None:
    lena.follows("Verdicts")
    lena.focuses("td.main a")
    lena.presses("Enter")
    lena.focuses("input[name=adopted]")
    lena.presses("Space")
    lena.focuses("textarea[name=reason]")
    lena.page.keyboard.type("The quote shows the choice; the retired page was in its input.")
    lena.focuses("button.loud")
    lena.presses("Enter")
    lena.sees("settled")


def download(lena: Person, folder: Path) -> tuple[Path, Path]:
    kept = []
    for link in ("signed JSON", "public key"):
        with lena.page.expect_download() as waiting:
            lena.focuses(f"a:text-is('{link}')")
            lena.presses("Enter")
        file = folder / waiting.value.suggested_filename
        waiting.value.save_as(file)
        kept.append(file)
    assert json.loads(kept[0].read_text())["payloadType"] == "application/vnd.in-toto+json"
    return kept[0], kept[1]


def verify(envelope: Path, key: Path) -> int:
    command = [sys.executable, "manage.py", "verify_postmortem", str(envelope), "--key", str(key)]
    return subprocess.run(command, cwd=ROOT, check=False, capture_output=True).returncode

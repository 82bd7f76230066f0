from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from attribution.models import Analysis
from tests.attribution.scenes import calls, failed, passed, says
from tests.factories import make_project, make_run
from traces.models import Project, Run

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def run(project: Project) -> Run:
    broken = calls(1, "run", answer="no such file", status="error", path="x")
    return make_run(project, failed(says(0, "Go."), broken))


def attribute(*arguments: str) -> str:
    out = StringIO()
    call_command("attribute", *arguments, stdout=out)
    return out.getvalue()


def as_json(*arguments: str) -> list[dict[str, Any]]:
    return json.loads(attribute(*arguments, "--json"))["analyses"]


@pytest.mark.parametrize("arguments", [(), ("--run", "x", "--project", "demo")])
def test_it_asks_for_a_run_or_a_project(arguments: tuple[str, ...]):
    with pytest.raises(CommandError, match="--run"):
        attribute(*arguments)


@pytest.mark.parametrize("name", ["nonsense", "6f1c2b9e-0a1b-4c3d-8e4f-5a6b7c8d9e0f"])
def test_a_run_that_is_not_there_is_refused(name: str):
    with pytest.raises(CommandError, match=f"There is no run {name}"):
        attribute("--run", name)


def test_a_project_that_is_not_there_is_refused():
    with pytest.raises(CommandError, match="There is no project nowhere"):
        attribute("--project", "nowhere")


def test_an_attributor_that_is_not_there_is_refused(run: Run):
    with pytest.raises(CommandError, match="No attributor 'oracle@1' is installed"):
        attribute("--run", str(run.pk), "--attributor", "oracle@1")


def test_it_runs_what_is_queued_and_prints_candidates(run: Run):
    shown = attribute("--run", str(run.pk))

    assert set(run.analyses.values_list("status", flat=True)) == {"done"}
    assert "#1 ended in an error; coder made that call itself." in shown
    assert "done: no successful run of this task to compare with" in shown


def test_json_is_one_document_with_everything(run: Run):
    last_error, first_divergence = sorted(
        as_json("--run", str(run.pk)), key=lambda found: -len(found["candidates"])
    )

    assert last_error["attributor"] == "last-error@1"
    assert (last_error["run"], last_error["external_id"]) == (str(run.pk), "failed")
    (candidate,) = last_error["candidates"]
    assert (candidate["rank"], candidate["step"], candidate["actor"]) == (1, 1, "coder")
    assert candidate["quotes"][1]["text"] == "no such file"
    assert first_divergence["note"] == "no successful run of this task to compare with"


def test_one_attributor_leaves_the_others_queued(run: Run):
    (only,) = as_json("--run", str(run.pk), "--attributor", "last-error@1")

    assert only["status"] == "done"
    assert run.analyses.get(attributor="first-divergence@1").status == "queued"


def test_a_project_means_its_failed_runs(project: Project, run: Run):
    make_run(project, passed(says(0, "Go.")))
    make_run(make_project("other"))

    assert {found["external_id"] for found in as_json("--project", "demo")} == {"failed"}
    assert Analysis.objects.unfinished().count() == 2


def test_a_second_time_shows_what_is_there(run: Run):
    assert as_json("--run", str(run.pk)) == as_json("--run", str(run.pk))


def test_what_failed_is_shown_with_its_last_line(run: Run, crashing: str):
    for _ in range(3):
        shown = attribute("--run", str(run.pk), "--attributor", crashing)

    assert "failed: RuntimeError: the model is on holiday" in shown


def test_hostile_text_reaches_no_terminal(project: Project):
    broken = calls(1, "run", "co\x1b[2Jder", answer="[bold]x[/bold]", status="error")
    run = make_run(project, failed(says(0, "Go."), broken))

    shown = attribute("--run", str(run.pk))

    assert "\x1b" not in shown

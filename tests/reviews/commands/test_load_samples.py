from __future__ import annotations

import json
from io import StringIO

import pytest
from django.apps import apps
from django.core.management import call_command

from reviews import samples
from reviews.models import Case, Category, Contract, Policy
from tests.factories import AT
from traces.models import Membership, Project
from traces.transcript import Outcome

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def load(*words: str) -> str:
    out = StringIO()
    call_command("load_samples", *words, stdout=out)
    return out.getvalue()


def rows() -> dict[str, int]:
    return {model._meta.label: model._default_manager.count() for model in apps.get_models()}


def test_the_demo_project_is_whole() -> None:
    load()
    project = Project.objects.get()
    given = json.loads((samples.FOLDER / "project.json").read_bytes())
    assert (project.slug, project.name) == (given["slug"], given["name"])
    roles = Membership.objects.values_list("user__username", "role")
    assert dict(roles) == {"viewer": "viewer", "ada": "reviewer", "ben": "reviewer", "lead": "lead"}
    assert Contract.objects.count() == len(given["contracts"])
    assert Category.objects.count() == len(given["categories"])
    assert Policy.objects.get().signatures_needed == 2
    files = samples.sample_files()
    assert project.runs.count() == len(files)
    failed = project.runs.filter(outcome=Outcome.FAILED).count()
    assert failed == sum("-failed" in file.name for file in files)
    cases = Case.objects.all()
    assert cases.count() >= failed
    assert {case.slots.count() for case in cases} == {2}


def test_loading_again_changes_nothing() -> None:
    load()
    before = rows()
    told = json.loads(load("--json"))
    assert rows() == before
    assert told == {"project": "demo", "made": 0, "known": Project.objects.get().runs.count()}


def test_what_was_lost_half_way_is_made_up_for(monkeypatch: pytest.MonkeyPatch) -> None:
    files = samples.sample_files()
    monkeypatch.setattr(samples, "sample_files", lambda: files[:2])
    load()
    monkeypatch.undo()
    assert json.loads(load("--json")) == {"project": "demo", "made": len(files) - 2, "known": 2}


def test_a_password_chosen_since_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INQUEST_DEMO_PASSWORD", "first pass phrase")
    samples.load(at=AT)
    ada = Membership.objects.get(user__username="ada").user
    assert ada.check_password("first pass phrase")
    ada.set_password("a better one of my own")
    ada.save()
    samples.load(at=AT)
    ada.refresh_from_db()
    assert ada.check_password("a better one of my own")


def test_passed_runs_come_first() -> None:
    names = [file.name for file in samples.sample_files()]
    kinds = ["-failed" in name for name in names]
    assert kinds == sorted(kinds)


def test_the_sign_ins_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INQUEST_DEMO_PASSWORD", "open sesame")
    assert samples.demo_sign_ins() == [
        "Sign in as viewer (viewer), ada (reviewer), ben (reviewer), lead (lead).",
        "The password of all four: open sesame",
    ]
    assert "open sesame" in load()
    assert load("--verbosity", "0") == ""

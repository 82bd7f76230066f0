"""`manage.py redact`: refusals, a dry run that changes nothing, and the real thing."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.factories import make_project
from tests.traces.test_replacing import ADDRESS, MAIL, put, send
from traces.models import Project, Quarantine, RawDocument

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def project() -> Project:
    return make_project()


def run(*given: str) -> str:
    out = StringIO()
    call_command("redact", "--project", "demo", *given, stdout=out)
    return out.getvalue()


def told(*given: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(run(*given, "--json"))
    return answer


def test_a_project_that_is_not_there_is_refused(db: None) -> None:
    with pytest.raises(CommandError, match='no project "demo"'):
        run()


def test_a_project_without_a_policy_is_refused(project: Project) -> None:
    with pytest.raises(CommandError, match="no redaction policy"):
        run()


@pytest.mark.parametrize("given", [(), ("--by", "nobody"), ("--by", "ada")])
def test_only_a_lead_can_answer_for_it(project: Project, given: tuple[str, ...]) -> None:
    send(project, ADDRESS)
    put(project, MAIL)
    with pytest.raises(CommandError):
        run("--apply", *given)
    assert not Quarantine.objects.exists()


def test_the_dry_run_counts_and_changes_nothing(project: Project) -> None:
    send(project, f"{ADDRESS} {ADDRESS}")
    put(project, MAIL)
    answer = told()
    assert [each["count"] for each in answer["documents"]] == [2]
    assert answer["documents"][0]["entries"][0]["field"] == "messages/*/content"
    assert RawDocument.objects.count() == 1
    assert "2 values would be withheld" in run()


def test_applying_replaces_each_document_once(project: Project) -> None:
    send(project, ADDRESS)
    send(project, "nothing")
    put(project, MAIL)
    answer = told("--apply", "--by", "lena")
    assert sorted(each["set_aside"] for each in answer["documents"]) == [0, 1]
    assert RawDocument.objects.count() == 3
    assert "1 runs replaced" not in run("--apply", "--by", "lena")

"""`manage.py reread`: what is stored, read again by the formats as they are now."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.factories import make_project
from tests.traces.diaries import Diary, diary, installed
from tests.traces.formats.native_runs import native_run
from tests.traces.test_renewing import take
from traces.models import Project, Receipt, Run

pytestmark = [pytest.mark.django_db, pytest.mark.database]

DAYS = ("mon", "planner", "Use v1."), ("tue", "coder", "DONE.")
NOTHING = "Nothing to do: all runs are read by the formats as they are now.\n"


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def mapper(monkeypatch: pytest.MonkeyPatch) -> Iterator[Diary]:
    with installed(monkeypatch) as format_:
        yield format_


def reread(*options: str) -> str:
    out = StringIO()
    call_command("reread", "--project", "demo", *options, stdout=out)
    return out.getvalue()


def told(*options: str) -> list[dict[str, Any]]:
    documents: list[dict[str, Any]] = json.loads(reread("--json", *options))["documents"]
    return documents


def test_a_project_or_format_that_is_not_there_is_refused(project: Project) -> None:
    with pytest.raises(CommandError, match='no project "other"'):
        call_command("reread", "--project", "other")
    with pytest.raises(CommandError, match='no format "minutes"'):
        reread("--format", "minutes")


def test_what_is_read_by_the_formats_of_now_is_left(project: Project, mapper: Diary) -> None:
    take(project, diary(*DAYS))
    take(project, native_run())
    assert reread() == NOTHING
    assert Receipt.objects.count() == 2


def test_each_stale_document_is_read_again_and_has_a_receipt(
    project: Project, mapper: Diary
) -> None:
    first = take(project, diary(*DAYS), filename="monday.json", wanted_format="diary")
    take(project, native_run())
    mapper.version = "2"
    (only,) = told()
    assert (only["renewed"], only["made"], only["known"], only["refused"]) == (1, 0, 0, 0)
    receipt = Receipt.objects.get(pk=only["receipt"])
    assert receipt.renewed == first.made
    assert (receipt.filename, receipt.wanted_format) == ("monday.json", "diary")
    assert Run.objects.get(source="diary").step_count == 3
    assert reread() == NOTHING


def test_only_one_format_may_be_asked_for(project: Project, mapper: Diary) -> None:
    take(project, diary(*DAYS))
    mapper.version = "2"
    assert told("--format", "native") == []
    assert len(told("--format", "diary")) == 1


def test_what_stays_is_told(
    project: Project, mapper: Diary, monkeypatch: pytest.MonkeyPatch
) -> None:
    from_above = [lambda run: "it was judged."]
    monkeypatch.setattr("traces.subscriptions._objections", from_above)
    take(project, diary(*DAYS))
    mapper.version = "2"
    assert "d-1 stays as the earlier reader (diary@1) read it: it was judged." in reread()


def test_what_is_refused_now_ends_it_with_an_error(project: Project, mapper: Diary) -> None:
    take(project, diary(*DAYS))
    mapper.version = "2"
    mapper.edits = {"mon": None}  # type: ignore[dict-item]
    out = StringIO()
    with pytest.raises(CommandError, match="Places that were refused: 1"):
        call_command("reread", "--project", "demo", stdout=out)
    assert "It could not be read: TypeError." in out.getvalue()
    assert Run.objects.get().step_count == 2


def test_another_project_is_left(project: Project, mapper: Diary) -> None:
    take(make_project("two"), diary(*DAYS))
    mapper.version = "2"
    assert told() == []


def test_looking_for_stale_documents_is_one_query(project: Project, mapper: Diary) -> None:
    for number in range(3):
        take(project, diary(*DAYS, name=f"d-{number}"))
    with CaptureQueriesContext(connection) as context:
        assert reread() == NOTHING
    assert len(context) == 2

"""Receipts over the API: who may not first, then all that became of a document."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from tests.clients import signed_in
from tests.factories import AT, make_project, make_run, make_user
from tests.traces.api.test_runs import bearer, send
from tests.traces.formats.native_runs import native_run, native_step
from tests.traces.ratings import SECRET, make_known, rate
from traces import ingest
from traces.models import Project, Receipt

pytestmark = [pytest.mark.django_db, pytest.mark.database]

LIST = "/api/v1/receipts/"


@pytest.fixture
def project() -> Project:
    return make_project()


def take(project: Project, value: Any, **changes: Any) -> Receipt:
    content = value if isinstance(value, bytes) else json.dumps(value).encode()
    given: dict[str, Any] = {"via": Receipt.Via.API, "by": make_user("ada"), "at": AT}
    given |= {"filename": "a"} | changes
    return ingest.ingest(project=project, content=content, **given)


def test_strangers_get_nothing(client: Client, project: Project) -> None:
    receipt = take(project, native_run())
    make_user("sam")
    for path in (
        LIST,
        f"{LIST}{receipt.pk}/",
        "/api/v1/receipts",
        f"/api/v1/receipts/{receipt.pk}",
    ):
        assert client.get(path).status_code == 401
        assert signed_in("sam").get(path, {"project": "demo"}).status_code == 404
        assert client.get(path, headers=bearer(project, "ingest")).status_code == 403
        assert signed_in("vera").get(path, {"project": "demo"}).status_code == 200
        assert signed_in("lena").post(path, {}, query_params={"project": "demo"}).status_code == 405


def test_a_receipt_of_another_project_or_of_nobody_is_not_found(
    client: Client, project: Project
) -> None:
    other = take(make_project("other"), native_run())
    headers = bearer(project, "read")
    for number in (other.pk, 999_999, 10**18 - 1, 10**30):
        assert client.get(f"{LIST}{number}/", headers=headers).status_code == 404
    assert client.get(LIST, headers=headers).json()["results"] == []


@pytest.mark.parametrize("query", [{"status": "lost"}, {"via": ""}, {"via": "\x00"}])
def test_a_filter_that_means_nothing_is_refused(
    client: Client, project: Project, query: dict[str, str]
) -> None:
    assert client.get(LIST, query, headers=bearer(project, "read")).status_code == 400


def test_a_receipt_says_all_that_became_of_its_document(client: Client, project: Project) -> None:
    receipt = take(project, native_run(native_step(1), native_step(2, mood="sunny")))
    answer = client.get(f"{LIST}{receipt.pk}/", headers=bearer(project, "read")).json()
    assert receipt.document
    assert answer["receipt"] == receipt.pk
    assert (answer["status"], answer["via"], answer["sender"]) == ("read", "api", "ada")
    assert (answer["format"], answer["rule"]) == (receipt.format, receipt.rule)
    assert answer["format"].startswith("native@")
    assert answer["received_at"] == answer["finished_at"] == "2026-11-20T09:00:00Z"
    assert answer["document"] == receipt.document.sha256
    assert [run["id"] for run in answer["made"]] == receipt.made
    assert (answer["known"], answer["renewed"], answer["notes"]) == ([], [], [])
    assert [place["position"] for place in answer["refused"]] == ["/steps/1"]
    kinds = {gap["kind"]: gap["count"] for gap in answer["gaps"]}
    assert kinds["undecodable_step"] == 1
    assert sum(kinds.values()) == answer["gap_count"]
    assert answer["labels"] == {"joined": 0, "waiting": 0}


def test_folded_records_are_told_by_rule(client: Client, project: Project) -> None:
    run = make_run(project)
    run.folded = {"same call id": 3, "same text": 40}
    run.save()
    Receipt.objects.update(made=[str(run.pk)], status="read", folded=43, accepted=9)
    (answer,) = client.get(LIST, headers=bearer(project, "read")).json()["results"]
    assert (answer["folded"], answer["accepted_spans"]) == (43, 9)
    assert (answer["waiting_spans"], answer["withheld"]) == (0, [])
    assert answer["folded_by_rule"] == {"same text": 40, "same call id": 3}


def test_spans_that_wait_and_what_was_withheld_of_them_are_told(
    client: Client, project: Project
) -> None:
    entry = {"rule": "keys", "type": "TOKEN", "field": "a", "count": 2, "values": []}
    Receipt.objects.create(
        project=project, via="otlp", accepted=9, waiting=4, withheld=[entry], received_at=AT
    )
    (answer,) = client.get(LIST, headers=bearer(project, "read")).json()["results"]
    assert (answer["status"], answer["waiting_spans"]) == ("stored", 4)
    assert answer["withheld"] == [entry]


def test_labels_are_counted_and_not_told(
    client: Client, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_known(monkeypatch)
    receipt = rate(project, (["run-1"], {}), (["run-2"], {}))
    make_run(project)
    text = client.get(f"{LIST}{receipt.pk}/", headers=bearer(project, "read")).content.decode()
    assert json.loads(text)["labels"] == {"joined": 1, "waiting": 1}
    assert SECRET not in text


def test_what_a_reason_quotes_is_not_told(client: Client, project: Project) -> None:
    receipt = take(project, b'{"mistake_reason": "SECRET"')
    content = client.get(f"{LIST}{receipt.pk}/", headers=bearer(project, "read")).content
    assert b"The JSON breaks off" in content
    assert b"SECRET" not in content


def test_the_list_is_filtered_and_its_newest_comes_first(client: Client, project: Project) -> None:
    take(project, native_run(id="1"))
    take(project, native_run(id="2"), via=Receipt.Via.UPLOAD, at=AT + timedelta(days=1))
    take(project, b"{}", at=AT + timedelta(days=2))
    headers = bearer(project, "read")

    def shown(**query: str) -> list[str]:
        found = client.get(LIST, query, headers=headers).json()["results"]
        return [f"{each['status']} {each['via']}" for each in found]

    assert shown() == ["refused api", "read upload", "read api"]
    assert shown(status="read") == ["read upload", "read api"]
    assert shown(status="read", via="api") == ["read api"]
    assert shown(status="stored") == []


def test_who_sends_a_document_gets_its_receipt(client: Client, project: Project) -> None:
    sent = send(client, json.dumps(native_run()).encode(), bearer(project, "ingest")).json()
    read = client.get(f"{LIST}{sent['receipt']}/", headers=bearer(project, "read")).json()
    assert read == sent


@pytest.mark.parametrize("count", [1, 3])
def test_queries(
    client: Client, project: Project, count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(count):
        receipt = take(project, native_run(id=f"run-{number}"))
    headers = bearer(project, "read")
    with django_assert_num_queries(6):
        assert len(client.get(LIST, headers=headers).json()["results"]) == count
    with django_assert_num_queries(6):
        client.get(f"{LIST}{receipt.pk}/", headers=headers)


def test_the_description_of_the_api_has_both(tmp_path: Any) -> None:
    call_command("spectacular", file=str(tmp_path / "api.yaml"), validate=True, fail_on_warn=True)
    text = (tmp_path / "api.yaml").read_text()
    for words in ("list_receipts", "show_receipt", "folded_by_rule"):
        assert words in text

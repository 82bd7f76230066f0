"""Uploading: reviewers and leads only, every file answered for."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from tests.factories import make_project, make_user
from tests.traces.formats.native_runs import native_run
from traces.models import AuditEntry, Receipt, Run

pytestmark = [pytest.mark.django_db, pytest.mark.database]

ADDRESS = "/p/demo/runs/upload/"
RUN = json.dumps(native_run()).encode()


@pytest.fixture
def ada(client: Client) -> Client:
    make_project()
    client.force_login(make_user("ada"))
    return client


def send(client: Client, *contents: bytes, **fields: Any) -> Any:
    files = [SimpleUploadedFile(f"{n}.json", content) for n, content in enumerate(contents)]
    headers = fields.pop("headers", {})
    return client.post(ADDRESS, {"file": files, **fields}, headers=headers)


def test_somebody_unknown_is_asked_to_sign_in(client: Client) -> None:
    assert client.get(ADDRESS).status_code == 302


@pytest.mark.parametrize(("username", "status"), [("sam", 404), ("vera", 403)])
def test_strangers_and_viewers_are_refused(client: Client, username: str, status: int) -> None:
    make_project()
    client.force_login(make_user(username))
    assert client.get(ADDRESS).status_code == status
    assert send(client, RUN).status_code == status
    assert not Receipt.objects.exists()


def test_without_a_file_the_form_says_so(ada: Client) -> None:
    answer = ada.post(ADDRESS, {})
    assert answer.status_code == 200
    assert b"Choose at least one file." in answer.content


def test_an_unknown_format_is_refused_and_nothing_stored(ada: Client) -> None:
    answer = send(ada, RUN, format="minutes")
    assert b"minutes is not one of the available choices" in answer.content
    assert not Receipt.objects.exists()


def test_a_file_that_is_too_large_gets_a_receipt_without_a_document(
    ada: Client, settings: Settings
) -> None:
    settings.MAX_DOCUMENT_BYTES = 100
    page = ada.get(send(ada, RUN).headers["Location"])
    assert "the limit is 100 (INQUEST_MAX_DOCUMENT_BYTES)" in page.content.decode()
    assert Receipt.objects.get().document is None


@pytest.mark.parametrize("username", ["ada", "lena"])
def test_files_become_runs_and_the_answer_is_their_receipts(client: Client, username: str) -> None:
    make_project()
    client.force_login(make_user(username))
    answer = send(client, RUN, json.dumps(native_run(id="run-2")).encode(), b"", b"words")
    assert answer.status_code == 302
    page = client.get(answer.headers["Location"])
    assert [a.receipt.filename for a in page.context["accounts"]] == [
        "0.json",
        "1.json",
        "2.json",
        "3.json",
    ]
    assert [a.receipt.status for a in page.context["accounts"]] == ["read"] * 2 + ["refused"] * 2
    text = page.content.decode()
    assert "The file is empty." in text
    assert "run-2" in text
    assert Run.objects.count() == 2
    who = set(AuditEntry.objects.filter(action="run.ingested").values_list("actor__username"))
    assert who == {(username,)}


def test_receipts_of_one_upload_are_not_mixed_with_those_of_another(ada: Client) -> None:
    first = send(ada, RUN).headers["Location"]
    second = send(ada, RUN).headers["Location"]
    assert first != second
    assert len(ada.get(first).context["accounts"]) == 1
    assert "Already known" in ada.get(second).content.decode()


def test_htmx_is_told_where_to_go(ada: Client) -> None:
    answer = send(ada, RUN, headers={"hx-request": "true"})
    assert answer.status_code == 200
    assert answer.headers["HX-Redirect"].startswith("/p/demo/receipts/?at=")


def test_a_format_can_be_named(ada: Client) -> None:
    send(ada, b'[{"role": "user", "content": "hi"}]', format="native")
    assert Receipt.objects.get().wanted_format == "native"
    assert Receipt.objects.get().status == "refused"


def test_the_form_works_without_script_and_offers_every_format(ada: Client) -> None:
    page = ada.get(ADDRESS).content.decode()
    assert 'enctype="multipart/form-data"' in page
    assert "csrfmiddlewaretoken" in page
    assert 'value="whowhen"' in page
    assert "onclick" not in page

"""Raw documents: for members, as files, and not past the blindness of labels."""

from __future__ import annotations

import gzip
import json

import pytest
from django.test import Client

from tests.clients import signed_in
from tests.factories import AT, make_project, make_user
from tests.traces.formats.native_runs import native_run, native_step
from tests.traces.formats.test_whowhen import algorithm_generated
from traces import ingest
from traces.models import Project, RawDocument, Receipt

pytestmark = [pytest.mark.django_db, pytest.mark.database]

HTML = "<script>alert(1)</script>"


def stored(project: Project, content: bytes, wanted: str = "") -> RawDocument:
    receipt = ingest.ingest(
        project=project,
        content=content,
        filename="x",
        via=Receipt.Via.API,
        by=None,
        at=AT,
        wanted_format=wanted,
    )
    assert receipt.document
    return receipt.document


def address(document: RawDocument) -> str:
    return f"/p/demo/documents/{document.sha256}/"


def test_strangers_and_other_projects_find_nothing(client: Client) -> None:
    document = stored(make_project(), HTML.encode())
    elsewhere = stored(make_project("other"), b"other")
    client.force_login(make_user("sam"))
    assert client.get(address(document)).status_code == 404
    client.force_login(make_user("vera"))
    assert client.get(address(elsewhere)).status_code == 404


LABELLED = json.dumps(algorithm_generated()).encode()


@pytest.mark.parametrize(
    ("before", "content", "wanted"),
    [
        (LABELLED, json.dumps(algorithm_generated(), indent=2).encode(), ""),
        (LABELLED, gzip.compress(LABELLED), ""),
        (b"{}", LABELLED, "native"),
        (b"{}", LABELLED[:-2], ""),
        (b"{}", b"", ""),
    ],
)
def test_a_file_without_runs_of_its_own_is_for_leads(
    client: Client, before: bytes, content: bytes, wanted: str
) -> None:
    project = make_project()
    stored(project, before)
    document = stored(project, content, wanted)
    for username, status in (("vera", 403), ("ada", 403), ("lena", 200)):
        client.force_login(make_user(username))
        assert client.get(address(document)).status_code == status


@pytest.mark.parametrize(("username", "status"), [("vera", 403), ("ada", 403), ("lena", 200)])
def test_a_file_with_labels_is_for_leads(client: Client, username: str, status: int) -> None:
    document = stored(make_project(), json.dumps(algorithm_generated()).encode())
    client.force_login(make_user(username))
    assert client.get(address(document)).status_code == status


def test_the_bytes_come_as_a_file_that_no_browser_runs(client: Client) -> None:
    content = json.dumps(native_run(native_step(1, {"type": "message", "text": HTML}))).encode()
    document = stored(make_project(), content)
    client.force_login(make_user("vera"))
    answer = client.get(address(document))
    assert answer.content == content
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Disposition"].startswith("attachment; filename=")


@pytest.mark.parametrize(("name", "status"), [("vera", 403), ("ada", 403), ("lena", 200)])
def test_what_was_not_wholly_read_opens_for_leads_only(name: str, status: int) -> None:
    document = stored(make_project(), json.dumps(native_run(native_step("a"))).encode())
    document.receipts.update(refused_count=1)
    assert signed_in(name).get(address(document)).status_code == status

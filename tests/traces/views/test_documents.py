"""Raw documents: for members, as files, and not past the blindness of labels."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from tests.factories import AT, make_project, make_user
from tests.traces.formats.test_whowhen import algorithm_generated
from traces import ingest
from traces.models import Project, RawDocument, Receipt

pytestmark = [pytest.mark.django_db, pytest.mark.database]

HTML = b"<script>alert(1)</script>"


def stored(project: Project, content: bytes) -> RawDocument:
    receipt = ingest.ingest(
        project=project, content=content, filename="x", via=Receipt.Via.API, by=None, at=AT
    )
    assert receipt.document
    return receipt.document


def address(document: RawDocument) -> str:
    return f"/p/demo/documents/{document.sha256}/"


def test_strangers_and_other_projects_find_nothing(client: Client) -> None:
    document = stored(make_project(), HTML)
    elsewhere = stored(make_project("other"), b"other")
    client.force_login(make_user("sam"))
    assert client.get(address(document)).status_code == 404
    client.force_login(make_user("vera"))
    assert client.get(address(elsewhere)).status_code == 404


@pytest.mark.parametrize(("username", "status"), [("vera", 403), ("ada", 403), ("lena", 200)])
def test_a_file_with_labels_is_for_leads(client: Client, username: str, status: int) -> None:
    document = stored(make_project(), json.dumps(algorithm_generated()).encode())
    client.force_login(make_user(username))
    assert client.get(address(document)).status_code == status


def test_the_bytes_come_as_a_file_that_no_browser_runs(client: Client) -> None:
    document = stored(make_project(), HTML)
    client.force_login(make_user("vera"))
    answer = client.get(address(document))
    assert answer.content == HTML
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Disposition"].startswith("attachment; filename=")

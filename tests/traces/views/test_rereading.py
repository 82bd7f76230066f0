"""A document whose format is in doubt is read as what a person says, without being sent again."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from tests.factories import make_project, make_user
from tests.traces.formats.native_runs import native_run
from tests.traces.views.test_receipts import take
from traces.models import Project, RawDocument, Receipt, Run

pytestmark = [pytest.mark.django_db, pytest.mark.database]

SAID = {"role": "user", "content": "Count <b>the</b> ships."}
BOTH = {"mistake_step": "1", "history": [SAID], "messages": [SAID]}


@pytest.fixture
def project() -> Project:
    return make_project()


def address(receipt: Receipt) -> str:
    return f"/p/demo/receipts/{receipt.pk}/"


def send(client: Client, receipt: Receipt, name: str) -> int:
    return client.post(f"{address(receipt)}read-as/", {"format": name}).status_code


def sign_in(client: Client, username: str) -> Client:
    client.force_login(make_user(username))
    return client


@pytest.mark.parametrize(("username", "status"), [("sam", 404), ("vera", 403)])
def test_strangers_and_viewers_may_not(
    client: Client, project: Project, username: str, status: int
) -> None:
    receipt = take(project, BOTH)
    assert send(sign_in(client, username), receipt, "messages") == status
    assert not Run.objects.exists()


def test_a_viewer_is_not_asked(client: Client, project: Project) -> None:
    page = sign_in(client, "vera").get(address(take(project, BOTH)))
    assert b"Read it as" not in page.content


def test_a_format_that_does_not_exist_or_a_receipt_elsewhere_is_not_found(
    client: Client, project: Project
) -> None:
    sign_in(client, "ada")
    assert send(client, take(project, BOTH), "minutes") == 404
    assert send(client, take(make_project("other"), BOTH), "messages") == 404


def test_what_was_read_is_not_read_again(client: Client, project: Project) -> None:
    receipt = take(project, native_run())
    assert b"Read it as" not in sign_in(client, "ada").get(address(receipt)).content
    assert send(client, receipt, "native") == 404


def test_what_was_never_stored_cannot_be_read(client: Client, project: Project) -> None:
    receipt = take(project, native_run())
    Receipt.objects.filter(pk=receipt.pk).update(document=None, status="refused")
    assert b"Read it as" not in sign_in(client, "ada").get(address(receipt)).content


@pytest.mark.parametrize("content", [b"just words", b'{"messages": [{"role": "us', b""])
def test_what_holds_no_value_is_not_offered_to_be_read_as_anything(
    client: Client, project: Project, content: bytes
) -> None:
    receipt = take(project, content)
    assert receipt.status == "refused"
    page = sign_in(client, "ada").get(address(receipt))
    assert page.status_code == 200
    assert b"Read it as" not in page.content
    assert send(client, receipt, "messages") == 404


def test_no_format_is_chosen_before_somebody_chooses(client: Client, project: Project) -> None:
    receipt = take(project, BOTH)
    assert send(sign_in(client, "ada"), receipt, "") == 404


def test_the_candidates_come_first_and_leads_see_the_first_record(
    client: Client, project: Project
) -> None:
    receipt = take(project, BOTH)
    page = sign_in(client, "lena").get(address(receipt)).content.decode()
    offered = page[page.index("<select name") : page.index("</select>")]
    assert offered.startswith(
        '<select name="format" required><option value="">choose a format</option>'
        '<optgroup label="Fits by its rule"><option>messages</option><option>whowhen</option>'
        '</optgroup><optgroup label="Does not fit"><option>'
    )
    assert "<option>native</option>" in offered
    assert "Count &lt;b&gt;the" in page


def test_a_reviewer_does_not_see_the_record_which_may_hold_a_label(
    client: Client, project: Project
) -> None:
    page = sign_in(client, "ada").get(address(take(project, BOTH))).content
    assert b"Read it as" in page
    assert b"mistake_step" not in page.replace(b"key mistake_step", b"").replace(
        b"keys mistake_step", b""
    )


def test_the_stored_bytes_are_read_as_what_was_chosen(client: Client, project: Project) -> None:
    receipt = take(project, BOTH)
    answer = sign_in(client, "ada").post(f"{address(receipt)}read-as/", {"format": "messages"})
    again = Receipt.objects.exclude(pk=receipt.pk).get()
    assert answer["Location"] == address(again)
    assert (again.status, again.wanted_format) == ("read", "messages")
    assert again.received_by
    assert again.received_by.username == "ada"
    assert again.document == receipt.document == RawDocument.objects.get()
    run = Run.objects.get()
    assert (run.format.split("@")[0], run.rule) == ("messages", "named by the sender")
    receipt.refresh_from_db()
    assert receipt.status == "refused"


def test_a_document_that_fits_nothing_offers_all_formats(client: Client, project: Project) -> None:
    receipt = take(project, json.dumps({"ships": 3}).encode())
    assert b"Read it as" in sign_in(client, "ada").get(address(receipt)).content
    assert send(client, receipt, "native") == 302
    again = Receipt.objects.exclude(pk=receipt.pk).get()
    assert again.status == "refused"
    assert 'The schema is "None"' in again.reason

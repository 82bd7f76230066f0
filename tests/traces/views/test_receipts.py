"""Receipts: what became of every document, for members of the project."""

from __future__ import annotations

import json
from datetime import timedelta, timezone
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from tests.factories import AT, make_project, make_run, make_transcript, make_user
from tests.traces.formats.native_runs import native_run, native_step
from tests.traces.ratings import SECRET, make_known, rate
from traces import ingest
from traces.models import Project, Receipt

pytestmark = [pytest.mark.django_db, pytest.mark.database]

LIST = "/p/demo/receipts/"


def take(project: Project, value: Any, name: str = "run.json", **changes: Any) -> Receipt:
    content = value if isinstance(value, bytes) else json.dumps(value).encode()
    given = {"via": Receipt.Via.API, "by": None, "at": AT} | changes
    return ingest.ingest(project=project, content=content, filename=name, **given)


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def vera(client: Client, project: Project) -> Client:
    client.force_login(make_user("vera"))
    return client


def test_strangers_find_nothing(client: Client, project: Project) -> None:
    receipt = take(project, native_run())
    client.force_login(make_user("sam"))
    assert client.get(LIST).status_code == 404
    assert client.get(f"{LIST}{receipt.pk}/").status_code == 404


def test_a_receipt_of_another_project_is_not_found(vera: Client) -> None:
    other = take(make_project("other"), native_run())
    assert vera.get(f"{LIST}{other.pk}/").status_code == 404
    assert vera.get(f"{LIST}999999/").status_code == 404


def test_a_post_is_refused(vera: Client) -> None:
    assert vera.post(LIST).status_code == 405


def test_without_receipts_it_says_so(vera: Client) -> None:
    assert b"No document was received yet." in vera.get(LIST).content
    assert b"at that moment" in vera.get(LIST, {"at": AT.isoformat()}).content


@pytest.mark.parametrize(
    "at",
    ["nonsense", "2026-01-01", "\x00", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"],
)
def test_a_moment_that_is_none_shows_all(vera: Client, project: Project, at: str) -> None:
    take(project, native_run())
    assert len(vera.get(LIST, {"at": at}).context["accounts"]) == 1


def test_a_moment_of_an_odd_offset_is_a_moment(vera: Client, project: Project) -> None:
    take(project, native_run())
    at = AT.astimezone(timezone(timedelta(hours=23, minutes=59))).isoformat()
    assert len(vera.get(LIST, {"at": at}).context["accounts"]) == 1


def test_the_newest_comes_first(vera: Client, project: Project) -> None:
    take(project, native_run(), "first")
    take(project, native_run(), "second", at=AT + timedelta(days=1))
    shown = [account.receipt.filename for account in vera.get(LIST).context["accounts"]]
    assert shown == ["second", "first"]


def test_a_receipt_tells_of_runs_refusals_and_gaps(vera: Client, project: Project) -> None:
    value = native_run(native_step(1), native_step(2, mood="sunny"))
    receipt = take(project, value)
    page = vera.get(f"{LIST}{receipt.pk}/").content.decode()
    assert "/steps/1" in page
    assert "Object contains unknown field `mood`" in page
    assert "Unreadable step" in page
    assert f"/p/demo/runs/{receipt.made[0]}/" in page
    assert f"/p/demo/documents/{receipt.document.sha256}/" in page  # type: ignore[union-attr]


def test_many_refused_places_are_counted_rather_than_listed(
    client: Client, project: Project
) -> None:
    client.force_login(make_user("lena"))
    lines = [json.dumps(native_run()), *(json.dumps({"schema": "x" * 999}),) * 1203]
    receipt = take(project, "\n".join(lines).encode())
    assert (len(receipt.refused), receipt.refused_count) == (1000, 1203)
    assert len(receipt.refused[0]["reason"]) < 300
    page = client.get(f"{LIST}{receipt.pk}/").content.decode()
    assert "1203 places" in page
    assert "and 1003 more" in page
    assert "line 201" in page
    assert "line 202" not in page
    assert "all 1203 refused places" in client.get(LIST).content.decode()


def test_a_document_not_read_yet_is_said_to_be_safe(vera: Client, project: Project) -> None:
    receipt = ingest.receive(
        project=project, content=b"{}", filename="x", via=Receipt.Via.API, by=None, at=AT
    )
    page = vera.get(f"{LIST}{receipt.pk}/").content
    assert b"The bytes are safe. They have not been read yet;" in page
    assert b"No run came of it" not in page
    assert b"Nothing was refused" not in page


def test_the_page_asks_again_until_the_document_is_read_and_no_longer(
    vera: Client, project: Project
) -> None:
    receipt = ingest.receive(
        project=project, content=b"{}", filename="x", via=Receipt.Via.API, by=None, at=AT
    )
    address = f"{LIST}{receipt.pk}/"
    assert b'hx-trigger="every 2s"' in vera.get(address).content
    Receipt.objects.filter(pk=receipt.pk).update(reading_since=AT)
    page = vera.get(address).content
    assert b"being read" in page
    assert b'hx-trigger="every 2s"' in page
    Receipt.objects.filter(pk=receipt.pk).update(reading_since=None)
    ingest.read(receipt_id=receipt.pk, at=AT)
    page = vera.get(address).content
    assert b"hx-trigger" not in page
    assert b"hx-get" not in page
    assert b"hx-trigger" not in vera.get(LIST).content


@pytest.mark.parametrize(
    "content",
    [
        b'{"mistake_reason": "SECRET"}',
        b'{"mistake_reason": "SECRET"',
        b'{"mistake_reason" "SECRET"}',
        json.dumps(native_run()).encode() + b'\n{"mistake_reason": "SECRET"',
    ],
)
def test_what_a_reason_quotes_is_for_leads(client: Client, content: bytes) -> None:
    receipt = take(make_project(), content)
    for username, shown in (("vera", False), ("ada", False), ("lena", True)):
        client.force_login(make_user(username))
        pages = [client.get(address).content for address in (LIST, f"{LIST}{receipt.pk}/")]
        assert (b"SECRET" in b"".join(pages)) is shown


def test_hostile_names_and_reasons_are_shown_as_text(client: Client, project: Project) -> None:
    client.force_login(make_user("lena"))
    receipt = take(project, b"<script>alert(1)</script>", "<i>\u202e\x00.json")
    for address in (LIST, f"{LIST}{receipt.pk}/"):
        page = client.get(address).content.decode()
        assert "<script>alert" not in page
        assert "<i>" not in page
        assert "\u202e" not in page
        assert "⟨U+202E⟩" in page


def test_many_runs_are_counted_rather_than_listed(vera: Client, project: Project) -> None:
    lines = "\n".join(json.dumps(native_run(id=f"run-{n}")) for n in range(9))
    take(project, lines.encode())
    assert "and 4 more" in vera.get(LIST).content.decode()


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ({}, ["c", "b", "a"]),
        ({"status": "refused"}, ["c"]),
        ({"status": "read", "via": "upload"}, ["b"]),
        ({"via": "otlp"}, []),
        ({"status": "", "via": "nonsense"}, ["c", "b", "a"]),
        ({"status": "\x00"}, ["c", "b", "a"]),
    ],
)
def test_the_list_is_filtered_by_status_and_by_how_documents_came(
    vera: Client, project: Project, query: dict[str, str], shown: list[str]
) -> None:
    take(project, native_run(id="1"), "a")
    take(project, native_run(id="2"), "b", via=Receipt.Via.UPLOAD, at=AT + timedelta(days=1))
    take(project, b"{}", "c", at=AT + timedelta(days=2))
    answer = vera.get(LIST, query)
    assert [account.receipt.filename for account in answer.context["accounts"]] == shown
    assert (b"No receipt matches the filter." in answer.content) is (not shown)


def test_all_that_became_of_a_document_is_on_its_page(vera: Client, project: Project) -> None:
    run = make_run(project, make_transcript(folded={"same call id": 3, "same text": 40}))
    receipt = Receipt.objects.get()
    Receipt.objects.filter(pk=receipt.pk).update(
        status="read", made=[str(run.pk)], folded=43, accepted=7, notes=["Metrics: <dropped>."],
        format="odd@4", rule="key odd", finished_at=AT,
    )  # fmt: skip
    page = " ".join(vera.get(f"{LIST}{receipt.pk}/").content.decode().split())
    for words in (
        '<b>7</b> spans accepted', '<b>43</b> folded', "same call id", '<td class="number">40</td>',
        "Metrics: &lt;dropped&gt;.", "odd@4", "key odd", "done <time>2026-11-20 09:00:00 UTC",
        "Nothing was refused.",
    ):  # fmt: skip
        assert words in page, words


def test_a_batch_of_spans_says_what_waits_and_what_was_withheld(
    vera: Client, project: Project
) -> None:
    value = {"placeholder": "[TOKEN-7]", "length": 20, "keyed_hash": "ab", "count": 2}
    entry = {"rule": "keys", "type": "TOKEN", "action": "redact", "field": "name", "count": 2}
    receipt = Receipt.objects.create(
        project=project,
        filename="OTLP spans",
        via="otlp",
        accepted=9,
        waiting=4,
        withheld=[{**entry, "values": [value]}],
        received_at=AT,
    )
    page = vera.get(f"/p/demo/receipts/{receipt.pk}/").content.decode()
    assert "<b>4</b> waiting for their trace" in page
    assert "<b>2</b> withheld" in page
    assert "when their traces are complete" in page
    assert "[TOKEN-7]" in page
    assert "9 spans, 4 waiting" in vera.get("/p/demo/receipts/").content.decode()


def test_labels_say_whether_they_found_their_run(
    vera: Client, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_known(monkeypatch)
    receipt = rate(project, (["run-1"], {"actor": "a"}), (["run-1"], {"actor": "b"}))
    address = f"{LIST}{receipt.pk}/"
    assert "2 wait: no run of that name is here" in vera.get(address).content.decode()
    assert "0 of 2" in vera.get(LIST).content.decode()
    make_run(project)
    page = vera.get(address).content.decode()
    assert "2 have found the run they name" in page
    assert " wait: " not in page
    assert SECRET not in page


@pytest.mark.parametrize("count", [1, 3])
def test_a_receipt_takes_as_many_queries_for_three_runs_as_for_one(
    vera: Client, project: Project, count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    lines = "\n".join(json.dumps(native_run(id=f"run-{n}")) for n in range(count))
    receipt = take(project, lines.encode())
    with django_assert_num_queries(8):
        vera.get(f"{LIST}{receipt.pk}/")


@pytest.mark.parametrize("count", [1, 3])
def test_the_list_takes_as_many_queries_for_three_as_for_one(
    client: Client, count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    project = make_project()
    for number in range(count):
        take(project, native_run(id=f"run-{number}"), by=make_user("ada"))
    client.force_login(make_user("vera"))
    with django_assert_num_queries(9):
        client.get(LIST)

"""Two people who send the same thing at once make one run between them."""

from __future__ import annotations

import gzip
import json
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from tests.factories import AT, make_project
from tests.traces.formats.native_runs import native_run
from traces import audit, ingest
from traces.models import Project, RawDocument, Receipt, Run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


def at_once(project: Project, contents: list[bytes]) -> list[Receipt]:
    barrier = Barrier(len(contents))

    def send(content: bytes) -> Receipt:
        try:
            barrier.wait(timeout=10)
            return ingest.ingest(
                project=project,
                content=content,
                filename="run.json",
                via=Receipt.Via.API,
                by=None,
                at=AT,
            )
        finally:
            connection.close()

    with ThreadPoolExecutor(len(contents)) as pool:
        return list(pool.map(send, contents))


def test_the_same_bytes_at_once_are_one_document_and_one_run() -> None:
    content = json.dumps(native_run()).encode()
    receipts = at_once(make_project(), [content] * 4)
    assert [receipt.status for receipt in receipts] == ["read"] * 4
    assert sum(len(receipt.made) for receipt in receipts) == 1
    assert sum(len(receipt.known) for receipt in receipts) == 3
    assert RawDocument.objects.count() == Run.objects.count() == 1
    assert list(audit.faults()) == []


def test_the_same_runs_at_once_in_other_orders_neither_double_nor_wait_for_ever() -> None:
    runs = [json.dumps(native_run(id=f"run-{n}")) for n in range(6)]
    files = ["\n".join(runs), "\n".join(reversed(runs))]
    contents = [text.encode() for text in files] + [gzip.compress(files[0].encode())]
    receipts = at_once(make_project(), contents)
    assert sum(len(receipt.made) for receipt in receipts) == 6
    assert Run.objects.count() == 6


def test_one_receipt_read_at_once_is_read_once() -> None:
    project = make_project()
    receipt = ingest.receive(
        project=project,
        content=json.dumps(native_run()).encode(),
        filename="run.json",
        via=Receipt.Via.API,
        by=None,
        at=AT,
    )

    def read(_: int) -> Receipt:
        try:
            return ingest.read(receipt_id=receipt.pk, at=AT)
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as pool:
        results = list(pool.map(read, range(3)))
    receipt.refresh_from_db()
    assert receipt.tries == 1
    assert {tuple(result.made) for result in results} - {()} == {tuple(receipt.made)}
    assert Run.objects.count() == 1

"""The receipt of a document that is still to be read turns into its answer by itself, once."""

from __future__ import annotations

import json

from tests.factories import AT, make_project
from tests.traces.formats.native_runs import native_run
from traces import ingest
from traces.models import Receipt

# Milliseconds: twice as long as the page waits between two questions.
LONG = 4_500


def test_a_receipt_asks_until_its_document_is_read_and_then_stops(people):
    receipt = ingest.receive(
        project=make_project(),
        content=json.dumps(native_run()).encode(),
        filename="run.json",
        via=Receipt.Via.API,
        by=None,
        at=AT,
    )
    vera = people("vera")
    vera.goes_to(f"/p/demo/receipts/{receipt.pk}/")
    vera.sees("The bytes are safe.")
    ingest.read(receipt_id=receipt.pk, at=AT)
    vera.sees_in("#receipt .chip", "read")
    vera.sees_in("#runs", "1 made")
    asked = []
    vera.page.on("request", lambda request: asked.append(request.url))
    vera.page.wait_for_timeout(LONG)
    assert asked == []
    vera.follows("run-1")


def test_the_list_of_receipts_is_filtered_with_keys_alone(people):
    project = make_project()
    for name, content in (("good.json", json.dumps(native_run()).encode()), ("bad.json", b"{")):
        ingest.ingest(
            project=project, content=content, filename=name, via=Receipt.Via.API, by=None, at=AT
        )
    vera = people("vera")
    vera.goes_to("/p/demo/receipts/")
    vera.focuses("select[name=status]")
    vera.page.keyboard.type("ref")
    vera.presses("Tab", "Tab", "Enter")
    vera.page.wait_for_url("**status=refused**")
    vera.sees("bad.json")
    assert vera.page.get_by_text("good.json").count() == 0

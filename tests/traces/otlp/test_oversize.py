"""Traces above the limit: kept in pieces that fit into memory, and told once."""

from __future__ import annotations

from typing import Any

import pytest

from tests.traces.otlp.spans import request_of
from tests.traces.otlp.test_assembling import assemble, one_of, send
from tests.traces.otlp.test_screening import KEYS, put
from traces.models import Gap, OpenTrace, Project, RawDocument, RawSpan, Receipt, Run
from traces.otlp import gathering, oversize

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.database,
    pytest.mark.usefixtures("_plain_reader"),
]


def test_no_more_is_loaded_at_once_than_may_be_held(project: Project) -> None:
    send(project, request_of("root", "chat", "tool", "chat", text="a" * 1_000))
    trace = OpenTrace.objects.get()
    size = RawSpan.objects.all()[0].content
    assert len(gathering.some(project.pk, trace, rows=10, size=len(size) + 1)) == 2
    assert len(gathering.some(project.pk, trace, rows=3, size=1_000_000)) == 3
    # A single span is loaded however large it is.
    assert len(gathering.some(project.pk, trace, rows=10, size=1)) == 1


def test_a_receipt_tells_once_what_was_kept_in_pieces(
    project: Project, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MAX_DOCUMENT_BYTES = 2_000
    monkeypatch.setattr(oversize, "BYTES", 1_000)
    send(project, request_of("root", "chat", "tool", "chat", text="a" * 1_000))
    assemble()
    receipt = Receipt.objects.get()
    assert RawDocument.objects.count() == 4
    assert (receipt.status, receipt.refused_count, len(receipt.refused)) == ("refused", 1, 1)


def test_pieces_that_cannot_be_searched_are_refused_and_not_tried_for_ever(
    project: Project, settings: Any
) -> None:
    send(project, request_of("root", "chat", text="a" * 3_000))
    put(project, KEYS)
    settings.MAX_DOCUMENT_BYTES = 2_000
    assemble()
    assert (RawSpan.objects.count(), RawDocument.objects.count()) == (0, 0)
    receipt = Receipt.objects.get()
    assert (receipt.status, receipt.waiting, receipt.refused_count) == ("refused", 0, 1)


@pytest.mark.parametrize("policy", [False, True])
def test_spans_that_make_a_run_too_large_are_a_gap_of_it(
    project: Project, settings: Any, policy: bool
) -> None:
    whole = request_of("root", "chat", "tool", text="a" * 1_000)
    if policy:
        put(project, KEYS)
    send(project, one_of(whole, 0))
    assemble()
    gaps = Run.objects.get().gap_count
    settings.MAX_DOCUMENT_BYTES = 3_000
    send(project, one_of(whole, 1, 2))
    assemble()
    run = Run.objects.get()
    assert (run.step_count, run.gap_count) == (1, gaps + 1)
    assert Gap.objects.get(kind="late_records").detail == oversize.LATER
    late = Receipt.objects.latest("pk")
    assert (late.status, late.waiting) == ("refused", 0)
    assert "the limit is 3,000" in late.reason
    assert RawSpan.objects.count() == 0
    kept = b"".join(bytes(each.content) for each in RawDocument.objects.all())
    assert kept.count(b'"tool"') == 1

"""The bench of OTLP measures what it means: spans of the size that it says, and all of them."""

from __future__ import annotations

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from traces.bench import otlp, spans
from traces.models import RawSpan, Receipt, Run
from traces.otlp import waiting

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


def test_spans_are_the_same_each_time_and_of_about_the_size_that_is_measured() -> None:
    bodies = list(spans.bodies(2 * spans.BATCH + 1))
    assert bodies == list(spans.bodies(2 * spans.BATCH + 1))
    requests = [ExportTraceServiceRequest.FromString(body) for body in bodies]
    made = [span for each in requests for span in each.resource_spans[0].scope_spans[0].spans]
    assert len(made) == 2 * spans.BATCH + 1
    assert len({(span.trace_id, span.span_id) for span in made}) == len(made)
    assert len({span.trace_id for span in made}) == 26  # 1,025 spans, forty a trace.
    assert 1_800 < sum(map(len, bodies)) / len(made) < 2_000


def test_a_request_that_is_refused_is_no_measurement() -> None:
    with pytest.raises(otlp.NotWritten, match="401"):
        otlp.post_one(next(spans.bodies(1)), "no key")


def test_every_span_becomes_part_of_a_run() -> None:
    waiting.forget()
    figures = {figure.name: figure for figure in otlp.measured(520, None)}
    # Two requests of thirteen traces, and the one span that warms up.
    assert Run.objects.count() == 14
    assert RawSpan.objects.count() == 0
    assert sum(Receipt.objects.values_list("accepted", flat=True)) == 521
    assert figures["steps of it"].value >= 1
    assert figures["body to step, all processes"].most == 0.25
    assert figures["door: per core of the web worker"].least == 10_000

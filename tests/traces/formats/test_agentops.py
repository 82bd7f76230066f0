"""AgentOps' log records: what a process wrote, with zero ids and colours."""

from __future__ import annotations

from typing import Any

import pytest

from tests.real import content_of
from tests.traces.formats.frameworks import outline, read, taken
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import ActorKind


def record(body: str, **more: Any) -> dict[str, Any]:
    return {
        "body": body,
        "severity_text": "INFO",
        "timestamp": "2026-03-01T10:00:00Z",
        "observed_timestamp": "2026-03-01T10:00:01Z",
        "trace_id": "0x" + "0" * 32,
        "span_id": "0x" + "0" * 16,
        "resource": {"attributes": {"session.id": "s-1", "service.name": "desk"}},
    } | more


def test_a_record_without_a_body_is_refused() -> None:
    assert [each.position for each in taken([record("a"), {"body": "b"}]).refusals] == ["/1"]


def test_other_logs_fit_no_format() -> None:
    with pytest.raises(Unreadable, match="No known format"):
        taken([{"body": "a", "severity": 9}])


def test_what_was_written_is_told_as_the_process_wrote_it() -> None:
    transcript = read([record("\x1b[31mred\x1b[0m"), record("plain", span_id="0x00ab")])

    assert outline(transcript) == [
        ("message", "process", "\x1b[31mred\x1b[0m"),
        ("message", "process", "plain"),
    ]
    assert transcript.actors[0].kind is ActorKind.HARNESS
    assert "span" not in transcript.steps[0].parts[0].data
    assert transcript.steps[1].parts[0].data["span"] == "0x00ab"
    assert (transcript.external_id, transcript.system["name"]) == ("s-1", "desk")


def test_the_real_records_are_all_there() -> None:
    transcript = intake.take(content_of("formats/agentops/log_spans.json")).runs[0].transcript

    assert len(transcript.steps) == 8

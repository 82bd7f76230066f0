"""From a file's bytes to runs: bundles, limits, and where in the file each run stood."""

from __future__ import annotations

import gzip
import json
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.traces.formats.files.test_containers import zipped
from tests.traces.formats.native_runs import kinds, native_run, native_step, taken, tried
from traces.formats import intake
from traces.formats.base import Limits, Unreadable

RUN = json.dumps(native_run()).encode()


def test_a_run_with_too_many_steps_is_refused_and_the_others_kept() -> None:
    large = native_run(*(native_step(n) for n in range(5)), id="large")
    content = json.dumps([large, native_run()]).encode()
    result = intake.take(content, limits=Limits(steps=4))
    assert [run.transcript.external_id for run in result.runs] == ["run-1"]
    (refusal,) = result.refusals
    assert refusal.position == "/0"
    assert refusal.reason == "The run has 5 steps; the limit is 4 (INQUEST_MAX_STEPS)."


def test_a_step_with_too_many_parts_is_refused() -> None:
    parts = [{"type": "message", "text": "."}] * 32_768
    result = intake.take(json.dumps(native_run(native_step(1, *parts))).encode())
    assert "has 32,768 parts" in result.refusals[0].reason


def test_a_wrong_format_named_by_the_sender_is_refused_in_its_own_words() -> None:
    result = intake.take(b'[{"role": "user", "content": "hi"}]', wanted="native")
    assert 'The schema is "None"' in result.refusals[0].reason


def test_a_format_named_by_the_sender_is_not_detected() -> None:
    (run,) = intake.take(RUN, wanted="native").runs
    assert (run.format, run.rule) == ("native@2", "named by the sender")


def test_a_bundle_is_read_file_by_file() -> None:
    content = zipped(
        {
            "LICENSE": b"MIT",
            "runs/a.json": RUN,
            "runs/b.jsonl": json.dumps(native_run(id="run-2")).encode() + b'\n{"schema',
            "cut.json": RUN[:40],
            "empty.json": b"",
        }
    )
    result = intake.take(content)
    assert [run.pointer for run in result.runs] == ["runs/a.json", "runs/b.jsonl: line 1"]
    assert [refusal.position for refusal in result.refusals] == [
        "runs/b.jsonl: line 2",
        "cut.json",
        "empty.json",
    ]
    assert result.left_out == ("LICENSE",)


def test_compression_changes_neither_run_nor_digest() -> None:
    plain, squeezed = intake.take(RUN), intake.take(gzip.compress(RUN))
    assert plain.runs == squeezed.runs


def test_cut_compression_is_a_gap_of_what_could_be_read() -> None:
    lines = b"\n".join(
        json.dumps(native_run(id=f"r{n}", source="é" * n)).encode() for n in range(99)
    )
    result = intake.take(gzip.compress(lines)[:-200])
    assert result.runs
    assert all("damaged" in [gap.kind for gap in run.transcript.gaps] for run in result.runs)


def test_the_same_run_has_one_digest_wherever_it_stands() -> None:
    (alone,) = intake.take(RUN).runs
    (in_list,) = intake.take(b"[" + RUN + b"]").runs
    (indented,) = intake.take(json.dumps(native_run(), indent=2).encode()).runs
    assert alone.sha256 == in_list.sha256 == indented.sha256


@pytest.mark.parametrize(
    "other",
    [
        native_run(native_step(1), native_step(2, inputs=["s1"], sequence=7)),
        native_run(native_step(1), native_step(2, inputs=["s1", "ghost"])),
        native_run(native_step(1), native_step(2, inputs=["s1"]), native_step(3, actor=7)),
        native_run(native_step(1), native_step(2, inputs=["s1"], retry={"of": "g", "attempt": 2})),
        native_run(reports=[{"by": "agent", "value": "done", "step": "ghost"}]),
    ],
)
def test_what_cannot_be_kept_in_steps_is_content_all_the_same(other: dict[str, Any]) -> None:
    (run,) = intake.take(RUN).runs
    (with_more,) = taken(other).runs
    assert run.sha256 != with_more.sha256
    assert with_more.sha256 == taken(other).runs[0].sha256


def test_refused_steps_in_any_order_are_the_same_run() -> None:
    steps = [native_step(1), native_step(2, actor=7), native_step(3, parts=7)]
    digests = {taken(native_run(*each)).runs[0].sha256 for each in permutations(steps)}
    assert len(digests) == 1


def test_a_step_sent_twice_and_a_cut_file_leave_the_run_as_it_is() -> None:
    (run,) = intake.take(RUN).runs
    twice = native_run(*native_run()["steps"], native_step(1))
    (cut,) = intake.take(gzip.compress(RUN)[:-4]).runs
    assert "repeated_step" in kinds(taken(twice).runs[0].transcript)
    assert "damaged" in kinds(cut.transcript)
    assert run.sha256 == taken(twice).runs[0].sha256 == cut.sha256


def test_gaps_are_one_of_each_kind_and_step() -> None:
    (run,) = intake.take(
        json.dumps(native_run(native_step(1, {"type": "message", "text": ""}))).encode()
    ).runs
    found = [(gap.kind, gap.step) for gap in run.transcript.gaps]
    assert len(found) == len(set(found))
    assert ("empty_content", 0) in found


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["schema", "run", "steps", "history", "messages", "role", "content"]),
            inner,
        )
    ),
    max_leaves=15,
)


@settings(deadline=None)
@given(JSON, st.sampled_from(["", "native", "whowhen", "messages", "nonesuch"]))
def test_any_json_is_read_or_refused_by_every_format(value: Any, wanted: str) -> None:
    _, reason = tried(json.dumps(value).encode(), wanted)
    assert "failed on this document" not in reason


@settings(deadline=None)
@given(st.integers(0, len(RUN)), st.binary(min_size=1, max_size=4))
def test_bytes_written_over_a_run_are_read_or_refused(place: int, over: bytes) -> None:
    _, reason = tried(RUN[:place] + over + RUN[place + len(over) :])
    assert "failed on this document" not in reason


@pytest.mark.parametrize(
    "content", [b"", b"\x00" * 64, b"\xff\xfe", b"PK\x03\x04", b"\x1f\x8b", b"null"]
)
def test_nothing_is_refused_in_words(content: bytes) -> None:
    with pytest.raises(Unreadable):
        intake.take(content)

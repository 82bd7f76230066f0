from __future__ import annotations

import base64
import json
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.factories import make_step, make_transcript
from tests.traces.restoring import restored
from traces.encoded import found
from traces.facts import facts, with_facts
from traces.payloads import LARGEST, Moved, moved, references
from traces.transcript import Opinion, Part, PartKind

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)) * 4
IN_BASE64 = base64.b64encode(PNG).decode()
SHA = sha256(PNG).hexdigest()


def move(part: Part) -> tuple[Part, Moved]:
    result = moved(make_transcript(make_step(0, parts=(part,))))
    return result.transcript.steps[0].parts[0], result


def said(text: str, **data: object) -> Part:
    return Part(PartKind.MESSAGE, text, data)


def back(part: Part, result: Moved) -> Part:
    contents = {each.sha256: each.content for each in result.payloads}
    return restored(part, contents.__getitem__)


@pytest.mark.parametrize(
    "text",
    [
        "short",
        "x" * LARGEST,
        "é" * (LARGEST // 2),
        "deadbeef" * 400,
        "DEADBEEF" * 400,
        "abcdefgh" * 400,
        "word " * 4_000,
        base64.b64encode(b"\x00" * 1_500).decode(),
        base64.b64encode(b"plain words in base64 " * 60).decode(),
        IN_BASE64[:900],
        IN_BASE64[:-1],
        "a" + IN_BASE64,
        "data:image/png;base64," + IN_BASE64[:600],
    ],
)
def test_what_is_small_or_no_binary_content_stays(text):
    part = said(text)
    assert move(part)[1] == (make_transcript(make_step(0, parts=(part,))), ())


def test_what_stands_beside_the_steps_stays():
    opinion = Opinion("labels", "1", 0, 0, "planner", reason=IN_BASE64)
    transcript = make_transcript(
        make_step(0), opinions=(opinion,), withheld={"ground_truth": "x" * 2 * LARGEST}
    )
    assert moved(transcript) == (transcript, ())


def test_a_large_text_keeps_head_and_tail():
    lines = [f"line {n} of the log" for n in range(9_000)]
    text = "\n".join(lines)
    part, result = move(said(text))
    (payload,) = result.payloads
    head, middle, tail = part.text.partition("\n[… ")
    assert payload.content == text.encode()
    assert payload.media_type == "text/plain; charset=utf-8"
    assert text.startswith(head)
    assert text.endswith(part.text.rpartition("…]\n")[2])
    assert head.endswith("of the log\n")
    assert middle + tail == part.text[len(head) :]
    assert f"characters are in the payload with sha256 {payload.sha256[:12]} …]" in tail
    assert 7_000 < len(part.text) < 8_200
    assert part.data["payload"] == {
        "sha256": sha256(text.encode()).hexdigest(),
        "size": len(text),
        "media_type": "text/plain; charset=utf-8",
        "stored": True,
        "of": "text",
        "characters": len(text),
    }


def test_size_is_counted_in_bytes():
    text = "é" * (LARGEST // 2) + "."
    assert move(said(text))[1].payloads[0].content == text.encode()


def test_facts_of_a_large_text_are_still_facts():
    data = {"check": "interface", "verdict": "failed"}
    text = with_facts("x" * 2 * LARGEST, [("check", "interface"), ("verdict", "failed")])
    part, _ = move(Part(PartKind.VERIFICATION, text, data))
    assert [(fact.label, fact.value) for fact in facts(part)] == [
        ("check", "interface"),
        ("verdict", "failed"),
    ]
    assert all(part.text[fact.start :].startswith(fact.value) for fact in facts(part))


def test_a_large_fact_is_moved_like_text():
    observed = "y" * 2 * LARGEST
    data = {"check": "diff", "observed": observed}
    text = with_facts("It differs.", [("check", "diff"), ("observed", observed)])
    given = Part(PartKind.VERIFICATION, text, data)
    part, result = move(given)
    assert len(part.text) < 9_000
    assert part.data["check"] == "diff"
    assert "observed" not in part.data
    assert back(part, result) == given


def test_binary_content_in_a_text_becomes_a_reference():
    part, result = move(said(f"see data:image/png;base64,{IN_BASE64} there"))
    assert part.text == (
        f"see data:image/png;base64,[payload image/png, 1,040 bytes, sha256 {SHA[:12]}] there"
    )
    assert result.payloads[0].content == PNG
    assert part.data["payload"]["starts"] == [26]


def test_the_same_content_twice_is_one_payload():
    text = f"a {IN_BASE64} b {IN_BASE64} c"
    part, result = move(said(text, source={"data": IN_BASE64}))
    assert len(result.payloads) == 1
    assert [each["path"] for each in references(part)] == [["data", "source", "data"], ["text"]]
    assert back(part, result) == said(text, source={"data": IN_BASE64})


def test_a_recorders_own_bytes_are_stored_whatever_their_size():
    content = base64.encodebytes(b"tiny").decode()
    part, result = move(said("", payload={"media_type": "image/x-own", "content": content}))
    assert result.payloads[0].content == b"tiny"
    assert part.data["payload"] == {
        "media_type": "image/x-own",
        "sha256": sha256(b"tiny").hexdigest(),
        "size": 4,
        "stored": True,
    }


def test_bytes_that_were_not_sent_stay_a_description():
    own = said("", payload={"media_type": "image/png", "sha256": "0" * 64, "size": 9})
    assert move(own)[0] == own


@pytest.mark.parametrize(
    "part",
    [
        said("", payload={"media_type": "image/png", "content": "no base64!"}),
        said(f"data:image/png;base64,{IN_BASE64[:-1]}"),
    ],
)
def test_what_cannot_be_decoded_stays_and_is_a_gap(part):
    same, result = move(part)
    assert same == part
    assert result.payloads == ()
    (gap,) = result.transcript.gaps
    assert (gap.kind, gap.step) == ("undecodable_payload", 0)


def test_a_recorders_reference_and_ours_stand_side_by_side():
    own = {"media_type": "image/png", "sha256": "0" * 64, "size": 9}
    given = said("z" * 2 * LARGEST, payload=own)
    part, result = move(given)
    assert part.data["payload"] == own
    assert [each.get("of") for each in references(part)] == [None, "text"]
    assert back(part, result) == given


@pytest.mark.parametrize("foreign", [{"payload": "x"}, {"payloads": [1]}, {"payload": {"of": 1}}])
def test_foreign_data_under_our_names_is_kept_in_a_payload(foreign):
    given = said("z" * 2 * LARGEST, **foreign)
    part, result = move(given)
    assert back(part, result) == given


def test_moving_again_changes_nothing():
    once = move(said(f"{'x' * 2 * LARGEST} {IN_BASE64}", rows=["y" * 99] * 1_000))[1].transcript
    assert moved(once) == (once, ())


def test_the_long_way_is_taken_once():
    hostile = ["a" * 999 + " ", "data:", "{", "+", "/" * 999 + "-"]
    for text in hostile:
        assert list(found(text * (2_000_000 // len(text)))) == []


LONG = {
    "P": IN_BASE64,
    "D": f"data:image/png;base64,{IN_BASE64}",
    "G": base64.b64encode(b"GIF89a" + b"G" * 900).decode(),
    "W": "w " * LARGEST,
    "E": "é" * 999,
}
texts = st.text("PDGWE ab=\n[]", max_size=8)
values = st.recursive(
    texts | st.integers() | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
names = st.sampled_from(["a", "b", "payload", "observed"])


def written_out(value: Any) -> Any:
    """The value with letters in its texts that stand for long content written out."""
    if isinstance(value, str):
        return "".join(LONG.get(letter, letter) for letter in value)
    if isinstance(value, list):
        return [written_out(item) for item in value]
    if isinstance(value, dict):
        return {key: written_out(item) for key, item in value.items()}
    return value


@settings(max_examples=60, deadline=None)
@given(texts, st.dictionaries(names, values, max_size=3))
def test_everything_can_be_put_together_again(text, data):
    original = said(written_out(text), **written_out(data))
    part, result = move(original)
    assert back(part, result) == original
    assert len(part.text.encode()) <= LARGEST
    assert len(json.dumps(part.data, ensure_ascii=False).encode()) <= LARGEST + 4_096

"""Escapes against Python's own JSON reader, and back to the spelling."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from traces.redaction.unescaping import Unescaped

bodies = st.lists(
    st.sampled_from(["\\n", "\\\\", '\\"', "\\/", "\\u0041", "\\ud83d\\ude00", "\\ud83d", "a", "é"])
).map("".join)


@given(bodies)
def test_a_body_reads_as_pythons_reader_has_it(body: str) -> None:
    assert Unescaped(body).text == json.loads(f'"{body}"')


@given(bodies)
def test_each_character_leads_back_to_its_spelling(body: str) -> None:
    view = Unescaped(body)
    spelled = [
        body[view.written(place) : view.written(place + 1)] for place in range(len(view.text))
    ]
    assert "".join(spelled) == body
    assert [Unescaped(each).text for each in spelled] == list(view.text)


def test_what_is_no_escape_stays() -> None:
    assert Unescaped("\\x \\u12 \\").text == "\\x \\u12 \\"

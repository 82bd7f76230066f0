"""Where values stand in JSON, good and bad, and that nothing else is touched."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.patience import seconds_of
from tests.traces.redaction.searching import (
    BEARER,
    CARD,
    EMAIL,
    EVERYTHING,
    JWT,
    PEM,
    SECRETS,
    TOKEN,
    Site,
    redacted,
)
from traces.formats.base import Limits
from traces.redaction import Unopened, policy_of, search
from traces.redaction.documents import Standing

RULES = [*EVERYTHING, *SECRETS]
VALUES = {EMAIL: "EMAIL", TOKEN: "TOKEN", JWT: "JWT", CARD: "CARD", PEM: "PRIVATE_KEY"}


def fields(content: str, rules: list[dict[str, object]] = RULES) -> list[tuple[str, str]]:
    found = search(content.encode(), policy_of(rules), Limits())
    return [(field, value.text) for _, value, field in found.counted(Standing())]


@pytest.mark.parametrize(
    "text",
    [
        '{"password": null}',
        '{"password": ""}',
        '{"password": {}, "passwords": "x"}',
        '{"a": ["password", "x"]}',
        "[1700000000000, 12.5, true]",
        '"user@host"',
    ],
)
def test_what_no_rule_takes_stays(text: str) -> None:
    assert redacted(text.encode(), RULES) == text.encode()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": [{"password": "x"}]}', [("a/*/password", "x")]),
        ('{"PassWord" : 7}', [("PassWord", "7")]),
        ('{"pass\\u0077ord": "\\u0078"}', [("password", "x")]),
        ('{"password": {"a": ["x", true]}}', [("password/a/*", "x"), ("password/a/*", "true")]),
        ('{"password": "x"}\n{"b": 1, "password": "y"}', [("password", "x"), ("password", "y")]),
        ('{"b": {"c": 1\n{"password": "y"}\n{"d": 1}', [("password", "y")]),
        ('{"a": "odd " quote"}\n{"password": "y"}\n{"d": 1}', [("password", "y")]),
        ('{"password": "cut', [("password", "cut")]),
        ('{"password": "cut\\', [("password", "cut\\")]),
        ('{"password": "cut\\"', [("password", 'cut"')]),
        ('{"password": word}', [("password", "word")]),
        ('{"args": "{\\"password\\": \\"x\\"}"}', [("args/password", "x")]),
        (f'{{"a": {CARD}}}', [("a", CARD)]),
        (f'{{"a": "x", "{EMAIL}": 1}}', [(EMAIL, EMAIL)]),
        (f"no JSON, but {EMAIL}", [("", EMAIL)]),
        (
            '{"a": 4012' + '888888881881.0, "b": 0.4012888888881881}',
            [("a", "4012" + "888888881881.0")],
        ),
        ('{"a": 5.1051' + "051051051e15}", [("a", "5.1051" + "051051051e15")]),
        (
            '{"a": "4012\\u00a0' + '8888\\u00A088881881"}',
            [("a", "4012\u00a0" + "8888\u00a088881881")],
        ),
    ],
)
def test_values_are_found_with_their_path(text: str, expected: list[tuple[str, str]]) -> None:
    assert fields(text) == expected


def test_what_replaces_a_number_is_a_string() -> None:
    text = f'{{"a": [{CARD}, 1], "b": "[{CARD}]", "c": "{{\\"n\\": {CARD}}}", "password": 1}}'
    assert json.loads(redacted(text.encode(), RULES)) == {
        "a": ["[CARD-1]", 1],
        "b": "[[CARD-1]]",
        "c": '{"n": [CARD-1]}',
        "password": "[SECRET-1]",
    }


def test_a_number_in_json_in_a_string_becomes_a_string_there() -> None:
    text = json.dumps({"args": json.dumps({"password": 12, "n": 1})})
    args = json.loads(redacted(text.encode(), RULES))["args"]
    assert json.loads(args) == {"password": "[SECRET-1]", "n": 1}


def test_a_whole_field_goes_before_what_is_in_it() -> None:
    text = json.dumps({"password": f"{EMAIL} and more"})
    assert json.loads(redacted(text.encode(), RULES)) == {"password": "[SECRET-1]"}


def test_a_detector_with_fields_looks_nowhere_else() -> None:
    rules = [{"name": "m", "action": "redact", "detector": "emails", "fields": ["to"]}]
    text = json.dumps({"to": f"x {EMAIL}", "from": EMAIL})
    assert json.loads(redacted(text.encode(), rules)) == {"to": "x [EMAIL-1]", "from": EMAIL}


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_a_key_in_a_program_leaves_whole(depth: int) -> None:
    program, clean = f'k = "{PEM}"; f("x")', 'k = "[PRIVATE_KEY-1]"; f("x")'
    program = program.replace("\n", '\\n" +\n   "')
    for _ in range(depth):
        program, clean = json.dumps({"a": program}), json.dumps({"a": clean})
    assert redacted(program.encode()).decode() == clean


@pytest.mark.parametrize("depth", [0, 1, 2, 5])
@pytest.mark.parametrize("of", ["**/customer", "**/arguments", "a/arguments/*/customer"])
def test_a_detector_with_fields_follows_them_into_strings(of: str, depth: int) -> None:
    rules = [{"name": "m", "action": "redact", "detector": "emails", "fields": [of]}]
    arguments: object = [{"customer": f"x {EMAIL}"}]
    for _ in range(depth):
        arguments = json.dumps(arguments)
    text = json.dumps({"a": {"arguments": arguments}, "b": EMAIL})
    once = redacted(text.encode(), rules).decode()
    assert once.count("x [EMAIL-1]") == 1
    assert once.count(EMAIL) == 1


def test_a_number_in_a_field_of_a_detector_becomes_text_in_a_string_too() -> None:
    rules = [{"name": "c", "action": "redact", "detector": "cards", "fields": ["**/card"]}]
    text = json.dumps({"a": json.dumps({"card": int(CARD), "n": int(CARD)})})
    inner = json.loads(json.loads(redacted(text.encode(), rules))["a"])
    assert inner == {"card": "[CARD-1]", "n": int(CARD)}


@pytest.mark.parametrize("start", ["\\u000a", "\\u0020\\u0009", " \\n", "\\r\\u000D"])
@pytest.mark.parametrize("brace", ["{", "\\u007b"])
def test_json_in_a_string_may_begin_with_space_however_it_is_spelled(
    start: str, brace: str
) -> None:
    text = '{"a": "' + start + brace + '\\"password\\": \\"hidden\\"}"}'
    assert fields(text) == [("a/password", "hidden")]


def test_json_may_be_a_string_in_a_string() -> None:
    inner = json.dumps({"password": "hidden"})
    text = json.dumps({"a": json.dumps(json.dumps(json.dumps(inner)))})
    assert fields(text) == [("a/password", "hidden")]


def test_what_is_nested_deeper_than_anybody_looks_is_refused() -> None:
    text = '{"password": "hidden"}'
    for _ in range(18):
        # The shortest way to hide a quote and a backslash: it does not double.
        text = '"' + text.replace("\\", "\\u005c").replace('"', "\\u0022") + '"'
    with pytest.raises(Unopened, match="nested too deep"):
        redacted(text.encode(), RULES)


def test_a_name_matches_however_its_accents_are_put_together() -> None:
    rules = [
        {
            "name": "p",
            "action": "redact",
            "fields": ["**/p\u00e4ss", "**/Pa\u0308sse", "stra\u00dfe"],
        }
    ]
    text = json.dumps({"pa\u0308ss": "1", "P\u00c4SSE": "2", "STRASSE": "3", "pass": "4"})
    once = json.loads(redacted(text.encode(), rules))
    assert list(once.values()) == ["[VALUE-1]", "[VALUE-2]", "[VALUE-3]", "4"]


def test_of_two_rules_that_overlap_the_first_takes_both() -> None:
    header = f"Bearer {TOKEN}/x"
    rules = [
        {"name": "c", "action": "redact", "detector": "credentials"},
        {"name": "k", "action": "redact", "detector": "api_keys"},
    ]
    assert redacted(header.encode(), rules) == b"Bearer [CREDENTIAL-1]"
    assert redacted(header.encode(), rules[::-1]) == b"Bearer [TOKEN-1]"


def test_text_that_reads_like_a_placeholder_says_that_it_is_none() -> None:
    text = json.dumps({"a": f"[EMAIL-1] {EMAIL} [OTHER-1]", "password": "[EMAIL-1]"})
    site = Site()
    once = site.redacted(text.encode(), RULES)
    assert json.loads(once) == {
        "a": "[EMAIL-1 as sent] [EMAIL-1] [OTHER-1]",
        "password": "[SECRET-1]",
    }
    assert site.redacted(once, RULES) == once


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("ascii_only", [False, True])
def test_json_in_strings_in_strings_is_seen_into(
    value: str, depth: int, *, ascii_only: bool
) -> None:
    document: object = {"k": f"é\n{value}\tz"}
    for _ in range(depth):
        document = {"s": json.dumps(document, ensure_ascii=ascii_only), value: 1}
    once = redacted(json.dumps(document).encode(), EVERYTHING).decode()
    placeholder = f"[{VALUES[value]}-1]"
    assert once.count(placeholder) == once.count("-1]") == depth + 1
    inner = json.loads(once)
    for _ in range(depth):
        inner = json.loads(inner["s"])
    assert inner == {"k": f"é\n{placeholder}\tz"}


def escaped(text: str) -> str:
    return "".join(f"\\u{ord(sign):04x}" for sign in text)


spellings = st.sampled_from([lambda text: json.dumps(text)[1:-1], escaped])
filler = st.text(st.characters(exclude_categories=["Cs"]), max_size=8).filter(
    lambda text: not any(sign.isalnum() or sign in '"\\@[]{}.:/=+-_%~' for sign in text)
)


@given(
    value=st.sampled_from([*VALUES, BEARER]),
    before=filler,
    after=filler,
    spelled=spellings,
    wrap=st.sampled_from(['{{"a": "{}"}}', '["{}", 1]', '{{"{}": []}}', '"{}"', '{{"a": "{}']),
)
def test_a_secret_leaves_and_everything_else_stays(value, before, after, spelled, wrap) -> None:
    around = json.dumps(before)[1:-1], json.dumps(after)[1:-1]
    text = wrap.format(f"{around[0]} {spelled(value)} {around[1]}")
    if value == BEARER:
        _, value = BEARER.split(" ")
        start = text.index(spelled(value))
        expected = text[:start] + "[CREDENTIAL-1]" + text[start + len(spelled(value)) :]
    else:
        expected = text.replace(spelled(value), f"[{VALUES[value]}-1]")
    assert redacted(text.encode()).decode() == expected


FRAGMENTS = (
    *(*VALUES, BEARER, EMAIL[:4], "@", '"', "\\", "{", "}", "[", "]", ":", ",", "\n", "\\n"),
    *('"password": ', "[EMAIL-1]", "[EMAIL-1", "-1]", "[SECRET-2]", "x", "7", "null", " ", "é"),
    *("\\u0040", "\\ud800", "\\\\", '\\"', "://a:", "://a@", ".", "sk-", "\ud7ff", "\u2028", "İ"),
)
pieces = st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("".join)


@given(pieces)
def test_what_was_redacted_once_holds_nothing_to_redact(text: str) -> None:
    site = Site()
    once = site.redacted(text.encode(), RULES)
    assert site.redacted(once, RULES) == once


def test_a_placeholder_in_front_makes_no_json_of_a_string() -> None:
    text = json.dumps({"a": EMAIL + '{"password": "x"}'}).encode()
    site = Site()
    once = site.redacted(text, RULES)
    assert site.redacted(once, RULES) == once


@given(st.binary(max_size=60).map(lambda binary: b'{"a":"' + binary))
def test_bytes_that_are_not_of_their_encoding_pass_unchanged(content: bytes) -> None:
    assert redacted(content, SECRETS) == content


@given(st.lists(st.sampled_from(list(VALUES)), min_size=1, max_size=6))
def test_the_same_value_has_the_same_placeholder_everywhere(values: list[str]) -> None:
    site = Site()
    first = json.loads(site.redacted(json.dumps(values).encode()))
    second = json.loads(site.redacted(json.dumps(values[::-1]).encode()))
    assert second == first[::-1]
    assert len(set(first)) == len(set(values))


@given(
    value=st.sampled_from([TOKEN, EMAIL, CARD]),
    before=st.sampled_from(["", "api_key: ", "Bearer ", "Authorization: Bearer ", "the ("]),
    after=st.text(".,;:!?", max_size=3),
)
def test_a_value_has_its_placeholder_wherever_it_stands_in_a_sentence(
    value: str, before: str, after: str
) -> None:
    site = Site()
    (alone,) = json.loads(site.redacted(json.dumps([value]).encode()))
    (said,) = json.loads(site.redacted(json.dumps([f"{before}{value}{after}"]).encode()))
    assert said == f"{before}{alone}{after}"


def test_of_a_web_address_the_password_alone_leaves() -> None:
    text = json.dumps(["https://u:" + "pa55word@h.example.org/x?to=" + EMAIL])
    once = Site().redacted(text.encode()).decode()
    assert json.loads(once) == ["https://u:[CREDENTIAL-1]@h.example.org/x?to=[EMAIL-1]"]


@pytest.mark.parametrize(
    "text", ['say {"a": [EMAIL-4]} [EMAIL-5]', '{"password": [EMAIL-4]}', "[EMAIL-4] x: {y: 1}"]
)
def test_outside_quotes_too_a_lookalike_says_so_once(text: str) -> None:
    site, rules = Site(), [*RULES, {"name": "any", "action": "redact", "fields": ["*/y"]}]
    once = site.redacted(text.encode(), rules)
    assert b"-4]" not in once
    assert site.redacted(once, rules) == once


@pytest.mark.parametrize("piece", ["a@b.cd", f"{CARD}-", f"{CARD}."])
def test_outside_quotes_twice_the_text_takes_no_longer_than_a_few_times(piece: str) -> None:
    def seconds(number: int) -> float:
        return seconds_of(lambda: fields("x " + piece * number))

    # Quadratic time would be 64 times as long.
    assert seconds(8_000) < 24 * max(seconds(1_000), 0.002)

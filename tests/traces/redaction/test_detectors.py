"""What each detector takes and leaves. Card numbers are the networks' published test numbers."""

from __future__ import annotations

import random

import pytest
from stdnum import luhn

from tests.patience import seconds_of
from tests.traces.redaction.searching import BEARER, CARD, EMAIL, JWT, PEM, TOKEN
from traces.redaction.detectors import DETECTORS

TEST_NUMBERS = [
    "3782" + "82246310005",
    "3714" + "49635398431",
    "3056" + "9309025904",
    "3852" + "0000023237",
    "6011" + "111111111117",
    "3530" + "111333300000",
    "5555" + "555555554444",
    "2223" + "003122003222",
    "4111" + "111111111111",
    "4222" + "222222222",
]


def found(name: str, text: str) -> list[str]:
    return [text[start:end] for start, end in DETECTORS[name].found(text, 0, len(text))]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("emails", "@property def x(self): return a @ b"),
        ("emails", "numpy@1.2.3 and @scope/package and user@host"),
        ("emails", "ssh://git@example.org/x and https://u:" + "pa55word@h.example.org/x"),
        ("emails", "https://u:" + "p@ss.word@h.example.org and amqp://:" + "pw@h.example.org"),
        ("cards", "4111" + "1111" * 2 + "1112"),
        ("cards", "1" * 16),
        ("cards", "x4111" + "1111" * 3),
        ("cards", "0.4111" + "1111" * 3),
        ("cards", "4111" + "1111" * 3 + ".01"),
        ("cards", "1.4111." + "1111." * 2 + "1111"),
        ("cards", "4111." + "1111." * 3 + "1111"),
        ("cards", "5.1051" + "051051051e14"),
        ("credentials", "Authorization: authentication-required, Bearer AccessTokenProvider"),
        ("credentials", "http://localhost:8080/path@2x.png"),
        ("credentials", "Bearer authorization is supported by AWS4-HMAC-SHA256, Signature=ok"),
        ("emails", "it's o'clock and 'user@host'"),
        ("cards", "2026-11-20 09:00:00 1700000000000"),
        ("credentials", "The bearer of this has a basic understanding of tokens."),
        ("credentials", "Authorization: required. token expired-yesterday"),
        ("credentials", "https://example.org:8080/path and a://b"),
        ("api_keys", "task-force, disk-usage-reports, the api_key is unset, api_key: <redacted>"),
        ("api_keys", "the token count: 12345, AKIA is a prefix"),
        ("jwt", "eyJ is how they begin. eyJhbGciOi"),
        ("private_keys", "a PRIVATE KEY is secret; -----BEGIN PUBLIC KEY-----"),
    ],
)
def test_a_detector_leaves_what_is_none(name: str, text: str) -> None:
    assert found(name, text) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("emails", EMAIL),
        ("emails", "jürgen@bücher.example"),
        ("emails", "o'brien@example.org"),
        ("jwt", JWT),
        ("private_keys", PEM),
        ("private_keys", PEM.replace("\n", "\\n")),
        ("private_keys", PEM.replace("\n", '\\n" +\n    "')),
        ("private_keys", PEM.replace("\n", '",\n  "')),
        ("private_keys", PEM.replace("\n", "\\n\\\n")),
        ("private_keys", PEM.replace("\n", "\n-----\n", 1)),
        ("cards", CARD),
        ("cards", "4111 " + "1111 " * 2 + "1111"),
        ("cards", "4111-" + "1111-" * 2 + "1111"),
        ("cards", "4111." + "1111." * 2 + "1111"),
        ("cards", "3782." + "822463." + "10005"),
        ("cards", "4111\u00a0" + "1111\u00a0" * 2 + "1111"),
        ("cards", "4111\u2011" + "1111\u2011" * 2 + "1111"),
        ("cards", "4 1 1 1 " + "1 1 1 1 " * 2 + "1 1 1 1"),
        ("cards", "5.1051" + "051051051e15"),
        ("api_keys", TOKEN),
        ("api_keys", "AKIA" + "ABCDEFGHIJKLMNOP"),
        ("api_keys", "sk" + "-proj-" + "aB3_" * 12),
        ("api_keys", "sk" + "-ant-api03-" + "aB3_" * 12),
        ("api_keys", "github" + "_pat_" + "aB3_" * 12),
        ("api_keys", "glpat" + "-" + "aB3x" * 5),
        ("api_keys", "xoxb" + "-123456789012-" + "abcdef123456"),
        ("api_keys", "sk" + "_live_" + "aB3x" * 24),
        ("api_keys", "AIza" + "aB3_" * 9),
        ("api_keys", "SG" + "." + "a" * 22 + "." + "b" * 43),
        ("api_keys", "npm" + "_" + "aB3x" * 9),
        ("api_keys", "hf" + "_" + "aB3x" * 9),
        ("api_keys", "pypi" + "-AgEIcHlwaS5vcmc" + "aB3_" * 20),
        ("api_keys", "123456789" + ":AA" + "b" * 33),
    ],
)
def test_a_detector_takes_the_whole_value(name: str, value: str) -> None:
    assert found(name, f"before {value} after") == [value]
    assert found(name, f"({value})") == [value]


@pytest.mark.parametrize("number", TEST_NUMBERS)
def test_published_card_numbers_are_found(number: str) -> None:
    assert found("cards", f"paid with {number}.") == [number]


def test_a_card_number_is_found_among_other_digits() -> None:
    assert found("cards", f"12 {CARD} 123 and {CARD} {CARD}") == [CARD] * 3


def test_few_numbers_are_taken_for_cards() -> None:
    chance = random.Random(1)
    numbers = [str(chance.randrange(10**15, 10**16)) for _ in range(20_000)]
    taken = [number for number in numbers if found("cards", number)]
    assert all(luhn.is_valid(number) for number in taken)
    assert len(taken) / len(numbers) < 0.035


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"Authorization: {BEARER}", BEARER[7:]),
        (f"curl -H 'authorization: {BEARER.lower()}'", BEARER[7:].lower()),
        ("Authorization: Basic " + "YWxpY2U6c2VjcmV0", "YWxpY2U6c2VjcmV0"),
        ("postgres://bob:" + "p@ss1" + "@host/db", "p@ss1"),
        ("https://bob@example.org:" + "p4ss" + "@h.example.org/x", "p4ss"),
        ("https://bob:" + "p4/ss" + "@h.example.org/x", "p4/ss"),
        ("https://o'bob:" + "p4ss" + "@h.example.org/x", "p4ss"),
        ("Authorization: ApiKey " + "aB3x" * 5, "aB3x" * 5),
        ("Authorization: Negotiate " + "YIIJ" * 5 + "a1==", "YIIJ" * 5 + "a1=="),
        ("Bearer " + "QwErTyUiOpAsDf", "QwErTyUiOpAsDf"),
        ("authorization: bearer " + "qwertyuiopasdfghjklzxc", "qwertyuiopasdfghjklzxc"),
        (
            "Authorization: AWS4-HMAC-SHA256 Credential=X/20261120/eu-west-1/s3/aws4_request,"
            " SignedHeaders=host;x-amz-date, Signature=" + "fe5f80f7" * 8,
            "fe5f80f7" * 8,
        ),
        ("https://h.example.org/?X-Amz-Signature=" + "fe5f80f7" * 8, "fe5f80f7" * 8),
    ],
)
def test_credentials_are_taken_without_their_scheme(text: str, secret: str) -> None:
    assert set(found("credentials", text)) == {secret}


@pytest.mark.parametrize("sign", [".", "...", ",", ";", ":", "!", "?", "?!", ".)", '."'])
@pytest.mark.parametrize(
    ("name", "before", "value"),
    [
        ("api_keys", "", TOKEN),
        ("api_keys", "api_key: ", TOKEN),
        ("api_keys", "api_key=", "aB3x" * 5),
        ("credentials", "Bearer ", TOKEN),
        ("credentials", "Authorization: ", TOKEN),
        ("jwt", "", JWT),
        ("emails", "", EMAIL),
        ("cards", "", CARD),
    ],
)
def test_what_ends_a_sentence_is_no_part_of_a_value(
    name: str, before: str, value: str, sign: str
) -> None:
    for after in (sign, f"{sign} Next", f"{sign}\n"):
        assert set(found(name, before + value + after)) == {value}


@pytest.mark.parametrize(
    "text",
    [
        f"https://{EMAIL}:" + "p4ss@h.example.org",
        f"https://h.example.org,{EMAIL}",
        f"https://h.example.org:8080;{EMAIL}",
        f"https://h.example.org?to={EMAIL}",
        f"https://h.example.org/{EMAIL}",
        f"https://h.example.org:8080 {EMAIL} https://h.example.org",
    ],
)
def test_an_address_beside_a_web_address_is_taken(text: str) -> None:
    assert found("emails", text) == [EMAIL]


def test_the_value_of_an_assignment_is_taken() -> None:
    secret = "aB3x" * 5
    for text in (f"API_KEY={secret}", f"client-secret: '{secret}'", f'"api_key": "{secret}"'):
        assert found("api_keys", text) == [secret]


def test_a_key_that_was_cut_takes_the_rest_of_its_text() -> None:
    cut = PEM[: PEM.index("-----END")]
    assert found("private_keys", cut) == [cut]


@pytest.mark.parametrize("text", ["'{}'", "to:'{}'", "\\\\n'{}'", "({}", "a='{}"])
def test_an_address_is_taken_out_of_its_quotes(text: str) -> None:
    assert set(found("emails", text.replace("{}", EMAIL))) == {EMAIL}


@pytest.mark.parametrize("before", ["card_", "card:", "#", "_"])
def test_a_card_number_may_have_a_name_before_it(before: str) -> None:
    assert found("cards", f"{before}{CARD}") == [CARD]


def test_a_key_that_was_cut_is_followed_through_the_strings_of_a_program() -> None:
    body = "MIIEpAIBAAKCAQEA" * 4
    code = f'{PEM[:31]}\\n" +\n    "{body}\\n" +\n "{body}'
    assert found("private_keys", code + '", "and no more"') == [code]


def test_a_key_without_its_end_does_not_take_the_next() -> None:
    cut = PEM[:45]
    assert found("private_keys", f'{cut}" and {PEM} and') == [cut, PEM]


def test_from_one_key_to_the_end_of_another_far_away_is_not_one() -> None:
    text = PEM[:45] + '"' + " no key" * 10_000 + PEM[-30:]
    assert found("private_keys", text) == [PEM[:45]]


@pytest.mark.parametrize("name", DETECTORS)
@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "@",
        "a@",
        "a@b.",
        "sk-",
        "eyJ",
        "eyJ.",
        "1 ",
        "4",
        "-----BEGIN PRIVATE KEY-----",
        "://a:",
        "://a@",
        "://",
        "@a:",
        "eyJ=",
        "eyJa=.",
        "a'",
        "\\n'a",
        "4 ",
        "4.",
        "4111.",
        "4e15",
        "-----",
        '-----BEGIN PRIVATE KEY-----"',
        '" + "',
        "Bearer ",
        "authorization: ",
        "AWS4-HMAC-SHA256 ",
        "://a:b/",
    ],
)
@pytest.mark.timeout(20)
def test_no_detector_is_slow_on_hostile_text(name: str, piece: str) -> None:
    found(name, piece * (200_000 // len(piece)))


@pytest.mark.parametrize(("name", "piece"), [("jwt", "eyJ="), ("emails", "a'"), ("cards", "4 ")])
def test_twice_the_text_takes_no_longer_than_a_few_times(name: str, piece: str) -> None:
    def seconds(number: int) -> float:
        return seconds_of(lambda: found(name, piece * number))

    # Quadratic time would be 64 times as long.
    assert seconds(80_000) < 24 * max(seconds(10_000), 0.002)

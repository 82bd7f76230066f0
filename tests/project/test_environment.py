from __future__ import annotations

from pathlib import Path

import pytest

from config import environment
from config.environment import BadSetting

NAME = "INQUEST_TEST_VALUE"


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch):
    return lambda value, suffix="": monkeypatch.setenv(f"{NAME}{suffix}", value)


@pytest.mark.parametrize("value", ["2", "on", "true ", "wahr", "-1", "None"])
def test_a_flag_that_is_neither_true_nor_false_names_itself(given, value: str) -> None:
    given(value)
    with pytest.raises(BadSetting, match=f"{NAME} must be true or false, not '{value.lower()}'"):
        environment.flag(NAME, default=False)


@pytest.mark.parametrize("value", ["-1", "1.5", " 1", "1e3", "²", "٣", "many"])
def test_a_number_that_is_none_names_itself(given, value: str) -> None:
    given(value)
    with pytest.raises(BadSetting, match=f"{NAME} must be a whole number, not '{value}'"):
        environment.whole_number(NAME, default=7)


def test_a_file_that_cannot_be_read_names_its_setting(given, tmp_path: Path) -> None:
    given(str(tmp_path / "missing"), "_FILE")
    with pytest.raises(BadSetting, match=f"{NAME}_FILE names a file that cannot be read"):
        environment.text(NAME)
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\xfa")
    given(str(binary), "_FILE")
    with pytest.raises(BadSetting, match=f"{NAME}_FILE names a file that cannot be read"):
        environment.text(NAME)


def test_without_a_value_the_default_stands(given) -> None:
    assert environment.text(NAME) == ""
    assert environment.text(NAME, "x") == "x"
    assert environment.flag(NAME, default=True) is True
    assert environment.whole_number(NAME, default=7) == 7
    assert environment.names(NAME, "a, b") == ["a", "b"]
    given("")
    assert environment.flag(NAME, default=True) is True
    assert environment.whole_number(NAME, default=7) == 7


@pytest.mark.parametrize(
    ("value", "meant"),
    [("1", True), ("true", True), ("YES", True), ("0", False), ("False", False), ("no", False)],
)
def test_flags(given, value: str, meant: bool) -> None:
    given(value)
    assert environment.flag(NAME, default=not meant) is meant


def test_numbers_and_names(given) -> None:
    given("0042")
    assert environment.whole_number(NAME, default=7) == 42
    given(" example.org ,, 127.0.0.1,")
    assert environment.names(NAME, "x") == ["example.org", "127.0.0.1"]


def test_a_file_comes_before_the_value_and_loses_its_line_end(given, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("from the file\n")
    given("from the variable")
    given(str(secret), "_FILE")
    assert environment.text(NAME) == "from the file"
    given("", "_FILE")
    assert environment.text(NAME) == "from the variable"

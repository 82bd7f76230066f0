"""Typed readers for environment variables. A bad value stops the start and names itself."""

import os
from pathlib import Path


class BadSetting(ValueError):
    """An environment variable holds something its setting cannot use."""


def text(name: str, default: str = "") -> str:
    """The value of NAME, or the content of the file that NAME_FILE points to."""
    file = os.environ.get(f"{name}_FILE")
    if not file:
        return os.environ.get(name, default)
    try:
        return Path(file).read_text().strip()
    except (OSError, UnicodeError) as error:
        raise BadSetting(f"{name}_FILE names a file that cannot be read: {error}.") from error


def flag(name: str, *, default: bool) -> bool:
    value = os.environ.get(name, "").lower()
    if value in ("", "0", "1", "false", "true", "no", "yes"):
        return value in ("1", "true", "yes") if value else default
    raise BadSetting(f"{name} must be true or false, not {value!r}.")


def whole_number(name: str, *, default: int) -> int:
    value = os.environ.get(name, "")
    if not value:
        return default
    if not (value.isascii() and value.isdigit()):
        raise BadSetting(f"{name} must be a whole number, not {value!r}.")
    return int(value)


def names(name: str, default: str = "") -> list[str]:
    return [item.strip() for item in text(name, default).split(",") if item.strip()]

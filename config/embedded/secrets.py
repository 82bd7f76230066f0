"""Random secrets, one private file each, made when they are first asked for."""

import secrets

from config import environment
from config.embedded import records
from config.embedded.paths import StartRefused, state_dir

CONSONANTS = "bdfgklmnprstvz"
VOWELS = "aeiou"


def secret(name: str) -> str:
    """The secret of that name, the same for every process of this installation."""
    make = _pronounceable if name == "demo_password" else secrets.token_hex
    try:
        folder = state_dir() / "secrets"
        folder.mkdir(mode=0o700, exist_ok=True)
        return records.read_or_create(folder / name, make)
    except OSError as error:
        raise StartRefused(
            f"{error.filename} cannot be used ({error.strerror}): run as the user who made it, or"
            " set INQUEST_STATE_DIR to a folder of your own."
        ) from error


def demo_password() -> str:
    """What the demo users sign in with: INQUEST_DEMO_PASSWORD, or one made here."""
    return environment.text("INQUEST_DEMO_PASSWORD") or secret("demo_password")


def _pronounceable() -> str:
    """Three words of four letters and a number, to be read off a terminal: 50 bits."""
    words = ("".join(_syllable() + _syllable()) for _ in range(3))
    return "-".join([*words, f"{secrets.randbelow(10_000):04}"])


def _syllable() -> str:
    return secrets.choice(CONSONANTS) + secrets.choice(VOWELS)

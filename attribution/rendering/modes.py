"""How a person wants each kind of part shown: a cookie such as `message-raw.state-json`."""

from __future__ import annotations

from collections.abc import Mapping

from traces.vocabulary import PartKind

COOKIE = "inquest_shown"
RENDERED, RAW, JSON = MODES = ("rendered", "raw", "json")
KINDS = frozenset(kind.value for kind in PartKind)


def remembered(cookie: str) -> dict[str, str]:
    """The mode of each kind that the cookie names; whatever else it holds is left out."""
    pairs = (entry.split("-") for entry in cookie[:1_000].split("."))
    return {p[0]: p[1] for p in pairs if len(p) == 2 and p[0] in KINDS and p[1] in MODES}


def remembering(modes: Mapping[str, str], kind: str, mode: str) -> str:
    """The cookie with one kind's mode changed; what is as always is not written."""
    changed = {**modes, kind: mode}
    return ".".join(f"{k}-{m}" for k, m in sorted(changed.items()) if m != RENDERED)

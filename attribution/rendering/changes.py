"""What a step changed: a state before and after, as words or as keys."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any, NamedTuple

from attribution.alignment import word_diff
from attribution.rendering.safe import EMPTY, Html, escaped
from attribution.rendering.structure import NotJson, children, container, is_object
from attribution.rendering.tree import literal

# Characters of both texts together: longer ones would not read as a difference.
DIFFABLE = 20_000
# Stretches that stayed alike are shown this far from what changed.
NEAR = 120
# Characters of a value in a list of keys.
WIDTH = 120
SYMBOLS = {"insert": ("ins", "added"), "delete": ("del", "removed")}


class Change(NamedTuple):
    before: Any
    after: Any


def change_in(data: Mapping[str, Any]) -> Change | None:
    """The state before and after, if the part holds both and they are more than names."""
    before, after = data.get("before"), data.get("after")
    if before is None or after is None or before == after:
        return None
    if is_object(before) and is_object(after):
        return Change(before, after)
    if not (isinstance(before, str) and isinstance(after, str)):
        return None
    return Change(before, after) if max(len(before), len(after)) > 40 else None


def drawn(change: Change, elements: int) -> Html:
    """The difference: of objects by key, of texts by word; empty if it is too long to read."""
    before, after = _object(change.before), _object(change.after)
    if before is not None and after is not None:
        return _by_key(before, after, elements)
    if not (isinstance(change.before, str) and isinstance(change.after, str)):
        return EMPTY
    if len(change.before) + len(change.after) > DIFFABLE:
        return EMPTY
    return _by_word(change.before, change.after, elements)


def _object(value: Any) -> dict[str, Any] | None:
    if isinstance(value, str):
        try:
            value = container(value)
        except NotJson:
            return None
    return dict(children(value) or ()) if is_object(value) else None


def _by_key(before: dict[str, Any], after: dict[str, Any], elements: int) -> Html:
    changed = [
        key
        for key in {**before, **after}
        if before.get(key) != after.get(key) or (key in before) != (key in after)
    ]
    shown = islice(changed, max(1, elements // 4))
    items = "".join(f"<li><b>{escaped(key)}</b> {_of(key, before, after)}</li>" for key in shown)
    beyond = len(changed) - max(1, elements // 4)
    same = sum(key in after for key in before) - sum(
        key in before and key in after for key in changed
    )
    notes = [f"{beyond:,} more changed"] * (beyond > 0) + [f"{same:,} unchanged"] * (same > 0)
    end = f'<li class="soft">{", ".join(notes)}</li>' if notes else ""
    return Html(f'<ul class="tree changes">{items}{end}</ul>')


def _of(key: str, before: dict[str, Any], after: dict[str, Any]) -> str:
    gone = f"<del>{_short(before[key])}</del>" if key in before else ""
    new = f"<ins>{_short(after[key])}</ins>" if key in after else ""
    return f"{gone} {new}".strip()


def _short(value: Any) -> str:
    """A value in one line: of an object or list how much it holds besides its beginning."""
    written = _written(value, 3)
    return escaped(written if len(written) <= WIDTH else f"{written[:WIDTH]}…")


def _written(value: Any, depth: int) -> str:
    inside = children(value)
    if inside is None:
        return value if isinstance(value, str) else literal(value)
    if depth == 0:
        return "…"
    first = [(name, _written(item, depth - 1)) for name, item in islice(inside, 12)]
    names = is_object(value)
    joined = ", ".join(f"{name}: {text}" if names else text for name, text in first)
    more = ", …" if len(inside) > 12 else ""
    return f"{{{joined}{more}}}" if names else f"[{joined}{more}]"


def _by_word(before: str, after: str, elements: int) -> Html:
    pieces = word_diff(before, after)
    if sum(op != "equal" for op, _ in pieces) > elements:
        pieces = [("delete", before), ("insert", after)]
    last = len(pieces) - 1
    drawn = (
        _piece(op, text, is_edge=index in (0, last)) for index, (op, text) in enumerate(pieces)
    )
    return Html(f'<div class="text diff">{"".join(drawn)}</div>')


def _piece(op: str, text: str, *, is_edge: bool) -> str:
    if op != "equal":
        tag, _ = SYMBOLS[op]
        return f"<{tag}>{escaped(text)}</{tag}>"
    if len(text) <= NEAR * (2 if is_edge else 3):
        return escaped(text)
    left_out = f" … {len(text) - 2 * NEAR:,} characters alike … "
    return f"{escaped(text[:NEAR])}<i>{left_out}</i>{escaped(text[-NEAR:])}"

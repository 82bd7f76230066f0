"""JSON as a tree of which only the top is drawn: each branch is a link to itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import quote

from attribution.rendering.cutting import counted
from attribution.rendering.safe import Html, attribute, escaped
from attribution.rendering.structure import Literal, children, is_object, segments

# Members of an object that is drawn in one line with its name, each no longer than this.
SMALL, SHORT = 4, 40
# Elements that one member costs at most.
EACH = 4
# Characters of a path that a link names, for every member's link repeats it. What stands at a
# longer one is counted only.
LONGEST = 1_000


@dataclass(frozen=True, slots=True)
class Branch:
    """Where a value stands, and how much of it may be drawn.

    `address` is what a link to a branch begins with, up to its query; empty for no links at all.
    Strings are cut at `width` characters.
    """

    address: str
    path: str = ""
    start: int = 0
    elements: int = 60
    width: int = 200

    def leads_to(self, path: str) -> bool:
        return bool(self.address) and len(path) <= LONGEST

    def to(self, path: str, start: int = 0) -> str:
        """The address of another branch, for an attribute."""
        window = f"&from={start}" if start else ""
        joint = "&" if "?" in self.address else "?"
        place = quote(path.encode("utf-8", "surrogatepass"), safe="/~")
        return attribute(f"{self.address}{joint}path={place}{window}")


def tree(value: Any, branch: Branch) -> Html:
    """A value's own level, from its member number `branch.start` on."""
    inside = children(value)
    if inside is None:
        return Html(f'<ul class="tree"><li>{_scalar(value, branch, branch.path)}</li></ul>')
    if not len(inside):
        return Html(f'<ul class="tree"><li>{count(value)}</li></ul>')
    end = min(len(inside), branch.start + max(1, branch.elements // EACH))
    pairs = inside[branch.start : end]
    names = _segments(value, branch, end)
    items = "".join(
        f"<li><b>{_name(name, branch)}</b> {_child(item, branch, f'{branch.path}/{segment}')}</li>"
        for (name, item), segment in zip(pairs, names, strict=True)
    )
    return Html(f'<ul class="tree">{items}{_window(value, branch, end, len(inside))}</ul>')


def _name(name: str, branch: Branch) -> Html:
    return escaped(name if len(name) <= branch.width else f"{name[: branch.width]}…")


def _segments(value: Any, branch: Branch, end: int) -> list[str]:
    if not is_object(value):
        return [str(index) for index in range(branch.start, end)]
    names = [name for name, _ in islice(children(value) or (), end)]
    return segments(names)[branch.start :]


def _window(value: Any, branch: Branch, end: int, total: int) -> str:
    if end >= total:
        return ""
    words = f"{total - end:,} more of {count(value)}"
    if not branch.leads_to(branch.path):
        return f'<li class="soft">{words}</li>'
    return f'<li><a class="further" href="{branch.to(branch.path, end)}">{words}</a></li>'


def count(value: Any) -> str:
    """ "17 keys", "3,204 items"."""
    return counted(len(children(value) or ()), "key" if is_object(value) else "item")


def _child(value: Any, branch: Branch, path: str) -> str:
    if children(value) is None:
        return _scalar(value, branch, path)
    if not children(value):
        return f"<i>{'{}' if is_object(value) else '[]'}</i>"
    small = "".join(_small(value))
    if small:
        return f"<code>{small}</code>"
    if not branch.leads_to(path):
        return f"<i>{count(value)}</i>"
    return f'<a class="branch" href="{branch.to(path)}">{count(value)}</a>'


def _small(value: Any) -> Iterator[str]:
    """A short value of few short members in one line; nothing if it is larger."""
    inside = children(value) or ()
    if len(inside) > SMALL or any(children(item) is not None for _, item in inside):
        return
    words = [
        (name, text if isinstance(item, str) else literal(item))
        for name, item in inside
        for text in [_quoted(item)]
    ]
    if sum(len(name) + len(text) for name, text in words) > SHORT * 2:
        return
    names = is_object(value)
    joined = ", ".join(f"{name}: {text}" if names else text for name, text in words)
    yield escaped(f"{{{joined}}}" if names else f"[{joined}]")


def _quoted(item: Any) -> str:
    return item if isinstance(item, Literal) or not isinstance(item, str) else f'"{item}"'


def literal(value: Any) -> str:
    """A value that is no string, object or list, as JSON writes it."""
    names = {True: "true", False: "false"}
    return "null" if value is None else names[value] if isinstance(value, bool) else str(value)


def _scalar(value: Any, branch: Branch, path: str) -> str:
    if isinstance(value, Literal) or not isinstance(value, str):
        written = literal(value)
        more = "…" if len(written) > branch.width else ""
        return f"<i>{escaped(written[: branch.width])}{more}</i>"
    if len(value) <= branch.width:
        return f"<q>{escaped(value)}</q>"
    words = counted(len(value) - branch.width, "more character")
    link = (
        f'<a class="branch" href="{branch.to(path)}">{words}</a>'
        if branch.leads_to(path)
        else words
    )
    return f"<q>{escaped(value[: branch.width])}…</q> {link}"

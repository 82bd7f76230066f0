"""Every address of the site, from the URL patterns themselves, so that none is forgotten."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from django.urls import URLPattern, URLResolver, get_resolver, reverse


class Address(NamedTuple):
    """A named view and a path that leads to it."""

    name: str
    path: str


def every_address(values: Mapping[str, Any]) -> list[Address]:
    """All views with a path each; `values` are the arguments that their patterns ask for."""
    found = list(_patterns(get_resolver().url_patterns))
    return [
        Address(name, reverse(name, kwargs={argument: values[argument] for argument in arguments}))
        for name, arguments in found
    ]


def _patterns(
    patterns: Iterable[URLPattern | URLResolver],
    spaces: tuple[str, ...] = (),
    arguments: tuple[str, ...] = (),
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for each in patterns:
        own = (*arguments, *each.pattern.regex.groupindex)
        if isinstance(each, URLResolver):
            inner = (*spaces, each.namespace) if each.namespace else spaces
            yield from _patterns(each.url_patterns, inner, own)
        else:
            assert each.name, f"{each} has no name"
            yield ":".join((*spaces, each.name)), own

"""The keys of a page, for its sheet and its script."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django import template

from attribution import keys

register = template.Library()


@dataclass(frozen=True)
class Sheet:
    """Actions by group, and what the script reads."""

    groups: list[tuple[str, list[keys.Action]]]
    registry: dict[str, Any]


@register.simple_tag
def keys_of(page: str) -> Sheet:
    return Sheet(keys.grouped(keys.on(page)), keys.registry(page))

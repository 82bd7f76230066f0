"""Template filters that show values of a record; built in, so templates need no load tag."""

from __future__ import annotations

from datetime import UTC, datetime

from django import template

register = template.Library()


@register.filter
def utc(value: datetime | None) -> str:
    """A time with its zone, to the second; empty when there is none."""
    return f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC" if value else ""

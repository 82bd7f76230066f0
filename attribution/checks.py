"""System checks: what is wrong with the installation before anything runs."""

from __future__ import annotations

from collections.abc import Sequence

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error, register

from attribution import keys, registry


@register()
def attributors_are_sound(
    app_configs: Sequence[AppConfig] | None, **_: object
) -> list[CheckMessage]:
    return [Error(fault, id="attribution.E001") for fault in registry.faults()]


@register()
def keys_are_sound(app_configs: Sequence[AppConfig] | None, **_: object) -> list[CheckMessage]:
    return [Error(fault, id="attribution.E002") for fault in keys.faults(keys.ACTIONS)]

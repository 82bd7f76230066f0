from importlib import import_module

from django.apps import AppConfig


class AttributionConfig(AppConfig):
    name = "attribution"

    def ready(self) -> None:
        # Models exist only from here on, so these cannot stand at the top.
        import_module("attribution.checks")
        import_module("attribution.dispatch")

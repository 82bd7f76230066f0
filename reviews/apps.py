from importlib import import_module

from django.apps import AppConfig


class ReviewsConfig(AppConfig):
    name = "reviews"

    def ready(self) -> None:
        # Models exist only from here on, so these cannot stand at the top.
        import_module("reviews.subscriptions")
        import_module("reviews.renewals")

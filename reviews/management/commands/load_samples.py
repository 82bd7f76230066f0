"""`manage.py load_samples`: the demo project, loaded once however often it is called."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from reviews import samples
from reviews.management.database import DatabaseCommand


class Command(DatabaseCommand):
    help = "Load the demo project with its people, rules and sample runs. May be repeated."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, **options: Any) -> None:
        loaded = samples.load(at=timezone.now())
        if options["json"]:
            counts = {"made": loaded.made, "known": loaded.known}
            self.stdout.write(json.dumps({"project": loaded.project.slug, **counts}))
        elif options["verbosity"] > 0:
            self.stdout.write(f"{loaded.made} runs made, {loaded.known} known already.")
            self.stdout.write("\n".join(samples.demo_sign_ins()))

"""Give somebody a role in a project, and an account if they have none."""

from __future__ import annotations

import json
import secrets
from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from traces import members
from traces.models import Project, Role


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--role", choices=Role.values, default=Role.REVIEWER.value)
        parser.add_argument("--email", default="")
        parser.add_argument("--json", action="store_true")

    def handle(self, *, username: str, project: str, role: str, email: str, **options: Any) -> None:
        found = Project.objects.filter(slug=project).first()
        if found is None:
            raise CommandError(f"There is no project {project}.")
        user = User.objects.filter(username=username).first()
        password = "" if user else secrets.token_urlsafe(12)
        user = user or User.objects.create_user(username, email, password)
        try:
            members.set_role(project=found, user=user, role=Role(role), by=None, at=timezone.now())
        except members.LastLead as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            print(json.dumps({"username": username, "role": role, "password": password or None}))
        else:
            made = f" The account is new; its first password is {password}" if password else ""
            print(f"{username} is {role} in {project}.{made}")

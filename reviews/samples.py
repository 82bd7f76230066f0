"""The demo project: people, rules and sample runs, loaded as often as one likes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from config.embedded.secrets import demo_password
from reviews.models import Category, Contract, Policy
from traces import audit, ingest
from traces.models import Membership, Project, RawDocument, Receipt, Role
from traces.projects import create_project

FOLDER = Path(settings.BASE_DIR) / "traces" / "samples"
PEOPLE = {
    "viewer": Role.VIEWER,
    "ada": Role.REVIEWER,
    "ben": Role.REVIEWER,
    "lead": Role.LEAD,
}
SIGNATURES_NEEDED = 2


@dataclass(frozen=True, slots=True)
class Loaded:
    """What loading did: the project, and how many runs it made and found already there."""

    project: Project
    made: int
    known: int


def load(*, at: datetime) -> Loaded:
    """Load what is missing of the demo project. What people changed since stays as it is."""
    given = json.loads((FOLDER / "project.json").read_bytes())
    project = prepare(given, at=at)
    before = project.runs.count()
    for file in sample_files():
        content = file.read_bytes()
        if not _is_loaded(project, content):
            ingest.ingest(
                project=project,
                content=content,
                filename=file.name,
                via=Receipt.Via.COMMAND,
                by=None,
                at=at,
            )
    return Loaded(project, made=project.runs.count() - before, known=before)


def sample_files() -> list[Path]:
    """The sample runs, passed ones first: a failed run finds its neighbour when it arrives.

    Those below `gaps` are bad records on purpose: each kind of gap is in one of them.
    """
    whole = (file for file in FOLDER.glob("*.json") if file.name != "project.json")
    files = [*whole, *(FOLDER / "gaps").glob("*.json*")]
    return sorted(files, key=lambda file: ("-failed" in file.name, file.name))


@transaction.atomic
@audit.together()
def prepare(given: Mapping[str, Any], *, at: datetime) -> Project:
    """The project with its members, contracts, categories and policy, made where missing."""
    project = Project.objects.filter(slug=given["slug"]).first() or _new_project(given, at=at)
    made = [
        *(_member(project, username, role) for username, role in PEOPLE.items()),
        *(_contract(project, row) for row in given["contracts"]),
        *(_category(project, row) for row in given["categories"]),
        _policy(project, at=at),
    ]
    if any(made):
        audit.record(
            action="samples.loaded", subject=f"project:{project.pk}", at=at, project=project
        )
    return project


def demo_sign_ins() -> list[str]:
    """The lines that tell a newcomer how to sign in to the demo project."""
    roles = ", ".join(f"{username} ({role.label})" for username, role in PEOPLE.items())
    return [f"Sign in as {roles}.", f"The password of all four: {demo_password()}"]


def _new_project(given: Mapping[str, Any], *, at: datetime) -> Project:
    project = create_project(slug=given["slug"], name=given["name"], by=None, at=at)
    project.description = given["description"]
    project.save(update_fields=["description"])
    return project


def _is_loaded(project: Project, content: bytes) -> bool:
    sha256 = hashlib.sha256(content).hexdigest()
    return RawDocument.objects.filter(project=project, sha256=sha256, runs__isnull=False).exists()


def _member(project: Project, username: str, role: Role) -> bool:
    person = User.objects.filter(username=username).first()
    # The password is set at creation only: somebody may have chosen a better one since.
    person = person or User.objects.create_user(username, password=demo_password())
    _, made = Membership.objects.get_or_create(
        project=project, user=person, defaults={"role": role}
    )
    return made


def _contract(project: Project, row: Mapping[str, Any]) -> bool:
    until = row["valid_to"]
    fields = {
        "component": row["component"],
        "clause": row["clause"],
        "valid_from": datetime.fromisoformat(row["valid_from"]),
        "valid_to": datetime.fromisoformat(until) if until else None,
        "configurations": row["configurations"],
    }
    return Contract.objects.get_or_create(project=project, key=row["key"], defaults=fields)[1]


def _category(project: Project, row: Mapping[str, Any]) -> bool:
    fields = {"name": row["name"], "definition": row["definition"]}
    return Category.objects.get_or_create(
        project=project, key=row["key"], version=1, defaults=fields
    )[1]


def _policy(project: Project, *, at: datetime) -> bool:
    fields = {"signatures_needed": SIGNATURES_NEEDED, "created_at": at}
    return Policy.objects.get_or_create(project=project, version=1, defaults=fields)[1]

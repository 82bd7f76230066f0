"""Making projects."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import User
from django.core.validators import MaxLengthValidator, validate_slug
from django.db import transaction

from traces import audit
from traces.models import Project


@transaction.atomic
def create_project(*, slug: str, name: str, by: User | None, at: datetime) -> Project:
    """A project without members. Raises ValidationError if the slug cannot stand in addresses
    or is too long."""
    validate_slug(slug)
    MaxLengthValidator(Project._meta.get_field("slug").max_length)(slug)
    project = Project.objects.create(slug=slug, name=name, created_at=at)
    audit.record(
        action="project.created", subject=f"project:{project.pk}", at=at, project=project, actor=by
    )
    return project

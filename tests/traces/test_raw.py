from __future__ import annotations

import pytest
from django.db import IntegrityError, connection, transaction

from tests.factories import AT, make_project
from traces import raw
from traces.models import Project, RawDocument

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def document(project: Project, content: bytes, **given: object) -> RawDocument:
    return RawDocument(
        project=project,
        sha256="0" * 64,
        content=content,
        size=len(content),
        received_at=AT,
        **given,
    )


def test_a_document_that_is_not_there_is_not_found() -> None:
    with pytest.raises(RawDocument.DoesNotExist):
        raw.content(1)


def test_what_the_database_refuses_is_an_error_of_django() -> None:
    nameless = document(make_project(), b"x")
    nameless.sha256 = None  # type: ignore[assignment]
    with pytest.raises(IntegrityError), transaction.atomic():
        raw.insert(nameless)


def test_a_policy_that_is_not_there_is_refused() -> None:
    project = make_project()
    raw.insert(document(project, b"x", policy_id=99))
    with pytest.raises(IntegrityError):
        connection.check_constraints()


def test_bytes_come_back_as_they_were_sent() -> None:
    content = bytes(range(256)) * 1_000
    raw.insert(document(make_project(), content, original_sha256="1" * 64, original_size=3))
    stored = RawDocument.objects.get()
    assert raw.content(stored.pk) == bytes(stored.content) == content
    assert (stored.size, stored.received_at) == (len(content), AT)
    assert (stored.original_sha256, stored.original_size) == ("1" * 64, 3)


def test_the_same_bytes_are_one_document() -> None:
    project = make_project()
    raw.insert(document(project, b"x"))
    raw.insert(document(project, b"x"))
    assert RawDocument.objects.count() == 1

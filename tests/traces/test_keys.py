from __future__ import annotations

from datetime import timedelta
from hashlib import sha256

import pytest
from django.db import IntegrityError
from django.test import Client

from tests.factories import AT, make_project, make_user
from traces import keys, members
from traces.models import ApiKey, AuditEntry, Project, Role

pytestmark = [pytest.mark.django_db, pytest.mark.database]
LATER = AT + timedelta(hours=1)


@pytest.fixture
def project() -> Project:
    return make_project()


def make_key(project: Project, *, scopes: tuple[str, ...] = ("ingest",)) -> tuple[ApiKey, str]:
    return keys.create(project=project, name="recorder", scopes=scopes, by=make_user("lena"), at=AT)


def test_an_unknown_scope_is_refused_by_the_database(project: Project) -> None:
    with pytest.raises(IntegrityError, match="api_key_scopes_are_known"):
        make_key(project, scopes=("read", "write"))


def test_the_text_of_a_key_is_stored_nowhere(project: Project) -> None:
    key, text = make_key(project)
    assert text.startswith("inq_")
    assert len(text) > 40
    stored = ApiKey.objects.values().get()
    assert stored["sha256"] == sha256(text.encode()).hexdigest()
    assert stored["prefix"] == text[:8]
    secret = text[8:]
    assert not any(secret in str(value) for value in stored.values())
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.subject) == ("api_key.created", f"api_key:{key.pk}")
    assert entry.data == {"name": "recorder", "scopes": ["ingest"]}


def test_two_keys_of_one_name_are_different(project: Project) -> None:
    texts = {make_key(project)[1] for _ in range(3)}
    assert len(texts) == 3
    assert ApiKey.objects.live().count() == 3


def test_a_revoked_key_is_kept_and_no_longer_live(project: Project) -> None:
    key, _ = make_key(project)
    keys.revoke(key=key, by=make_user("lena"), at=LATER)
    assert not ApiKey.objects.live().exists()
    assert ApiKey.objects.get().revoked_at == LATER
    assert AuditEntry.objects.latest("number").action == "api_key.revoked"


def test_revoking_again_changes_nothing(project: Project) -> None:
    key, _ = make_key(project)
    for at in (LATER, LATER + timedelta(hours=1)):
        keys.revoke(key=key, by=make_user("lena"), at=at)
    assert ApiKey.objects.get().revoked_at == LATER
    assert AuditEntry.objects.count() == 2


def test_a_key_ends_with_the_membership_of_who_made_it(client: Client) -> None:
    project, lena, sam = make_project(), make_user("lena"), make_user("sam")
    members.set_role(project=project, user=sam, role=Role.LEAD, by=lena, at=AT)
    _, text = keys.create(project=project, name="ci", scopes=["read"], by=sam, at=AT)
    bearer = {"authorization": f"Bearer {text}"}
    assert client.get("/api/v1/runs", headers=bearer).status_code == 200
    members.remove(project=project, user=sam, by=lena, at=AT)
    assert client.get("/api/v1/runs", headers=bearer).status_code == 401

from __future__ import annotations

from hashlib import sha256

import pytest
from django.http import HttpResponse

from reviews.models import Case
from tests.clients import signed_in, told
from tests.factories import AT, make_project, make_user
from tests.reviews.scenes import user
from traces import keys
from traces.models import ApiKey, AuditEntry, Membership, Project

pytestmark = [pytest.mark.django_db, pytest.mark.database]
SETTINGS = "/p/demo/settings/"


def post(path: str, **given: object) -> HttpResponse:
    return signed_in("lena").post(f"{SETTINGS}{path}", given)


def role_of(name: str) -> str | None:
    found = Membership.objects.filter(project__slug="demo", user__username=name).first()
    return found.role if found else None


@pytest.fixture
def project(case: Case) -> Project:
    return case.project


def make_key(project: Project) -> ApiKey:
    return keys.create(project=project, name="rec", scopes=["read"], by=user("lena"), at=AT)[0]


@pytest.mark.parametrize("name", ["vera", "ada"])
def test_who_does_not_lead_reads_and_changes_nothing(project: Project, name: str) -> None:
    make_key(project)
    page = signed_in(name).get(SETTINGS).content.decode()
    assert "Claims per case" in page
    assert page.count("<form") == 1  # signing out
    assert "Revoke" not in page


def test_a_lead_sees_the_forms(project: Project) -> None:
    make_key(project)
    page = signed_in("lena").get(SETTINGS).content.decode()
    for words in ("Revoke rec", "Make a key", "Set the role", "Remove ada"):
        assert words in page


def test_settings_of_a_project_without_anything(db: None) -> None:
    make_project()
    page = signed_in("vera").get(SETTINGS).content.decode()
    assert "No contract is declared" in page
    assert "No key yet." in page
    assert "Claims per case" not in page


def test_an_account_that_does_not_exist_is_not_made(project: Project) -> None:
    response = post("members/", username="nobody", role="lead")
    assert response.url == SETTINGS
    assert told(response) == ["Nobody has the account nobody. The site's staff makes it."]


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"username": "sam"},
        {"username": "sam", "role": "owner"},
        {"username": "s\0m", "role": "lead"},
        {"username": "x" * 151, "role": "lead"},
    ],
)
def test_an_unusable_form_changes_no_member(project: Project, given: dict[str, str]) -> None:
    make_user("sam")
    entries = AuditEntry.objects.count()
    assert post("members/", **given).status_code == 302
    assert role_of("sam") is None
    assert AuditEntry.objects.count() == entries


def test_a_member_is_added_and_changed_by_name_or_mail(project: Project) -> None:
    sam = make_user("sam")
    sam.email = "Sam@example.org"
    sam.save()
    assert told(post("members/", username="sam", role="viewer")) == ["The members are changed."]
    assert role_of("sam") == "viewer"
    post("members/", username="sam@EXAMPLE.org", role="lead")
    assert role_of("sam") == "lead"


def test_the_last_lead_stays(project: Project) -> None:
    response = post(f"members/{user('lena').pk}/remove/")
    assert told(response) == ["A project keeps at least one lead: make somebody else a lead first."]
    assert role_of("lena") == "lead"


def test_a_lead_cannot_become_a_blind_reviewer_and_back(project: Project) -> None:
    response = post("members/", username="lena", role="reviewer")
    assert told(response) == ["Nobody changes their own role: ask another lead."]
    assert role_of("lena") == "lead"


def test_a_member_is_removed(project: Project) -> None:
    sam = make_user("sam").pk
    for stranger in (sam, 10**30):
        assert post(f"members/{stranger}/remove/").status_code == 404
    assert told(post(f"members/{user('vera').pk}/remove/")) == ["The members are changed."]
    assert role_of("vera") is None


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"name": "rec"},
        {"scopes": "read"},
        {"name": "rec", "scopes": ["read", "write"]},
        {"name": "r\0c", "scopes": "read"},
        {"name": "x" * 81, "scopes": "read"},
    ],
)
def test_an_unusable_form_makes_no_key(project: Project, given: dict[str, object]) -> None:
    response = post("api-keys/create/", **given)
    assert response.status_code == 200
    assert b"errorlist" in response.content
    assert not ApiKey.objects.exists()


def test_a_new_key_is_shown_once(project: Project) -> None:
    response = post("api-keys/create/", name="rec", scopes=["ingest", "read"])
    text = response.context["new_key"]
    assert text in response.content.decode()
    assert not response.context["form"].is_bound
    key = ApiKey.objects.get()
    assert key.sha256 == sha256(text.encode()).hexdigest()
    assert (key.name, key.scopes, key.created_by) == ("rec", ["ingest", "read"], user("lena"))
    page = signed_in("lena").get(SETTINGS).content.decode()
    assert text not in page
    assert key.prefix in page


def test_a_key_of_another_project_or_one_that_is_gone_is_not_revoked(project: Project) -> None:
    other = make_key(make_project("other"))
    gone = make_key(project)
    keys.revoke(key=gone, by=user("lena"), at=AT)
    for pk in (other.pk, gone.pk, 10**30):
        assert post(f"api-keys/{pk}/revoke/").status_code == 404
    assert ApiKey.objects.live().get() == other


def test_a_key_is_revoked(project: Project) -> None:
    key = make_key(project)
    response = post(f"api-keys/{key.pk}/revoke/")
    assert told(response) == ["The key rec is revoked."]
    assert not ApiKey.objects.live().exists()
    assert "No key yet." in signed_in("lena").get(SETTINGS).content.decode()

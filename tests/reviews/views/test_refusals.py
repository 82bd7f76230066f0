"""Who may not, by role, by method and by project: every view of the reviews, in one table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from uuid import uuid4

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import get_resolver, reverse

from reviews.models import Case, Claim, Draft, Slot, Verdict
from tests.clients import SCRIPT, signed_in
from tests.reviews.scenes import make_failed_run, make_scene
from traces.models import ApiKey, AuditEntry, Membership, Project

pytestmark = [pytest.mark.django_db, pytest.mark.database]


class View(NamedTuple):
    """A view, the methods it answers, the least role, and what follows the project in its URL."""

    name: str
    methods: str
    role: str
    of_case: bool = True
    rest: tuple[object, ...] = ()

    def address(self, slug: str, number: int = 1) -> str:
        case = (number,) if self.of_case else ()
        return reverse(f"reviews:{self.name}", args=[slug, *case, *self.rest])


class Answer(NamedTuple):
    name: str
    response: HttpResponse


VIEWS = [
    View("work-list", "GET", "viewer", of_case=False),
    View("cases", "GET", "viewer", of_case=False),
    View("verdicts", "GET", "viewer", of_case=False),
    View("public-key", "GET", "viewer", of_case=False),
    View("settings", "GET", "viewer", of_case=False),
    View("redaction", "GET", "viewer", of_case=False),
    View("case", "GET", "viewer"),
    View("rows", "GET", "viewer"),
    View("choices", "GET", "viewer"),
    View("candidates", "GET", "viewer"),
    View("explain", "GET", "viewer"),
    View("postmortem", "GET", "viewer", rest=("json",)),
    View("take-next", "POST", "reviewer", of_case=False),
    View("take", "POST", "reviewer"),
    View("heartbeat", "POST", "reviewer"),
    View("give-back", "POST", "reviewer"),
    View("decline", "GET POST", "reviewer"),
    View("write-draft", "POST", "reviewer"),
    View("mark", "POST", "reviewer"),
    View("unmark", "POST", "reviewer"),
    View("cite", "POST", "reviewer"),
    View("uncite", "POST", "reviewer"),
    View("start-from", "POST", "reviewer"),
    View("sign", "GET POST", "reviewer"),
    View("revise", "GET POST", "reviewer"),
    View("unresolved", "GET POST", "reviewer"),
    View("verdict", "GET POST", "lead"),
    View("set-redaction", "POST", "lead", of_case=False),
    View("apply-redaction", "POST", "lead", of_case=False),
    View("set-role", "POST", "lead", of_case=False),
    View("remove-member", "POST", "lead", of_case=False, rest=(1,)),
    View("create-api-key", "POST", "lead", of_case=False),
    View("revoke-api-key", "POST", "lead", of_case=False, rest=(1,)),
]
both = pytest.mark.parametrize("script", [False, True], ids=["form", "script"])
KEPT = (AuditEntry, Claim, Draft, Membership, ApiKey, Verdict)


@pytest.fixture
def project() -> Iterator[Project]:
    """A project with one case, and another one with two. What is refused leaves all as it is."""
    project = make_scene().project
    other = make_scene("other").project
    make_failed_run(other, "run-2")
    before = state()
    yield project
    assert state() == before


def state() -> list[object]:
    counts = [model.objects.count() for model in KEPT]
    return [*counts, *Slot.objects.order_by("pk").values_list("reviewer", "token")]


def answers(client: Client, views: list[View], slug: str, number: int = 1) -> Iterator[Answer]:
    """Every view of the list by every method it answers, with a token that is no lease."""
    for view in views:
        for method in view.methods.split():
            given = {"data": {"token": str(uuid4())}} if method == "POST" else {}
            response = getattr(client, method.lower())(view.address(slug, number), **given)
            yield Answer(f"{method} {view.name}", response)


def test_the_table_holds_every_view() -> None:
    names = {name for name in get_resolver("reviews.urls").reverse_dict if isinstance(name, str)}
    assert names - {"home"} == {view.name for view in VIEWS}


@both
def test_who_is_not_signed_in_is_sent_to_sign_in(project: Project, script: bool) -> None:
    client = Client(headers=SCRIPT if script else None)
    for name, response in answers(client, VIEWS, project.slug):
        assert response.status_code == 302, name
        address = response.request["PATH_INFO"]
        assert response.url == f"/accounts/login/?next={address}", name


@both
@pytest.mark.parametrize("slug", ["demo", "nowhere"])
def test_a_stranger_finds_nothing(project: Project, slug: str, script: bool) -> None:
    for name, response in answers(signed_in("sam", script=script), VIEWS, slug):
        assert response.status_code == 404, name
        assert b"Case 1" not in response.content


@both
@pytest.mark.parametrize(("person", "roles"), [("vera", "reviewer lead"), ("ada", "lead")])
def test_a_role_below_the_one_needed_is_refused(
    project: Project, person: str, roles: str, script: bool
) -> None:
    refused = [view for view in VIEWS if view.role in roles.split()]
    for name, response in answers(signed_in(person, script=script), refused, project.slug):
        assert response.status_code == 403, name
        assert "This needs the role " in response.content.decode(), name


def test_another_method_is_refused(project: Project) -> None:
    client = signed_in("lena")
    for view in VIEWS:
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - set(view.methods.split()):
            response = client.generic(method, view.address(project.slug))
            assert response.status_code == 405, (method, view.name)


@both
@pytest.mark.parametrize("number", [2, 99, 10**30])
def test_a_case_of_another_project_is_not_there(
    project: Project, number: int, script: bool
) -> None:
    """Project `other` has a case 2, and lena leads there too."""
    assert Case.objects.filter(project__slug="other", number=2).exists()
    of_case = [view for view in VIEWS if view.of_case]
    client = signed_in("lena", script=script)
    for name, response in answers(client, of_case, project.slug, number):
        assert response.status_code == 404, name


def test_a_form_of_another_site_is_refused(project: Project) -> None:
    client = signed_in("lena", enforce_csrf_checks=True)
    posts = [view._replace(methods="POST") for view in VIEWS if "POST" in view.methods]
    for name, response in answers(client, posts, project.slug):
        assert response.status_code == 403, name

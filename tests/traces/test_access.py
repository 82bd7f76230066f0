from __future__ import annotations

import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.test import RequestFactory

from tests.factories import ROLES, make_project, make_user
from traces.access import ProjectRequest, member, membership_of
from traces.models import Membership, Role

pytestmark = [pytest.mark.django_db, pytest.mark.database]
ORDER = {"vera": 0, "ada": 1, "lena": 2}


@member()
def open_to_members(request: ProjectRequest, number: int) -> HttpResponse:
    return HttpResponse(f"{request.project.slug} {request.membership.role} {number}")


@member(Role.REVIEWER)
def open_to_reviewers(request: ProjectRequest) -> HttpResponse:
    return HttpResponse("review")


@member(Role.LEAD)
def open_to_leads(request: ProjectRequest) -> HttpResponse:
    return HttpResponse("lead")


def request_of(name: str) -> ProjectRequest:
    request = RequestFactory().get("/")
    request.user = make_user(name)
    return request  # type: ignore[return-value]


@pytest.mark.parametrize("name", ["sam", "vera", "ada", "lena"])
def test_a_project_that_does_not_exist_and_one_of_others_are_the_same(name: str) -> None:
    make_project()
    other = make_project("other")
    Membership.objects.filter(project=other).exclude(user__username="ben").delete()
    answers = []
    for slug in ("nowhere", "other"):
        with pytest.raises(Http404) as refusal:
            open_to_members(request_of(name), slug, number=1)
        answers.append(str(refusal.value))
    assert answers == ["No such project."] * 2


def test_a_stranger_learns_nothing_about_roles() -> None:
    make_project()
    with pytest.raises(Http404):
        open_to_leads(request_of("sam"), "demo")


@pytest.mark.parametrize(("view", "needed"), [(open_to_reviewers, 1), (open_to_leads, 2)])
@pytest.mark.parametrize("name", list(ORDER))
def test_a_role_includes_the_ones_below_it(view, needed: int, name: str) -> None:
    make_project()
    if ORDER[name] >= needed:
        assert view(request_of(name), "demo").status_code == 200
    else:
        with pytest.raises(PermissionDenied, match="This needs the role"):
            view(request_of(name), "demo")


def test_the_view_gets_the_project_and_the_membership() -> None:
    make_project()
    answer = open_to_members(request_of("vera"), "demo", number=7)
    assert answer.content == b"demo viewer 7"


def test_roles_are_per_project() -> None:
    make_project()
    other = make_project("other")
    Membership.objects.filter(project=other, user__username="lena").update(role="viewer")
    assert open_to_leads(request_of("lena"), "demo").status_code == 200
    with pytest.raises(PermissionDenied):
        open_to_leads(request_of("lena"), "other")


def test_a_membership_comes_with_its_project(django_assert_num_queries) -> None:
    make_project()
    ada = make_user("ada")
    with django_assert_num_queries(1):
        found = membership_of(ada.pk, "demo")
        assert (found.project.slug, found.role) == ("demo", ROLES["ada"])

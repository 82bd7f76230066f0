from __future__ import annotations

from contextlib import closing

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client

from config.security import POLICY, ContentSecurityPolicy
from tests.clients import signed_in
from tests.reviews.scenes import make_scene

NAME = "Content-Security-Policy"


def answered(response: HttpResponse) -> str:
    return ContentSecurityPolicy(lambda request: response)(HttpRequest())[NAME]


def test_nothing_inline_and_nothing_from_elsewhere() -> None:
    rules = dict(rule.split(" ", 1) for rule in POLICY.split("; "))
    assert rules["default-src"] == rules["frame-ancestors"] == rules["base-uri"] == "'none'"
    assert rules["script-src"] == rules["style-src"] == rules["form-action"] == "'self'"
    assert "unsafe" not in POLICY
    assert "http" not in POLICY
    assert "*" not in POLICY


def test_an_answer_without_a_policy_gets_ours() -> None:
    assert answered(HttpResponse("x")) == POLICY
    assert answered(HttpResponse(status=500)) == POLICY


def test_an_answer_that_brings_its_own_keeps_it() -> None:
    assert answered(HttpResponse(headers={NAME.lower(): "default-src 'none'"})) == (
        "default-src 'none'"
    )


@pytest.mark.database
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/", 302),
        ("/accounts/login/", 200),
        ("/nowhere/", 404),
        ("/p/demo/", 302),
        ("/api/v1/runs", 401),
        ("/static/css/inquest.css", 200),
        ("/static/icon.svg", 200),
        ("/static/nowhere.css", 404),
    ],
)
def test_every_answer_to_a_visitor_carries_the_policy(path: str, status: int) -> None:
    with closing(Client().get(path)) as response:
        assert response.status_code == status
        assert response[NAME] == POLICY
        assert response["X-Content-Type-Options"] == "nosniff"


@pytest.mark.database
@pytest.mark.django_db
def test_every_answer_to_a_member_carries_the_policy() -> None:
    case = make_scene()
    lena = signed_in("lena")
    paths = ("", "cases/", f"cases/{case.number}/", "settings/", "runs/", "cases/99/")
    for path in paths:
        response = lena.get(f"/p/demo/{path}")
        assert response[NAME] == POLICY, path
        assert response["X-Frame-Options"] == "DENY", path
    assert signed_in("vera").get("/p/demo/cases/1/sign/")[NAME] == POLICY
    assert lena.delete("/p/demo/")[NAME] == POLICY
    assert Client(HTTP_HOST="evil.example").get("/")[NAME] == POLICY


@pytest.mark.database
@pytest.mark.django_db
def test_an_answer_that_breaks_carries_the_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    make_scene()
    client = signed_in("vera", raise_request_exception=False)
    monkeypatch.setattr("reviews.queue.ranked", None)
    response = client.get("/p/demo/")
    assert response.status_code == 500
    assert response[NAME] == POLICY
    assert "Something broke on our side" in response.content.decode()


@pytest.mark.django_db
@pytest.mark.database
def test_pages_are_kept_nowhere() -> None:
    case = make_scene()
    assert signed_in("ada").get(case.get_absolute_url())["Cache-Control"] == "private, no-store"

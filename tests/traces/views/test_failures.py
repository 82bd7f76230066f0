"""Adding a failure by hand: who may, what is refused, and what the run's page says then."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from reviews.models import Case
from tests.clients import signed_in, told
from tests.factories import AT, make_project, make_run, make_transcript, make_user
from traces import failing, models, quarantine
from traces.models import Run, TrajectoryProfile
from traces.transcript import Failure, Outcome, Suspicion

pytestmark = [pytest.mark.django_db, pytest.mark.database]
GIVEN = {"statement": "It lied.", "expected": "truth\r\nor silence", "exposed_by": "2"}


@pytest.fixture
def run(db: None) -> Run:
    return make_run(make_project(), make_transcript(outcome=Outcome.SUCCEEDED))


def page(run: Run, slug: str = "demo") -> str:
    return f"/p/{slug}/runs/{run.pk}/"


def form(run: Run, slug: str = "demo") -> str:
    return f"{page(run, slug)}failures/add/"


def shown(client: Client, address: str) -> str:
    return " ".join(client.get(address).content.decode().split())


def test_who_is_not_signed_in_is_sent_to_sign_in(run: Run) -> None:
    assert Client().post(form(run), GIVEN).url.startswith("/accounts/login/")


@pytest.mark.parametrize(("name", "status"), [("sam", 404), ("vera", 403)])
def test_strangers_and_viewers_are_refused(run: Run, name: str, status: int) -> None:
    assert signed_in(name).get(form(run)).status_code == status
    assert signed_in(name).post(form(run), GIVEN).status_code == status
    assert not run.failures.exists()


def test_a_run_of_another_project_is_not_found(run: Run) -> None:
    make_project("other")
    client = signed_in("ada")
    assert client.post(form(run, "other"), GIVEN).status_code == 404
    assert client.get(f"/p/demo/runs/{uuid4()}/failures/add/").status_code == 404
    assert not run.failures.exists()


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_another_method_is_refused(run: Run, method: str) -> None:
    assert signed_in("ada").generic(method, form(run)).status_code == 405


def test_a_forged_form_is_refused(run: Run) -> None:
    assert signed_in("ada", enforce_csrf_checks=True).post(form(run), GIVEN).status_code == 403


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"statement": " "}, "This field is required."),
        ({"statement": "a\x00b"}, "Null characters are not allowed."),
        ({"exposed_by": "3"}, "There is no step 3: this run has the steps 0 to 2."),
        ({"exposed_by": "-1"}, "greater than or equal to 0"),
        ({"exposed_by": "two"}, "Enter a whole number."),
        ({"consequence": "dire"}, "Select a valid choice."),
        ({"check": "x" * 201}, "at most 200 characters"),
    ],
)
def test_what_cannot_be_added_comes_back_with_the_reason(
    run: Run, fields: dict[str, str], words: str
) -> None:
    answer = signed_in("ada").post(form(run), GIVEN | fields)
    assert (answer.status_code, words in answer.content.decode()) == (200, True)
    assert "or silence" in answer.content.decode()
    assert not run.failures.exists()


def test_the_same_again_leads_to_the_first(run: Run) -> None:
    client = signed_in("ada")
    client.post(form(run), GIVEN)
    answer = client.post(form(run), GIVEN).content.decode()
    assert "This run has a failure with this statement and this check already." in answer
    assert f'href="{page(run)}#failures">It lied.</a>' in answer


def test_a_run_that_is_set_aside_has_a_sentence_instead_of_the_form(run: Run) -> None:
    quarantine.set_aside(run=run, reason="duplicate", note="", by=make_user("lena"), at=AT)
    for answer in (signed_in("lena").get(form(run)), signed_in("ada").post(form(run), GIVEN)):
        assert "This run is set aside (duplicate)" in answer.content.decode()
        assert "<textarea" not in answer.content.decode()
    assert not run.failures.exists()
    assert "failures/add/" not in shown(signed_in("ada"), page(run))


def test_personal_data_keeps_the_form_from_who_may_not_read_the_run(run: Run) -> None:
    quarantine.set_aside(run=run, reason="personal_data", note="", by=make_user("lena"), at=AT)
    assert signed_in("ada").get(form(run)).status_code == 403


@pytest.mark.parametrize("name", ["ada", "lena"])
def test_a_failure_is_added_and_the_page_says_by_whom(run: Run, name: str) -> None:
    client = signed_in(name)
    answer = client.post(form(run), GIVEN | {"check": "by hand", "consequence": "transient"})
    added = run.failures.get()
    assert answer.url == f"{page(run)}#failures"
    assert told(answer) == [
        'The failure is added. Its case is on the <a href="/p/demo/">work list</a>.'
    ]
    assert (added.expected, added.origin) == ("truth\nor silence", "person")
    text = shown(client, page(run))
    for words in (
        '<p><b>It lied.</b> <a href="?step=2#s2">#2</a>',
        "expected truth or silence, observed (not said)",
        "by the check by hand",
        "consequence: transient",
        f"added by {name}, {added.added_at:%Y-%m-%d %H:%M:%S} UTC",
        "Run · succeeded",
    ):
        assert words in text, words
    assert Case.objects.get().failure == added


def test_the_form_judges_nothing_beforehand_but_the_step(run: Run) -> None:
    client = signed_in("ada")
    first = client.get(form(run), {"step": "1"}).context["form"]
    assert [field.value() or None for field in first] == [None, None, None, None, 1, None]
    for nonsense in ("3", "-1", "x", "²", "9" * 40, ""):
        again = client.get(form(run), {"step": nonsense}).context["form"]
        assert again["exposed_by"].value() is None, nonsense


def test_step_nought_is_a_step(run: Run) -> None:
    assert signed_in("ada").get(form(run), {"step": "0"}).context["form"]["exposed_by"].value() == 0


def suspected(**fields: Any) -> Run:
    stored = Suspicion("new_kind", "The check <b>did</b> not run.\u202e", 2)
    run = make_run(make_project(), replace(make_transcript(**fields), suspicions=(stored,)))
    TrajectoryProfile.objects.create(
        project=run.project, run_count=40, fences={"steps": [31, 88]}, computed_at=AT
    )
    return run


def test_a_suspicious_run_says_why_and_leads_to_the_form() -> None:
    run = suspected(outcome=Outcome.SUCCEEDED)
    text = shown(signed_in("ada"), page(run))
    for words in (
        "Worth a look <small>although no failure is recorded</small>",
        "The check &lt;b&gt;did&lt;/b&gt; not run.⟨U+202E⟩",
        "3 steps; runs of this project have 31 to 88 (fences over 40 runs)",
        f'href="{form(run)}?step=2"',
        f'href="{form(run)}"',
    ):
        assert words in text, words
    viewed = shown(signed_in("vera"), page(run))
    assert ("Worth a look" in viewed, "failures/add/" in viewed) == (True, False)


def test_once_somebody_says_that_it_failed_the_page_does_not_say_otherwise() -> None:
    run = suspected(outcome=Outcome.SUCCEEDED)
    signed_in("ada").post(form(run), GIVEN)
    text = shown(signed_in("ada"), page(run))
    assert "Worth a look <small>beside what failed</small>" in text
    assert "although no failure is recorded" not in text


def test_a_failed_run_is_not_called_suspicious() -> None:
    run = suspected()
    assert "Worth a look" not in shown(signed_in("ada"), page(run))


@pytest.mark.parametrize("count", [1, 3])
def test_the_page_of_a_run_asks_the_same_whatever_was_added(
    run: Run, count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(count):
        failure = Failure(key="", statement=f"It lied {number} times.")
        failing.add_failure(
            run=run,
            failure=failure,
            by=make_user("ada"),
            origin=models.Failure.Origin.PERSON,
            at=AT,
        )
    client = signed_in("ada")
    with django_assert_num_queries(8):
        client.get(page(run))

from __future__ import annotations

import json
from typing import Any

import pytest
from django.http import HttpResponse

from reviews import assignment
from reviews.models import Case, Claim, Verdict
from tests.clients import address, signed_in, told
from tests.factories import AT
from tests.reviews.scenes import case_of, make_failed_run, make_policy, settle, sign, user
from traces.models import Membership

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def waiting(case: Case) -> Case:
    """Ada and ben have signed different claims on the case."""
    sign(case, "ada", note="Ada's note.")
    sign(case, "ben", "unresolved", note="Ben's note.")
    case.refresh_from_db()
    return case


def claim_of(name: str) -> Claim:
    return Claim.objects.get(reviewer__username=name)


def decide(case: Case, name: str = "lena", **given: Any) -> HttpResponse:
    seen = list(case.claims.values_list("pk", flat=True))
    fields = {"seen": seen, "reason": "The quote shows it.", "missing_observation": ""} | given
    return signed_in(name).post(address("verdict", case), fields)


def assert_refused(response: HttpResponse, sentence: str) -> None:
    assert response.status_code == 200
    assert sentence in response.content.decode()
    assert not Verdict.objects.exists()


def test_an_open_case_is_not_settled(case: Case) -> None:
    sign(case, "ada")
    page = signed_in("lena").get(address("verdict", case)).content.decode()
    assert 'type="radio"' not in page
    assert_refused(decide(case, adopted=claim_of("ada").pk), "Case 1 still waits for claims.")


def test_nothing_is_chosen_for_the_lead(waiting: Case) -> None:
    page = signed_in("lena").get(address("verdict", waiting)).content.decode()
    assert page.count('type="radio"') == 3
    assert "checked" not in page
    assert_refused(decide(waiting), "Choose a claim to adopt, or leave the case unresolved.")


@pytest.mark.parametrize("adopted", ["x", "1.5", "٣x", "9" * 5000])
def test_what_is_no_claim_is_not_adopted(waiting: Case, adopted: str) -> None:
    response = decide(waiting, adopted=adopted)
    assert response.status_code == 200
    assert not Verdict.objects.exists()


def test_a_claim_of_another_case_is_not_adopted(waiting: Case) -> None:
    make_policy(waiting.project)
    other = sign(case_of(make_failed_run(waiting.project, "run-2")), "ada")
    for missing in ("", "The file."):
        response = decide(waiting, adopted=other.pk, missing_observation=missing)
        assert_refused(response, "The claim you adopt is not one of this case.")


@pytest.mark.parametrize("seen", [[], ["x"], ["²"], ["9" * 5000], [1, 2, 3]])
def test_claims_that_were_not_looked_at_are_not_judged(waiting: Case, seen: list[Any]) -> None:
    response = decide(waiting, adopted=claim_of("ada").pk, seen=seen)
    assert_refused(response, "The claims changed since you looked. Read them again.")


def test_a_lead_does_not_adopt_their_own_claim(case: Case) -> None:
    sign(case, "lena")
    sign(case, "ada")
    case.refresh_from_db()
    response = decide(case, adopted=claim_of("lena").pk)
    assert_refused(response, "This is your own claim: somebody else has to adopt it.")


@pytest.mark.parametrize("reason", ["", " \r\n", "a\0b"])
def test_a_verdict_needs_a_reason(waiting: Case, reason: str) -> None:
    chosen = claim_of("ada").pk
    response = decide(waiting, adopted=chosen, reason=reason)
    page = response.content.decode()
    assert "errorlist" in page
    # What was chosen stays chosen.
    assert f'value="{chosen}" checked' in page
    assert not Verdict.objects.exists()


def test_leaving_it_open_needs_the_missing_observation(waiting: Case) -> None:
    response = decide(waiting, adopted="")
    assert_refused(response, "Name the missing observation that would settle it.")


def test_a_lead_with_a_place_on_the_case_sees_no_claim(case: Case) -> None:
    assignment.take(case=case, reviewer=user("lena"), at=AT)
    sign(case, "ada", note="Ada's note.")
    page = signed_in("lena").get(address("verdict", case)).content.decode()
    assert "Ada" not in page
    assert "No claim is signed, or none that you may see yet." in page


def test_claims_stand_beside_each_other_and_equal_answers_are_folded(waiting: Case) -> None:
    response = signed_in("lena").get(address("verdict", waiting))
    rows = {question: (answers, equal) for question, answers, equal in response.context["rows"]}
    assert rows["Outcome"] == (["attributed", "unresolved"], False)
    assert rows["Decisive step"] == (["#1 planner", ""], False)
    assert rows["Apparatus not ruled out"] == (["none", "none"], True)
    assert rows["Note"] == (["Ada's note.", "Ben's note."], False)
    assert "Category" not in rows
    assert "all agree" in response.content.decode()


def test_a_claim_is_adopted(waiting: Case) -> None:
    response = decide(
        waiting, adopted=claim_of("ada").pk, reason="One.\r\nTwo.", missing_observation="ignored"
    )
    assert (response.url, told(response)) == (
        address("case", waiting),
        ["The verdict on Case 1 is signed."],
    )
    verdict = Verdict.objects.get()
    assert (verdict.outcome, verdict.adopted) == ("attributed", claim_of("ada"))
    assert (verdict.signed_by, verdict.reason) == (user("lena"), "One.\nTwo.")
    assert verdict.missing_observation == ""
    page = signed_in("vera").get(address("case", waiting)).content.decode()
    assert "as claimed by ada" in page
    assert "One.\nTwo." in page


def test_an_unresolved_claim_brings_its_missing_observation(waiting: Case) -> None:
    decide(waiting, adopted=claim_of("ben").pk)
    verdict = Verdict.objects.get()
    assert (verdict.outcome, verdict.adopted) == ("unresolved", claim_of("ben"))
    assert verdict.missing_observation == "The file between the two writes."


def test_a_lead_leaves_a_case_unresolved(waiting: Case) -> None:
    decide(waiting, adopted="", missing_observation="The merge log.")
    verdict = Verdict.objects.get()
    assert (verdict.outcome, verdict.adopted) == ("unresolved", None)
    assert verdict.missing_observation == "The merge log."


def test_a_settled_case_is_not_settled_again(waiting: Case) -> None:
    decide(waiting, adopted=claim_of("ada").pk)
    page = signed_in("lena").get(address("verdict", waiting)).content.decode()
    assert 'type="radio"' not in page
    response = decide(waiting, adopted=claim_of("ben").pk)
    assert "Case 1 is settled. Name the verdict to supersede." in response.content.decode()
    assert Verdict.objects.count() == 1


def test_the_list_shows_what_waits_and_what_is_signed(waiting: Case) -> None:
    settled = case_of(make_failed_run(waiting.project, "run-2"))
    # Opened under the newest policy, which asks for two.
    claim = sign(settled, "ada")
    sign(settled, "ben")
    settled.refresh_from_db()
    settle(settled, claim)
    page = signed_in("lena").get("/p/demo/verdicts/").content.decode()
    assert "<small>1 of 1</small>" in page
    assert address("verdict", waiting) in page
    assert address("postmortem", settled, "json") in page
    assert "#1 planner" in page
    page = signed_in("vera").get("/p/demo/verdicts/").content.decode()
    assert address("verdict", waiting) not in page
    assert address("case", waiting) in page


def test_an_empty_list_says_so(case: Case) -> None:
    page = signed_in("vera").get("/p/demo/verdicts/").content.decode()
    assert "No case has all its claims and waits for a verdict." in page
    assert "Nothing is signed yet." in page


@pytest.mark.parametrize("kind", ["json", "md", "html"])
def test_there_is_no_postmortem_before_the_verdict(waiting: Case, kind: str) -> None:
    assert signed_in("lena").get(address("postmortem", waiting, kind)).status_code == 404


@pytest.mark.parametrize("kind", ["pdf", "json.exe", "HTML", "html\0", "x" * 300])
def test_an_unknown_format_is_not_found(waiting: Case, kind: str) -> None:
    settle(waiting, claim_of("ada"))
    assert signed_in("lena").get(address("postmortem", waiting, kind)).status_code == 404


@pytest.mark.parametrize(
    ("kind", "content_type", "disposition"),
    [
        ("json", "application/json", "attachment"),
        ("md", "text/markdown; charset=utf-8", "attachment"),
        ("html", "text/html; charset=utf-8", "inline"),
    ],
)
def test_a_postmortem_in_every_format(
    waiting: Case, kind: str, content_type: str, disposition: str
) -> None:
    verdict = settle(waiting, claim_of("ada"))
    response = signed_in("vera").get(address("postmortem", waiting, kind))
    assert response["Content-Type"] == content_type
    name = f'filename="demo-case-1-postmortem.{kind}"'
    assert response["Content-Disposition"] == f"{disposition}; {name}"
    assert "default-src 'none'" in response["Content-Security-Policy"]
    assert "script-src" not in response["Content-Security-Policy"]
    if kind == "json":
        assert json.loads(response.content) == json.loads(verdict.postmortem.envelope)
    else:
        assert "The quote shows it." in response.content.decode()


def test_the_public_key_is_a_key(case: Case) -> None:
    response = signed_in("vera").get("/p/demo/verdicts/public-key.pem")
    assert response.content.startswith(b"-----BEGIN PUBLIC KEY-----")
    assert b"PRIVATE" not in response.content
    assert response["Content-Disposition"] == 'attachment; filename="inquest-public-key.pem"'


def test_a_lead_of_another_project_settles_nothing(waiting: Case) -> None:
    Membership.objects.filter(project=waiting.project, user=user("lena")).delete()
    assert decide(waiting, adopted=claim_of("ada").pk).status_code == 404
    assert not Verdict.objects.exists()

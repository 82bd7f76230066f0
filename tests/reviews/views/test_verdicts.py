from __future__ import annotations

import json
from typing import Any

import pytest
from django.http import HttpResponse

from reviews import assignment
from reviews.fields import Missed, Rejected
from reviews.models import Case, Claim, Contract, Verdict
from tests.clients import address, signed_in, told
from tests.factories import AT, make_project
from tests.reviews.scenes import (
    QUOTE,
    case_of,
    make_candidate,
    make_failed_run,
    make_policy,
    make_scene,
    settle,
    sign,
    user,
)
from traces.models import Membership
from traces.transcript import Failure

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


def rows_of(response: HttpResponse) -> dict[str, tuple[list[str], bool]]:
    rows = response.context["rows"]
    return {row.label: ([str(answer) for answer in row.answers], row.equal) for row in rows}


def test_claims_stand_beside_each_other_and_equal_answers_are_folded(waiting: Case) -> None:
    response = signed_in("lena").get(address("verdict", waiting))
    rows = rows_of(response)
    assert rows["Outcome"] == (["attributed", "unresolved"], False)
    assert rows["Basis"] == (["own finding", "own finding"], True)
    assert rows["Decisive step"] == (["#1 planner", ""], False)
    assert rows["Responsible"] == (["actor planner", ""], False)
    assert rows["Note"] == (["Ada's note.", "Ben's note."], False)
    ruled_out = "evaluator ruled out; environment ruled out; task ruled out; harness ruled out"
    assert rows["Apparatus"] == ([ruled_out, ruled_out], True)
    assert "Category" not in rows
    page = response.content.decode()
    assert "all agree" in page
    assert page.count('<col width="44%">') == 2


def test_every_answer_of_a_claim_is_compared_and_its_steps_are_linked(case: Case) -> None:
    contract = Contract.objects.create(
        project=case.project, key="c", component="coder", clause="Checks.", valid_from=AT
    )
    candidate = make_candidate(case.run, step=2, actor="coder")
    sign(
        case,
        "ada",
        candidate=candidate.pk,
        revision_reason="The plan was first.",
        misses=(Missed(2, contract.pk),),
        alternatives=(Rejected(0, "It asked."), Rejected(None, "Bad luck.")),
    )
    page = signed_in("lena").get(address("verdict", case))
    rows = {label: answers for label, (answers, _) in rows_of(page).items()}
    assert rows["Basis"] == ["revised from the proposal of first@1, candidate #2 coder"]
    assert rows["Revised because"] == ["The plan was first."]
    assert rows["Missed at"] == ["#2 coder. coder: Checks."]
    assert rows["Considered"] == ["#0 owner. It asked.; Bad luck."]
    assert rows["Evidence"] == [f"which action changed it #1 {QUOTE.text}"]
    for step in range(4):
        link = f'<a href="{address("case", case)}?step={step}#s{step}">#{step}</a>'
        assert link in page.content.decode(), step


def test_the_page_says_what_was_expected_and_what_came() -> None:
    expected = Failure(
        key="f1", statement="It broke.", expected="200 OK", observed="410 Gone", exposed_by=3
    )
    case = make_scene(failures=(expected,))
    sign(case, "ada")
    page = signed_in("lena").get(address("verdict", case)).content.decode()
    assert "200 OK" in page
    assert "410 Gone" in page


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
    assert "One.<br>Two." in page


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


def test_a_settled_case_is_not_settled_again_by_accident(waiting: Case) -> None:
    """As from a page that was opened before the first verdict."""
    decide(waiting, adopted=claim_of("ada").pk)
    response = decide(waiting, adopted=claim_of("ben").pk)
    assert "Case 1 is settled. Name the verdict to supersede." in response.content.decode()
    assert Verdict.objects.count() == 1


@pytest.mark.parametrize("number", ["2", "0", "x", "-1", "9" * 5000])
def test_a_verdict_that_does_not_stand_is_not_superseded(waiting: Case, number: str) -> None:
    decide(waiting, adopted=claim_of("ada").pk)
    response = decide(waiting, adopted=claim_of("ben").pk, supersedes=number)
    assert response.status_code == 200
    assert Verdict.objects.count() == 1


def test_two_leads_do_not_supersede_the_same_verdict(waiting: Case) -> None:
    decide(waiting, adopted=claim_of("ada").pk)
    decide(waiting, adopted=claim_of("ben").pk, supersedes=1)
    response = decide(waiting, adopted=claim_of("ada").pk, supersedes=1)
    sentence = "Another verdict was signed since you looked. Read it first."
    assert sentence in response.content.decode()
    assert Verdict.objects.count() == 2


def test_a_lead_supersedes_a_verdict(waiting: Case) -> None:
    decide(waiting, adopted=claim_of("ada").pk)
    lena = signed_in("lena")
    assert address("verdict", waiting) in lena.get(address("case", waiting)).content.decode()
    page = lena.get(address("verdict", waiting)).content.decode()
    assert "Sign a verdict that supersedes this one" in page
    assert "checked" not in page
    response = decide(
        waiting, adopted="", reason="Both hold.", missing_observation="The log.", supersedes=1
    )
    assert response.url == address("case", waiting)
    first, second = Verdict.objects.order_by("number")
    assert (second.number, second.supersedes, second.outcome) == (2, first, "unresolved")
    for view, name in (("case", "vera"), ("verdict", "lena")):
        page = signed_in(name).get(address(view, waiting)).content.decode()
        assert "Verdict 2: unresolved; signed" in page
        assert "Verdict 1: attributed, as claimed by ada; signed" in page
        assert "superseded, <a" in page
        assert "Both hold." in page
    listed = signed_in("vera").get("/p/demo/verdicts/").content.decode()
    assert "verdict 2" in listed


def test_the_postmortem_of_a_superseded_verdict_can_still_be_had(waiting: Case) -> None:
    first = settle(waiting, claim_of("ada"))
    second = settle(waiting, claim_of("ben"), supersedes=first)
    where, vera = address("postmortem", waiting, "json"), signed_in("vera")
    assert vera.get(where).content.decode() == second.postmortem.envelope
    for number in ("1", "1\r\n"):
        older = vera.get(where, {"verdict": number})
        assert older.content.decode() == first.postmortem.envelope
        assert 'filename="demo-case-1-postmortem-verdict-1.json"' in older["Content-Disposition"]
    for number in ("3", "x", "", "1\r\nX-Evil: 1", "9" * 5000):
        assert vera.get(where, {"verdict": number}).status_code == 404


def test_an_own_claim_is_not_offered_under_the_two_person_rule(case: Case) -> None:
    sign(case, "lena")
    sign(case, "ada")
    page = signed_in("lena").get(address("verdict", case)).content.decode()
    assert "the claim of lena: This is your own claim: somebody else has to adopt it." in page
    assert "adopt the claim of ada" in page
    assert "adopt the claim of lena" not in page


def test_a_lead_who_alone_has_judged_is_told_so() -> None:
    case = make_scene()
    sign(case, "lena")
    page = signed_in("lena").get(address("verdict", case)).content.decode()
    assert "Only you have judged this case: somebody else has to sign the verdict." in page
    assert 'type="radio"' not in page


def test_a_policy_of_one_person_lets_a_lead_adopt_their_own_claim() -> None:
    project = make_project()
    make_policy(project, signatures_needed=1, two_person_rule=False)
    case = case_of(make_failed_run(project))
    sign(case, "lena")
    page = signed_in("lena").get(address("verdict", case)).content.decode()
    assert "adopt the claim of lena" in page
    assert "somebody else" not in page


def test_what_was_chosen_stays_chosen_after_a_refusal(waiting: Case) -> None:
    for chosen in ("", str(claim_of("ada").pk), str(claim_of("ben").pk)):
        page = decide(waiting, adopted=chosen, reason="").content.decode()
        assert page.count(" checked") == 1
        assert f'value="{chosen}" checked' in page


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
    assert "#1 · planner" in page
    page = signed_in("vera").get("/p/demo/verdicts/").content.decode()
    assert address("verdict", waiting) not in page
    assert address("case", waiting) in page


def test_the_list_names_what_is_responsible_when_it_is_no_actor() -> None:
    case = make_scene()
    settle(case, sign(case, "ada", responsible="coordination_rule", actor=""))
    page = signed_in("vera").get("/p/demo/verdicts/").content.decode()
    assert "#1 · a coordination rule or merge order" in page


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

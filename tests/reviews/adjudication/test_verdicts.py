from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection

from reviews import adjudication
from reviews.adjudication import Incomplete, NotDecidable, OwnClaim, StaleClaims, contents
from reviews.models import Case, Postmortem, Verdict
from tests.factories import AT, make_project, make_user
from tests.reviews.scenes import (
    case_of,
    make_failed_run,
    make_policy,
    make_scene,
    settle,
    sign,
    user,
)
from traces import audit
from traces.models import AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def verdict_by(name: str, case: Case, **given: object) -> Verdict:
    claim = case.claims.first()
    arguments = {
        "outcome": "attributed",
        "adopted": claim,
        "reason": "The quote shows it.",
        "missing_observation": "",
        "seen": [claim.pk] if claim else [],
    } | given
    return adjudication.sign_verdict(case=case, lead=make_user(name), at=AT, **arguments)


@pytest.mark.parametrize("name", ["sam", "vera", "ada", "ben"])
def test_only_a_lead_signs_verdicts(name: str) -> None:
    case = make_scene()
    sign(case, "ada")
    with pytest.raises(PermissionDenied):
        verdict_by(name, case)
    assert not Verdict.objects.exists()


def test_the_lead_of_another_project_signs_nothing_here() -> None:
    case = make_scene()
    sign(case, "ada")
    make_project("other")
    case.project.memberships.filter(user=user("lena")).delete()
    with pytest.raises(PermissionDenied):
        verdict_by("lena", case)


def test_an_open_case_gets_no_verdict() -> None:
    case = make_scene(signatures=2)
    sign(case, "ada")
    with pytest.raises(NotDecidable, match="Case 1 still waits for claims"):
        verdict_by("lena", case)


def test_a_verdict_over_claims_the_lead_did_not_see_is_refused() -> None:
    case = make_scene(signatures=2)
    first, second = sign(case, "ada"), sign(case, "ben")
    for seen in ([], [first.pk], [first.pk, second.pk, 999]):
        with pytest.raises(StaleClaims, match="The claims changed since you looked"):
            verdict_by("lena", case, seen=seen)


def test_a_lead_does_not_adopt_their_own_claim() -> None:
    case = make_scene(signatures=2)
    own = sign(case, "lena")
    other = sign(case, "ada")
    seen = {own.pk, other.pk}
    with pytest.raises(OwnClaim, match="This is your own claim"):
        verdict_by("lena", case, adopted=own, seen=seen)
    assert verdict_by("lena", case, adopted=other, seen=seen).adopted == other


def test_a_lead_alone_does_not_settle_what_only_they_judged() -> None:
    case = make_scene()
    claim = sign(case, "lena", "unresolved")
    with pytest.raises(OwnClaim, match="Only you have judged this case"):
        verdict_by("lena", case, outcome="unresolved", adopted=None, missing_observation="A log.")
    assert claim.case.verdicts.count() == 0


def test_one_person_may_do_both_where_the_policy_does_not_ask_for_two() -> None:
    project = make_project()
    make_policy(project, two_person_rule=False)
    case = case_of(make_failed_run(project))
    own = sign(case, "lena")
    assert verdict_by("lena", case, adopted=own).signed_by == user("lena")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"reason": " "}, "Give a reason."),
        ({"adopted": None}, "Choose the claim to adopt."),
        ({"outcome": "perhaps"}, "Choose attributed or unresolved."),
        ({"outcome": "unresolved"}, "The claim you adopt has another outcome."),
        (
            {"outcome": "unresolved", "adopted": None},
            "Name the missing observation that would settle it.",
        ),
    ],
)
def test_an_unfinished_verdict_is_refused(given: dict[str, object], sentence: str) -> None:
    case = make_scene()
    sign(case, "ada")
    with pytest.raises(Incomplete) as refusal:
        verdict_by("lena", case, **given)
    assert sentence in refusal.value.sentences
    assert not Verdict.objects.exists()


def test_a_claim_on_another_case_is_not_adopted() -> None:
    case = make_scene()
    sign(case, "ada")
    other = sign(case_of(make_failed_run(case.project, "run-2")), "ada")
    with pytest.raises(Incomplete, match="not one of this case"):
        verdict_by("lena", case, adopted=other)


def test_an_unresolved_claim_does_not_become_an_attributed_verdict() -> None:
    case = make_scene()
    sign(case, "ada", "unresolved")
    with pytest.raises(Incomplete, match="another outcome"):
        verdict_by("lena", case)


def test_a_settled_case_is_not_settled_again_by_a_second_click() -> None:
    case = make_scene()
    settle(case, sign(case, "ada"))
    with pytest.raises(NotDecidable, match="Case 1 is settled"):
        verdict_by("lena", case)
    assert Verdict.objects.count() == 1


def test_a_verdict_settles_the_case_and_is_signed() -> None:
    case = make_scene(signatures=2)
    claim = sign(case, "ada")
    sign(case, "ben", "unresolved")
    verdict = settle(case, claim, reason=" The quote shows it. ")
    case.refresh_from_db()
    assert case.status == "settled"
    assert (verdict.number, verdict.outcome, verdict.adopted) == (1, "attributed", claim)
    assert (verdict.signed_by, verdict.signed_at) == (user("lena"), AT)
    assert verdict.reason == "The quote shows it."
    postmortem = Postmortem.objects.get()
    assert postmortem.verdict == verdict
    entry = AuditEntry.objects.latest("number")
    assert (entry.action, entry.subject) == ("verdict.signed", f"case:{case.pk}")
    assert entry.data == {
        "verdict": verdict.pk,
        "outcome": "attributed",
        "postmortem": postmortem.sha256,
        "content": contents.verdict_hashes([verdict.pk])[verdict.pk],
    }
    assert list(audit.faults()) == []


def test_unresolved_may_adopt_an_unresolved_claim_or_none() -> None:
    case = make_scene()
    claim = sign(case, "ada", "unresolved")
    assert settle(case, claim).adopted == claim
    other = case_of(make_failed_run(case.project, "run-2"))
    sign(other, "ada", "unresolved")
    verdict = verdict_by(
        "lena", other, outcome="unresolved", adopted=None, missing_observation="The lock file."
    )
    assert verdict.missing_observation == "The lock file."


def test_a_later_verdict_supersedes_and_the_old_one_stays() -> None:
    case = make_scene(signatures=2)
    first, second = sign(case, "ada"), sign(case, "ben")
    old = settle(case, first)
    new = settle(case, second, supersedes=old, reason="Ben reads it better.")
    assert (new.number, new.supersedes) == (2, old)
    assert [verdict.adopted for verdict in case.verdicts.order_by("number")] == [first, second]
    with pytest.raises(StaleClaims, match="Another verdict was signed"):
        settle(case, first, supersedes=old)
    assert Postmortem.objects.count() == 2


def test_there_is_nothing_to_supersede_before_the_first_verdict() -> None:
    case = make_scene()
    settled = settle(case, sign(case, "ada"))
    other = case_of(make_failed_run(case.project, "run-2"))
    claim = sign(other, "ada")
    with pytest.raises(StaleClaims):
        settle(other, claim, supersedes=settled)


@pytest.mark.django_db(transaction=True)
def test_of_two_verdicts_at_once_one_stands() -> None:
    case = make_scene()
    claim = sign(case, "ada")

    def press(_: int) -> str:
        try:
            settle(case, claim)
        except NotDecidable:
            return "refused"
        else:
            return "signed"
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as pool:
        assert sorted(pool.map(press, range(3))) == ["refused", "refused", "signed"]
    assert Verdict.objects.count() == Postmortem.objects.count() == 1

"""Before ben has signed, nothing of what ada claimed and nothing that came as a label reaches him.

The claim is full of one word that stands nowhere else, and every address is asked for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from reviews.dossier import Dossier
from reviews.fields import Rejected
from reviews.models import Case, Claim
from tests.addresses import every_address
from tests.clients import address, signed_in
from tests.factories import AT
from tests.reviews.conftest import Desk
from tests.reviews.scenes import QUOTE, make_candidate, make_scene, settle, sign
from traces import keys
from traces.models import Opinion as OpinionRow
from traces.models import Project, Receipt
from traces.transcript import Opinion

pytestmark = [pytest.mark.django_db, pytest.mark.database]
WORD = "ZEBRACROSSING"
CHANGES = {
    "take": {},
    "heartbeat": {},
    "write-draft": {"note": "Mine."},
    "mark": {"mark": "decisive-1"},
    "unmark": {"mark": "decisive-1"},
    "cite": {"step": 3},
    "uncite": {"anchor": "3-0-0-8"},
    "start-from": {"candidate": ""},
    "sign": {},
    "revise": {},
    "unresolved": {"unresolved_reason": "contradiction", "missing_observation": "x"},
}  # fmt: skip


@pytest.fixture
def signed() -> Case:
    """Ada has signed a claim with a quote on a run that came with a label; ben has the case."""
    label = Opinion(f"{WORD} annotator", "1", 0, 1, "planner", f"{WORD} label")
    withheld = {"ground_truth": f"{WORD} answer"}
    case = make_scene(signatures=2, opinions=(label,), withheld=withheld)
    candidate = make_candidate(case.run, step=2, actor="coder")
    sign(
        case,
        "ada",
        note=f"{WORD} note",
        state_change=f"{WORD} state",
        alternatives=(Rejected(2, f"{WORD} alternative"),),
        missing_observation=f"{WORD} observation",
        candidate=candidate.pk,
        revision_reason=f"{WORD} reason",
    )
    case.refresh_from_db()
    return case


def answers(client: Client, case: Case) -> Iterator[tuple[str, HttpResponse]]:
    """Every page of the site, and every change that can be asked of the case."""
    for name, path in every_address(values_for(case)):
        if "logout" not in name:
            yield name, client.get(path)
    for view, given in CHANGES.items():
        token = case.slots.filter(reviewer__username="ben").values_list("token", flat=True)
        response = client.post(address(view, case), {"token": token.first() or "", **given})
        yield f"POST {view}", response


def values_for(case: Case) -> dict[str, Any]:
    return {
        "slug": case.project.slug,
        "number": case.number,
        "position": 0,
        "run_id": case.run.pk,
        "sha256": case.run.document.sha256,
        "digest": "0" * 64,
        "placeholder": "EMAIL-1",
        "quarantine_id": 1,
        "receipt_id": Receipt.objects.latest("pk").pk,
        "postmortem_id": 1,
        "user_id": 1,
        "key_id": 1,
        "kind": "json",
        "key": "a-b",
        "uidb36": "1",
    }


def told_in(response: HttpResponse) -> str:
    content = b"".join(response) if response.streaming else response.content
    return content.decode(errors="replace") + "".join(map(str, response.headers.items()))


def seen_in_context(response: HttpResponse) -> list[object]:
    """Claims and labels that a template could have shown, had it only asked."""
    contexts = response.context or []
    if not isinstance(contexts, list):
        contexts = [contexts]
    values = [value for context in contexts for layer in context for value in layer.values()]
    dossiers = [value for value in values if isinstance(value, Dossier)]
    values += [held for dossier in dossiers for held in vars(dossier).values()]
    values += [one for value in values if isinstance(value, list | tuple) for one in value]
    return [value for value in values if isinstance(value, Claim | Opinion | OpinionRow)]


@pytest.mark.parametrize("script", [False, True], ids=["form", "script"])
def test_nothing_reaches_who_has_not_signed(signed: Case, script: bool) -> None:
    desk = Desk(signed, "ben", script=script)
    for name, response in answers(desk.client, signed):
        assert WORD not in told_in(response), name
        assert seen_in_context(response) == [], name
        # Her quote stands in the trace, but not marked as hers.
        assert f'<mark class="cite">{QUOTE.text}' not in told_in(response), name
    assert Claim.objects.count() == 1


@pytest.mark.parametrize("name", ["vera", "sam"])
def test_nothing_reaches_who_only_looks_on(signed: Case, name: str) -> None:
    for view, response in answers(signed_in(name), signed):
        assert WORD not in told_in(response), view
        assert seen_in_context(response) == [], view


def test_nothing_reaches_a_lead_who_holds_the_case() -> None:
    case = make_scene(signatures=2)
    desk = Desk(case, "lena")
    sign(case, "ada", note=f"{WORD} note")
    for view in ("case", "candidates", "verdict", "sign"):
        response = desk.get(view)
        assert WORD not in told_in(response), view
        assert seen_in_context(response) == [], view


def test_who_has_signed_sees_the_other_claim_and_the_label(signed: Case) -> None:
    """So the word would be found if it were there."""
    sign(signed, "ben")
    page = told_in(signed_in("ben").get(address("case", signed)))
    told = ("note", "state", "alternative", "observation", "reason", "label", "annotator", "answer")
    for what in told:
        assert f"{WORD} {what}" in page, what


def test_a_lead_waits_for_the_expected_answer_while_the_case_can_be_taken(signed: Case) -> None:
    for view in ("case", "verdict"):
        assert f"{WORD} answer" not in told_in(signed_in("lena").get(address(view, signed))), view
    sign(signed, "ben")
    for view in ("case", "verdict"):
        assert f"{WORD} answer" in told_in(signed_in("lena").get(address(view, signed))), view
    assert f"{WORD} answer" not in told_in(signed_in("vera").get(address("case", signed)))


def test_everybody_sees_all_when_it_is_settled(signed: Case) -> None:
    claim = Claim.objects.get()
    sign(signed, "ben")
    signed.refresh_from_db()
    settle(signed, claim)
    page = told_in(signed_in("vera").get(address("case", signed)))
    assert f"{WORD} note" in page
    assert f"{WORD} answer" in page


def test_a_member_of_another_project_sees_nothing(signed: Case) -> None:
    other = make_scene("other").project
    other.memberships.exclude(user__username="ben").delete()
    Project.objects.get(slug="demo").memberships.filter(user__username="ben").delete()
    for view, response in answers(signed_in("ben"), signed):
        assert WORD not in told_in(response), view


def test_a_program_that_reads_sees_no_claim_before_the_verdict(signed: Case) -> None:
    lead = signed.project.memberships.get(role="lead").user
    _, text = keys.create(project=signed.project, name="r", scopes=["read"], by=lead, at=AT)
    client = Client(headers={"Authorization": f"Bearer {text}"})
    routes = [each for each in every_address(values_for(signed)) if "-api:" in each.name]
    for name, path in routes:
        response = client.get(path)
        assert response.status_code in (200, 404, 405), name
        assert WORD not in told_in(response), name
    assert routes

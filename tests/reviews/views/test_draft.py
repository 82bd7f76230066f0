"""Changes to a draft over HTTP: what comes back, and that nothing posted can break a page."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.http import HttpResponse
from django.utils import timezone

from reviews import adjudication, assignment
from reviews.models import Case, Contract, Draft
from tests.clients import address, ids_of, roots_of, told
from tests.factories import AT
from tests.reviews.conftest import Desk
from tests.reviews.scenes import QUOTE, finding, make_candidate, make_failed_run, user
from traces.models import AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.database]

CHANGES = {
    "write-draft": {"note": "I see."},
    "mark": {"mark": "decisive-1"},
    "unmark": {"mark": "decisive-1"},
    "cite": {"step": 1},
    "uncite": {"anchor": "1-0-0-5"},
    "start-from": {"candidate": ""},
}


def is_script(desk: Desk) -> bool:
    return "HTTP_X_INQUEST" in desk.client.defaults


def assert_refused(desk: Desk, response: HttpResponse, sentence: str) -> None:
    """A script gets 409 and the sentence, which it shows; a form the case page and a message."""
    if is_script(desk):
        assert (response.status_code, response.content.decode()) == (409, sentence)
        assert response["Content-Type"] == "text/plain"
    else:
        assert (response.status_code, response.url.partition("?")[0]) == (
            302,
            address("case", desk.case),
        )
        assert told(response) == [sentence]
        assert sentence in desk.get().content.decode()


def assert_changed(desk: Desk, response: HttpResponse, roots: list[str], *, at: int = 0) -> None:
    """A script gets these elements, each of which the page has; a form goes back to its step."""
    if is_script(desk):
        assert (response.status_code, response["X-Inquest"]) == (200, "fragments")
        assert roots_of(response.content) == roots
        assert set(roots) <= ids_of(desk.get().content)
    else:
        page = address("case", desk.case)
        assert (response.status_code, response.url) == (302, f"{page}?step={at}#s{at}")
        assert told(response) == []


def test_a_token_that_is_not_of_this_lease_is_refused(desk: Desk) -> None:
    bens = assignment.take(case=desk.case, reviewer=user("ben"), at=timezone.now())
    entries = AuditEntry.objects.count()
    sentence = "Your lease ended and the case was given to somebody else."
    for view, given in CHANGES.items():
        for token in (uuid4(), bens.token):
            assert_refused(desk, desk.post(view, **given | {"token": token}), sentence)
    assert not Draft.objects.exists()
    assert AuditEntry.objects.count() == entries


def test_what_is_no_token_is_not_found(desk: Desk) -> None:
    for view, given in CHANGES.items():
        for token in ("", "x", "1" * 5000, "\0"):
            assert desk.post(view, **given | {"token": token}).status_code == 404
    assert not Draft.objects.exists()


def test_a_lease_that_was_taken_over_is_refused(desk: Desk) -> None:
    desk.case.slots.filter(position=2).delete()
    later = timezone.now() + timedelta(hours=2)
    assignment.take(case=desk.case, reviewer=user("ben"), at=later)
    sentence = "You do not hold this case any more: take it again, if it is still free."
    for view, given in CHANGES.items():
        assert_refused(desk, desk.post(view, **given), sentence)
    assert not Draft.objects.exists()


def test_a_signed_claim_does_not_change_any_more(desk: Desk) -> None:
    desk.post("write-draft", note="Before.")
    before = desk.fields
    adjudication.sign_claim(
        case=desk.case,
        reviewer=user("ada"),
        token=desk.token,
        finding=finding(),
        outcome="attributed",
        at=AT,
    )
    sentence = "You have signed your claim on this case; it cannot change any more."
    for view, given in CHANGES.items():
        assert_refused(desk, desk.post(view, **given), sentence)
    assert desk.fields == before


@pytest.mark.parametrize("view", ["mark", "unmark"])
def test_a_mark_or_a_step_that_does_not_exist_is_not_found(desk: Desk, view: str) -> None:
    marks = (
        "", "hero-1", "decisive", "decisive-", "decisive-x", "decisive-٣", "decisive-²",
        "decisive--1", "decisive-4", f"decisive-{2**31}", f"decisive-{'9' * 5000}",
    )  # fmt: skip
    for mark in marks:
        assert desk.post(view, mark=mark).status_code == 404, mark
    for purpose, step in (("hero", 1), ("decisive", 4), ("decisive_step\0", 1)):
        assert desk.post(view, purpose=purpose, step=step).status_code == 404, purpose
    assert desk.fields == {}


def test_a_quote_that_cannot_be_is_not_found(desk: Desk) -> None:
    for anchor in (
        "",
        "1-0-0",
        "1-0-0-5-6",
        "1-0-0-x",
        "1-0-0-٣",
        "1-0-0-" + "9" * 5000,
        "-1-0-0-5",
    ):
        assert desk.post("uncite", anchor=anchor).status_code == 404, anchor


def test_a_selection_outside_the_text_is_refused(desk: Desk) -> None:
    ranges: tuple[dict[str, Any], ...] = (
        {"part": 0, "start": 5, "end": 5},
        {"part": 0, "start": 0, "end": 10**6},
        {"part": 7, "start": 0, "end": 5},
        {"part": 0, "start": 0},
        {"part": "x", "start": "٣", "end": "9" * 5000},
    )
    for given in ranges:
        assert_refused(desk, desk.post("cite", step=1, **given), "Step #1 has no such text.")
    assert desk.fields == {}


def test_a_candidate_of_another_run_is_not_found(desk: Desk) -> None:
    other = make_candidate(make_failed_run(desk.case.project, "run-2"))
    for candidate in (other.pk, "x", "9" * 5000, "٣"):
        assert desk.post("start-from", candidate=candidate).status_code == 404
    assert desk.fields == {}


def test_typed_fields_are_saved_and_the_answer_says_what_is_missing(desk: Desk) -> None:
    response = desk.post("write-draft", note="I see.", state_change="plan: v1")
    assert desk.fields == {"note": "I see.", "state_change": "plan: v1", "evidence": []}
    if is_script(desk):
        assert roots_of(response.content) == ["saved", "renewed", "claim-footer"]
        text = response.content.decode()
        assert "saved " in text
        assert "Name the decisive step." in text
        assert "Say which state changed" not in text
    else:
        assert (response.status_code, response.url) == (302, address("case", desk.case))


def test_two_stale_pages_add_to_each_other(desk: Desk) -> None:
    """Both were drawn before either wrote; our script sends only what was touched."""
    desk.post("write-draft", note="One.")
    desk.post("mark", mark="decisive-1")
    desk.post("write-draft", state_change="Two.")
    desk.post("mark", mark="exposing-3")
    fields = desk.fields
    assert (fields["note"], fields["state_change"]) == ("One.", "Two.")
    assert (fields["decisive_step"], fields["exposing_step"]) == (1, 3)


def test_a_mark_draws_the_steps_whose_marks_differ(desk: Desk) -> None:
    response = desk.post("mark", purpose="decisive", step=1)
    assert_changed(desk, response, ["claim", "candidates", "claim-footer", "minimap", "s1"], at=1)
    response = desk.post("mark", purpose="decisive", step=2)
    assert_changed(
        desk, response, ["claim", "candidates", "claim-footer", "minimap", "s1", "s2"], at=2
    )
    assert (desk.fields["decisive_step"], desk.fields["actor"]) == (2, "coder")
    page = desk.get(step=2).content.decode()
    assert page.count('<span class="tag first">') == 1


def test_a_mark_named_by_a_button_of_the_claim_keeps_the_page_where_it_is(desk: Desk) -> None:
    response = desk.post("mark", mark="exposing-3", step=1)
    assert_changed(desk, response, ["claim", "candidates", "claim-footer", "minimap", "s3"], at=1)
    assert desk.fields["exposing_step"] == 3
    response = desk.post("unmark", mark="exposing-3", step=1)
    assert_changed(desk, response, ["claim", "candidates", "claim-footer", "minimap", "s3"], at=1)
    assert desk.fields["exposing_step"] == ""


def test_marking_twice_is_marking_once(desk: Desk) -> None:
    for purpose in ("decisive", "carrier", "exposing", "missed", "alternative"):
        desk.post("mark", purpose=purpose, step=2)
        once = desk.fields
        desk.post("mark", purpose=purpose, step=2)
        assert desk.fields == once


def test_a_plain_form_brings_its_other_fields_along(desk: Desk) -> None:
    desk.post("mark", mark="carrier-2", note="Not yet saved.", confidence="low")
    assert desk.fields["note"] == "Not yet saved."
    assert (desk.fields["confidence"], desk.fields["carriers"]) == ("low", [2])


def test_the_selection_is_cited(desk: Desk) -> None:
    desk.post("mark", mark="decisive-1")
    response = desk.post("cite", step=1, part=0, start=QUOTE.start, end=QUOTE.end)
    assert_changed(desk, response, ["claim", "candidates", "claim-footer", "minimap", "s1"], at=1)
    (row,) = desk.fields["evidence"]
    assert (row["purpose"], row["text"]) == ("origin", QUOTE.text)
    assert b'<mark class="cite">Use POST /v1/invoices.</mark>' in desk.get(step=1).content
    response = desk.post("uncite", anchor=f"1-0-{QUOTE.start}-{QUOTE.end}", step=1)
    assert_changed(desk, response, ["claim", "candidates", "claim-footer", "minimap", "s1"], at=1)
    assert desk.fields["evidence"] == []


def test_without_a_selection_the_step_is_cited(desk: Desk) -> None:
    desk.post("cite", step=3)
    (row,) = desk.fields["evidence"]
    assert (row["step"], row["text"]) == (3, "410 Gone")


def test_a_candidate_is_a_start_and_can_be_set_aside(desk: Desk) -> None:
    candidate = make_candidate(desk.case.run)
    response = desk.post("start-from", candidate=candidate.pk, step=1)
    assert_changed(desk, response, ["claim", "candidates", "claim-footer", "minimap", "s1"], at=1)
    assert desk.fields["candidate"] == candidate.pk
    assert desk.fields["decisive_step"] == 1
    assert "set aside" in desk.get().content.decode()
    response = desk.post("start-from", candidate="", step=1)
    assert_changed(desk, response, ["claim", "candidates", "claim-footer", "minimap", "s1"], at=1)
    assert (desk.fields["candidate"], desk.fields["decisive_step"]) == ("", 1)


def test_rows_that_marks_made_are_completed(desk: Desk) -> None:
    contract = Contract.objects.create(
        project=desk.case.project, key="k", component="verifier", clause="Checks.", valid_from=AT
    )
    desk.post("mark", mark="missed-3")
    desk.post("mark", mark="alternative-2")
    given = {"contract-3": contract.pk, "because-2": "It came later.", "because-0": "No row."}
    desk.post("write-draft", **given)
    assert desk.fields["misses"] == [{"step": 3, "contract": str(contract.pk)}]
    assert desk.fields["alternatives"] == [{"step": 2, "rejected_because": "It came later."}]
    page = desk.get().content.decode()
    assert f'<option value="{contract.pk}" selected>' in page
    assert 'value="It came later."' in page


GARBAGE = {
    "digits": "٣",
    "superscript": "²",
    "huge": "9" * 5000,
    "negative": "-1",
    "nul": "a\0b",
    "controls": "\x1b[31m\u202e\ufeff",
    "long": "é" * 50_000,
    "markup": "<script>alert(1)</script>",
    "json": '{"step": []}',
}


@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE)
def test_garbage_never_breaks_a_page(case: Case, garbage: str) -> None:
    """In every field at once, and in a row's name; the answer may refuse but must be one."""
    desk = Desk(case)
    desk.post("mark", mark="missed-2")
    desk.post("mark", mark="alternative-2")
    names = (
        "note", "responsible", "actor", "state_change", "counterfactual", "evaluator", "category",
        "phase", "confidence", "unresolved_reason", "contract-2", "because-2", "step", "part",
        "start", "end", "mark", "purpose", "anchor", "candidate", garbage[:300],
        f"contract-{garbage[:300]}", "decisive_step", "evidence", "carriers",
    )  # fmt: skip
    for view in CHANGES:
        response = desk.post(view, **dict.fromkeys(names, garbage))
        assert response.status_code in (302, 404), view
    assert desk.get().status_code == 200
    assert desk.get("sign").status_code == 200
    assert not desk.fields.get("decisive_step")
    assert not desk.fields.get("carriers")


def test_bytes_that_are_no_text_never_break_a_page(case: Case) -> None:
    """Half a surrogate pair, broken UTF-8, NUL and broken percent signs, in names and values."""
    desk = Desk(case)
    for odd in ("%ED%A0%80", "%FF%FE", "%00", "%C0%80", "a%", "%u1234"):
        response = desk.client.generic(
            "POST",
            address("write-draft", case),
            f"token={desk.token}&note={odd}&contract-{odd}={odd}&{odd}={odd}",
            content_type="application/x-www-form-urlencoded",
        )
        assert response.status_code == 302, odd
        assert desk.get().status_code == 200, odd


def test_a_form_of_a_thousand_fields_is_refused(case: Case) -> None:
    desk = Desk(case)
    names = dict.fromkeys((f"because-{n}" for n in range(1001)), "x")
    assert desk.post("write-draft", **names).status_code == 400
    assert desk.fields == {}


@pytest.mark.parametrize("then", ["sign", "revise", "unresolved"])
def test_a_plain_form_is_saved_on_the_way_to_the_signature(case: Case, then: str) -> None:
    desk = Desk(case)
    response = desk.post("write-draft", note="Written just now.", then=then)
    assert (response.status_code, response.url) == (302, address(then, case))
    assert desk.fields["note"] == "Written just now."


def test_a_plain_form_goes_nowhere_else(case: Case) -> None:
    response = Desk(case).post("write-draft", note="x", then="https://elsewhere.example/")
    assert response.url == address("case", case)

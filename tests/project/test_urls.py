"""Every address there is, from the URL patterns: who is not signed in gets nowhere."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest
from django.test import Client

from reviews.models import Case
from tests.addresses import every_address
from tests.clients import signed_in
from tests.factories import AT, make_project, make_user
from tests.reviews.scenes import make_failed_run, make_scene, settle, sign, user
from traces import quarantine
from traces.models import Payload, PayloadUse, Receipt, Withheld

pytestmark = [pytest.mark.django_db, pytest.mark.database]
# For everybody: signing in and out and what belongs to it, and the description of the API.
OPEN = {
    "account_login", "account_logout", "account_signup", "account_inactive",
    "account_reset_password", "account_reset_password_done", "account_reset_password_from_key",
    "account_reset_password_from_key_done", "account_confirm_email",
    "account_email_verification_sent", "account_confirm_login_code", "mfa_authenticate",
    "api-schema",
}  # fmt: skip
# What an address must ask for so that there is something at it.
ASKED = {"attribution:pane": {"with": "raw"}}
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


@pytest.fixture
def values() -> dict[str, Any]:
    """Arguments that lead to things which are there: a settled case and all that hangs on it."""
    case = make_scene()
    claim = sign(case, "ada")
    case.refresh_from_db()
    verdict = settle(case, claim)
    case = Case.objects.with_record().get(pk=case.pk)
    receipt = Receipt.objects.get()
    return {
        "slug": case.project.slug,
        "number": case.number,
        "position": 0,
        "run_id": case.run.pk,
        "sha256": case.run.document.sha256,
        "quarantine_id": quarantine_entry(case),
        "digest": payload_of(case),
        "placeholder": withheld_in(case),
        "receipt_id": receipt.pk,
        "postmortem_id": verdict.postmortem.pk,
        "user_id": verdict.signed_by_id,
        "key_id": 1,
        "kind": "json",
        "key": "a-b",
        "uidb36": "1",
    }


def payload_of(case: Case) -> str:
    """The digest of a picture that the run refers to."""
    content = b"\x89PNG\r\n\x1a\n" + bytes(40)
    found = Payload.objects.create(
        project=case.project,
        sha256=sha256(content).hexdigest(),
        size=len(content),
        media_type="image/png",
        content=content,
        received_at=AT,
    )
    PayloadUse.objects.create(run=case.run, payload=found)
    return found.sha256


def withheld_in(case: Case) -> str:
    """A placeholder that the project gave."""
    found = Withheld.objects.create(
        project=case.project, type="EMAIL", number=1, length=9, action="redact", made_at=AT
    )
    return found.placeholder.strip("[]")


def quarantine_entry(case: Case) -> int:
    """Something in the ledger that is over, so that it changes nothing else."""
    lead, run = user("lena"), make_failed_run(case.project, "run-2")
    row = quarantine.set_aside(run=run, reason="duplicate", note="", by=lead, at=AT)
    return quarantine.lift(quarantine=row, why="It is none.", by=lead, at=AT).pk


def test_who_is_not_signed_in_gets_nowhere(values: dict[str, Any]) -> None:
    for name, path in every_address(values):
        if name in OPEN:
            continue
        for method in METHODS:
            response = Client().generic(method, path)
            if response.status_code == 302:
                assert response.url.startswith("/accounts/login/"), (method, name)
            else:
                assert response.status_code in (401, 403, 405), (method, name)
            assert b"planner" not in response.content


def test_what_is_open_to_all_tells_nothing_of_a_project(values: dict[str, Any]) -> None:
    for name, path in every_address(values):
        if name in OPEN:
            response = Client().get(path)
            assert response.status_code in (200, 302), name
            for word in (b"planner", b"It broke", b"Demo"):
                assert word not in response.content, name


def test_nobody_signs_up_by_themselves(db: None) -> None:
    page = Client().get("/accounts/signup/").content.decode()
    assert "<input" not in page.replace('type="hidden"', "")
    assert Client().post("/accounts/signup/", {"username": "eve"}).status_code == 200


def test_who_is_of_another_project_gets_nowhere(values: dict[str, Any]) -> None:
    """Sam has an account, and leads a project of his own."""
    other = make_project("sams")
    other.memberships.filter(role="lead").update(user=make_user("sam"))
    client = signed_in("sam")
    for name, path in every_address(values):
        if path.startswith("/p/"):
            for method in ("GET", "POST"):
                assert client.generic(method, path).status_code in (404, 405), (method, name)
        elif path.startswith("/api/") and name not in OPEN:
            content = client.get(path).content
            assert b"planner" not in content, name
            assert b"It broke" not in content, name


def test_every_page_of_a_lead_opens(values: dict[str, Any]) -> None:
    """No address under a project is broken: pages open, and actions want their method."""
    client = signed_in("lena")
    for name, path in every_address(values):
        if path.startswith("/p/"):
            assert client.get(path, ASKED.get(name, {})).status_code in (200, 302, 405), name

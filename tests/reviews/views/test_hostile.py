"""A run whose every field attacks the reader, taken in as it came and shown on every page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from config.security import POLICY
from reviews.adjudication import open_cases
from reviews.findings import APPARATUS
from reviews.models import Case, Claim, Contract, Verdict
from tests.clients import address, signed_in
from tests.factories import AT, make_project
from tests.harmless import EVIL, SHOWN, faults_of, text_of
from tests.reviews.conftest import Desk
from tests.reviews.scenes import make_candidate, make_policy, settle, user
from traces import ingest
from traces.models import Opinion, Receipt, Run

pytestmark = [pytest.mark.django_db, pytest.mark.database]
KINDS = ("input", "interpretation", "message", "decision", "error")


def evil(name: str) -> str:
    """The place it came from, the attack, and a NUL, which no database holds."""
    return f"[{name}] {EVIL}\0"


def shown(name: str) -> str:
    return f"[{name}] {SHOWN}\u2400"


def unseen(names: Iterable[str], text: str) -> list[str]:
    """Which attacks a page does not show. A list cuts long text, but not before its middle."""
    return [name for name in names if shown(name)[:60] not in text]


def part(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "capture": {evil(f"{kind} capture"): "withheld"}, **fields}


def steps(choice: str) -> list[dict[str, Any]]:
    said = [part(kind, text=evil(f"{kind} text")) for kind in KINDS]
    said[2] |= {"to": evil("to")}
    said[3] |= {
        "chosen": evil(choice),
        "rejected": [{"option": evil("option"), "reason": evil("reason")}],
        "decided_by": evil("decided by"),
    }
    tool = [
        part("tool_request", tool=evil("tool"), arguments=evil("arguments")),
        part("tool_response", status="error", text=evil("response"), side_effects=evil("effects")),
    ]
    state = part(
        "state",
        artifact=evil("artifact"),
        before=evil("before"),
        after=evil("after"),
        change=evil("change"),
        accepted=evil("accepted"),
        rule=evil("rule"),
    )
    check = part(
        "verification",
        check=evil("check"),
        verdict="failed",
        text=evil("verified"),
        expected=evil("expected"),
        observed=evil("observed"),
    )
    again = {"of": evil("step 1"), "attempt": 2, "reason": evil("attempt reason")}
    step = {"actor": evil("actor"), "capture": {evil("step capture"): "damaged", "items": "absent"}}
    return [
        step | {"id": evil("step 0"), "sequence": 0, "parts": said},
        step | {"id": evil("step 1"), "sequence": 1, "parts": tool, "inputs": [evil("gone")]},
        step | {"id": evil("step 2"), "sequence": 2, "parts": [state], "retry": again},
        {"id": "s3", "sequence": 3, "actor": evil("stranger"), "parts": [check]},
    ]


def document(choice: str = "choice 1", **run: Any) -> bytes:
    actor = {"id": evil("actor"), "role": evil("role"), "kind": "agent", "model": evil("model")}
    failure = {
        "id": evil("failure"),
        "statement": evil("statement"),
        "expected": evil("failure expected"),
        "observed": evil("failure observed"),
        "check": evil("failure check"),
        "exposed_by": "s3",
    }
    given = {
        "id": evil("run"),
        "source": evil("source"),
        "task": {"id": evil("task"), "text": evil("task text")},
        "system": {"name": evil("system"), "version": evil("version")},
        "initial_state": {"reference": evil("reference"), "mutable": True},
        "outcome": "failed",
        "reports": [{"by": "agent", "value": evil("report"), "detail": evil("detail")}],
        "failures": [failure],
        "capture": {evil("run capture"): "withheld", "items": "absent"},
    }
    whole = {
        "schema": "inquest-run/1",
        "run": given | run,
        "actors": [actor | {"instance": evil("instance")}],
        "steps": steps(choice),
    }
    return json.dumps(whole).encode()


@pytest.fixture
def case() -> Case:
    """The failed run with a successful twin beside it, a candidate, a contract and a label."""
    project = make_project()
    make_policy(project)
    for content in (
        document(),
        document("choice 2", id=evil("twin"), outcome="succeeded", failures=[]),
    ):
        receipt = ingest.ingest(
            project=project,
            content=content,
            filename=evil("filename"),
            via=Receipt.Via.UPLOAD,
            by=user("ada"),
            at=AT,
        )
        assert (receipt.status, receipt.refused) == ("read", [])
    run = Run.objects.get(outcome="failed")
    open_cases(runs=[run], at=AT)
    first = run.actors.order_by("position").first()
    assert first
    start = len("[input text] ")
    quote = {"step": 0, "part": 0, "start": start, "end": start + len(EVIL), "text": EVIL}
    make_candidate(run, step=0, actor=first.key, rationale=f"{EVIL} rationale", quotes=[quote])
    Opinion.objects.create(
        run=run, source=f"{EVIL} labeller", native_step="\x1b\u202e 1", base=0, actor=first.key,
        reason=f"{EVIL} label",
    )  # fmt: skip
    Contract.objects.create(
        project=project, key="k", component="verifier", clause="Checks.", valid_from=AT
    )
    return Case.objects.with_record().get()


def judged(case: Case) -> Desk:
    """Ada has copied the attack into everything she could write."""
    desk = Desk(case)
    candidate = case.run.analyses.get(attributor="first@1").candidates.get()
    desk.post("start-from", candidate=candidate.pk)
    for mark in ("decisive-0", "carrier-1", "alternative-2", "exposing-3"):
        desk.post("mark", mark=mark)
    for step in range(4):
        desk.post("cite", step=step)
    written = dict.fromkeys(("note", "state_change", "revision_reason"), f"{EVIL}\r\nmine")
    answers = {"counterfactual": "no", "confidence": "low", "because-2": f"{EVIL} because"}
    desk.post("write-draft", **written, **answers, **dict.fromkeys(APPARATUS, "ruled_out"))
    return desk


def pages(client: Client, case: Case) -> Iterator[HttpResponse]:
    """Every page that shows something of the run."""
    receipt = Receipt.objects.earliest("pk").pk
    twin = Run.objects.get(outcome="succeeded").pk
    for path in (
        "", "cases/", "cases/?sort=task", "verdicts/", "runs/", "receipts/",
        f"receipts/{receipt}/", f"runs/{case.run_id}/", f"runs/{case.run_id}/?with={twin}",
        f"runs/{twin}/?step=3", "cases/1/", "cases/1/?step=2", "cases/1/candidates/",
    ):  # fmt: skip
        yield client.get(f"/p/demo/{path}")


def assert_harmless(response: HttpResponse) -> str:
    """Nothing came through, and the policy says what to do if it had."""
    assert response.status_code == 200, response.request
    where = response.request["PATH_INFO"]
    assert faults_of(response.content) == [], where
    assert response["Content-Security-Policy"] == POLICY, where
    assert response["X-Content-Type-Options"] == "nosniff"
    return text_of(response.content)


@pytest.mark.parametrize("name", ["vera", "ada", "lena"])
def test_pages_of_the_run_are_harmless(case: Case, name: str) -> None:
    for response in pages(signed_in(name), case):
        assert_harmless(response)


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("", ("statement", "task")),
        ("cases/", ("statement",)),
        ("runs/", ("run", "twin")),
        ("receipts/", ("filename",)),
        (
            "cases/1/",
            (
                "statement", "run", "task", "system", "version", "failure expected",
                "failure observed", "role", "instance", "tool", "attempt reason",
                "to", "choice 1", "option", "reason", "decided by", "effects", "artifact",
                # What changed of a state is told word by word within what stayed.
                "beforeafter", "accepted", "rule", "check", "expected", "observed", "step capture",
                *(f"{kind} text" for kind in KINDS), "input capture", "arguments", "response",
                "change", "verified", "stranger",
            ),
        ),
    ],
)  # fmt: skip
def test_what_the_run_says_is_shown_as_it_said_it(
    case: Case, path: str, names: tuple[str, ...]
) -> None:
    """So none of the places above was harmless only because it was empty."""
    client = signed_in("vera")
    text = assert_harmless(client.get(f"/p/demo/{path}"))
    if path == "cases/1/":
        # The step list goes on where a window is full.
        text += assert_harmless(client.get(f"/p/demo/{path}rows/?from=2"))
        text += assert_harmless(client.get(f"/p/demo/{path}rows/?from=3"))
    assert unseen(names, text) == []


def test_where_the_runs_part_is_told_harmlessly(case: Case) -> None:
    response = signed_in("vera").get(address("case", case))
    told = " ".join(each.sentence for each in response.context["viewing"].aligned.telling)
    assert EVIL[:20] in told
    assert "first divergence" in assert_harmless(response)


def test_the_run_page_shows_everything_about_the_run(case: Case) -> None:
    text = assert_harmless(signed_in("vera").get(f"/p/demo/runs/{case.run_id}/"))
    names = ("task text", "report", "detail", "model", "run", "actor")
    assert unseen(names, text) == []


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("record/", ("task", "system", "version", "reference", "run capture", "report", "model")),
        ("states/", ()),
        ("steps/0/", ("model", "instance")),
        ("failures/add/", ()),
    ],
)
def test_the_pages_about_its_record_are_harmless(
    case: Case, path: str, names: tuple[str, ...]
) -> None:
    text = assert_harmless(signed_in("ada").get(f"/p/demo/runs/{case.run_id}/{path}"))
    assert unseen(names, text) == []


def test_what_a_reviewer_copies_from_it_is_harmless_too(case: Case) -> None:
    desk = judged(case)
    for view in ("case", "sign", "revise", "unresolved", "decline"):
        assert_harmless(desk.get(view))
    assert unseen(["statement", "role"], text_of(desk.get("sign").content)) == []


def test_fragments_are_harmless(case: Case) -> None:
    desk = judged(case)
    script = signed_in("ada", script=True)
    for view, given in (
        ("mark", {"mark": "carrier-1"}),
        ("mark", {"mark": "missed-2"}),
        ("cite", {"step": 0}),
        ("write-draft", {"note": EVIL}),
        ("heartbeat", {}),
    ):
        response = script.post(address(view, case), {"token": desk.token, **given})
        assert_harmless(response)


def test_claims_verdicts_and_labels_are_harmless(case: Case) -> None:
    desk = judged(case)
    case.slots.exclude(reviewer=user("ada")).delete()
    response = desk.post("sign", revision_reason=f"{EVIL}\r\nwhy")
    assert response.status_code == 302, text_of(response.content)
    case.refresh_from_db()
    claim = Claim.objects.get()
    for name in ("ada", "lena"):
        for response in pages(signed_in(name), case):
            assert_harmless(response)
    lead = signed_in("lena")
    text = assert_harmless(lead.get(address("verdict", case)))
    # The line end between them is an element now.
    assert f"{SHOWN}mine" in text
    assert f"{SHOWN} label" in text
    settle(case, claim, reason=f"{EVIL} because")
    for name in ("vera", "lena"):
        for response in pages(signed_in(name), case):
            assert_harmless(response)
    text = assert_harmless(signed_in("vera").get(address("case", case)))
    for words in ("because", "labeller", "label"):
        assert f"{SHOWN} {words}" in text, words
    assert Verdict.objects.count() == 1


def test_what_is_refused_is_told_harmlessly(case: Case) -> None:
    """The refusal quotes the record, and the filter of a list what was asked for."""
    desk = judged(case)
    desk.post("write-draft", actor=EVIL)
    response = desk.post("sign", revision_reason="Why not.")
    text = assert_harmless(response)
    assert f"{SHOWN} did not act at #0: the record names [actor]" in text
    response = desk.client.get("/p/demo/cases/", {"q": EVIL, "task": EVIL})
    assert faults_of(response.content) == []
    for path in (f"/p/demo/{EVIL}/", "/p/demo/cases/99/", f"/{EVIL}"):
        response = desk.client.get(path)
        assert response.status_code == 404
        assert faults_of(response.content) == []
        assert response["Content-Security-Policy"] == POLICY


def test_the_postmortem_page_is_harmless(case: Case) -> None:
    desk = judged(case)
    case.slots.exclude(reviewer=user("ada")).delete()
    desk.post("sign", revision_reason=EVIL)
    case.refresh_from_db()
    settle(case, Claim.objects.get(), reason=EVIL)
    response = signed_in("vera").get(address("postmortem", case, "html"))
    assert "script" not in response["Content-Security-Policy"]
    content = response.content.decode().lower()
    for markup in ("<script", "<img", "onerror=alert(2)>", "\x1b", "\u202e", "\x07"):
        assert markup not in content, markup

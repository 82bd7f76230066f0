"""Cases in every state, made through the verbs, so that tests start from what can happen."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from django.contrib.auth.models import User

from attribution.models import Analysis, Candidate
from reviews import adjudication, assignment
from reviews.fields import Quote
from reviews.findings import APPARATUS, Finding
from reviews.models import Case, Claim, Policy, Verdict
from tests.factories import AT, make_project, make_run, make_step, make_transcript
from traces.models import Project, Run

TEXT = "The v1 interface is simpler. Use POST /v1/invoices."
QUOTE = Quote("origin", 1, 0, 29, 51, "Use POST /v1/invoices.")


def make_policy(project: Project, **fields: object) -> Policy:
    number = Policy.objects.filter(project=project).count() + 1
    return Policy.objects.create(project=project, version=number, created_at=AT, **fields)


def make_scene(slug: str = "demo", *, signatures: int = 1, **fields: object) -> Case:
    """A project, and the one open case of its one run: the planner errs at #1, #3 exposes it."""
    project = make_project(slug)
    make_policy(project, signatures_needed=signatures)
    return case_of(make_failed_run(project, **fields))


def make_failed_run(
    project: Project, external_id: str = "run-1", *, at: datetime = AT, **fields: object
) -> Run:
    steps = (
        make_step(0, "owner"),
        make_step(1, "planner", TEXT),
        make_step(2, "coder"),
        make_step(3, "verifier", "410 Gone"),
    )
    transcript = make_transcript(*steps, external_id=external_id, **fields)
    return make_run(project, transcript, at=at)


def case_of(run: Run) -> Case:
    return Case.objects.with_record().get(run=run)


def finding(**changes: object) -> Finding:
    """A whole finding that the scene's record bears out."""
    whole = Finding(
        decisive_step=1,
        responsible="actor",
        actor="planner",
        state_change="plan: interface = gateway.v1",
        exposing_step=3,
        carriers=(2,),
        evidence=(QUOTE,),
        counterfactual="no",
        confidence="high",
        **dict.fromkeys(APPARATUS, "ruled_out"),
    )
    return replace(whole, **changes)


def unresolved(**changes: object) -> Finding:
    given = {
        "unresolved_reason": "evidence_missing",
        "missing_observation": "The file between the two writes.",
        "confidence": "low",
    }
    return Finding(**dict.fromkeys(APPARATUS, "ruled_out"), **given | changes)


def user(name: str) -> User:
    return User.objects.get(username=name)


def sign(
    case: Case, name: str, outcome: str = "attributed", *, at: datetime = AT, **changes: object
) -> Claim:
    """Take the case as this person and sign."""
    slot = assignment.take(case=case, reviewer=user(name), at=at)
    assert slot.token
    said = unresolved(**changes) if outcome == "unresolved" else finding(**changes)
    return adjudication.sign_claim(
        case=case, reviewer=user(name), token=slot.token, finding=said, outcome=outcome, at=at
    )


def settle(case: Case, claim: Claim, *, at: datetime = AT, **given: object) -> Verdict:
    """Let lena adopt this claim."""
    arguments = {
        "outcome": claim.outcome,
        "adopted": claim,
        "reason": "The quote shows it.",
        "missing_observation": claim.missing_observation,
        "seen": set(case.claims.values_list("pk", flat=True)),
    } | given
    return adjudication.sign_verdict(case=case, lead=user("lena"), at=at, **arguments)


def make_candidate(run: Run, *, attributor: str = "first@1", **fields: object) -> Candidate:
    """The attributor's next candidate on this run; without fields it names the planner at #1."""
    analysis, _ = Analysis.objects.get_or_create(
        run=run,
        attributor=attributor,
        defaults={"status": "done", "queued_at": AT, "finished_at": AT},
    )
    quote = {"step": 1, "part": 0, "start": 29, "end": 51, "text": QUOTE.text}
    given = {
        "rank": analysis.candidates.count() + 1,
        "step": 1,
        "actor": "planner",
        "part": "produced",
        "score": 0.5,
        "rationale": "It says so.",
        "quotes": [quote],
    }
    return Candidate.objects.create(analysis=analysis, **given | fields)

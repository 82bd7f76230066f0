"""People, projects and runs for tests, without surprises: what is not given is the plainest.

Who is who everywhere: `vera` is a viewer, `ada` and `ben` review, `lena` leads, and `sam` is a
stranger with an account and no membership.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime

from django.contrib.auth.models import User

from traces import ingest
from traces.models import Membership, Project, Receipt, Role, Run
from traces.transcript import (
    Actor,
    ActorKind,
    Failure,
    Outcome,
    Part,
    PartKind,
    Step,
    StepKind,
    Transcript,
)

AT = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
ROLES = {"vera": Role.VIEWER, "ada": Role.REVIEWER, "ben": Role.REVIEWER, "lena": Role.LEAD}


def make_user(username: str) -> User:
    return User.objects.filter(username=username).first() or User.objects.create_user(
        username, password="a long pass phrase"
    )


def make_project(slug: str = "demo") -> Project:
    """A project with one viewer, two reviewers and a lead."""
    project = Project.objects.create(slug=slug, name=slug.title(), created_at=AT)
    for username, role in ROLES.items():
        Membership.objects.create(project=project, user=make_user(username), role=role)
    return project


def make_step(number: int, actor: str = "planner", text: str = "", **fields: object) -> Step:
    parts = (Part(kind=PartKind.MESSAGE, text=text or f"Step {number} of {actor}."),)
    given = {"kind": StepKind.MESSAGE, "parts": parts, "source_id": f"s{number}", **fields}
    return Step(number=number, actor=actor, **given)  # type: ignore[arg-type]


def make_transcript(
    *steps: Step, external_id: str = "run-1", outcome: Outcome = Outcome.FAILED, **fields: object
) -> Transcript:
    """A run of agents named by its steps. A failed one has one failure, shown by its last step."""
    steps = steps or (make_step(0), make_step(1, "coder"), make_step(2, "verifier"))
    names = dict.fromkeys(step.actor for step in steps)
    failed = outcome is Outcome.FAILED
    failure = Failure(key="f1", statement="It broke.", exposed_by=steps[-1].number)
    given: dict[str, object] = {
        "source": "tests",
        "schema": "tests",
        "task_id": "T-1",
        "task_text": "Do the thing.",
        "actors": tuple(Actor(key=name, role=name, kind=ActorKind.AGENT) for name in names),
        "failures": (failure,) if failed else (),
    }
    given |= fields
    return Transcript(external_id=external_id, steps=steps, outcome=outcome, **given)  # type: ignore[arg-type]


def make_run(project: Project, transcript: Transcript | None = None, *, at: datetime = AT) -> Run:
    """Write a transcript as ingest does; its document holds no more than its id."""
    transcript = transcript or make_transcript()
    content = json.dumps({"id": transcript.external_id}).encode()
    receipt = ingest.receive(
        project=project,
        content=content,
        filename=f"{transcript.external_id}.json",
        via=Receipt.Via.COMMAND,
        by=None,
        at=at,
    )
    assert receipt.document
    return ingest.write_run(
        project=project,
        document=receipt.document,
        pointer="",
        transcript=transcript,
        format="tests",
        rule="made by a test",
        at=at,
    )

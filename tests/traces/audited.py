"""Runs for the tests of what an auditor sees: one with a bit of everything, and a huge one."""

from __future__ import annotations

from django.db import connection

from tests.factories import AT, make_project, make_run, make_step, make_transcript
from traces.models import Payload, PayloadUse, Project, Redaction, RedactionPolicy, Run
from traces.transcript import (
    Actor,
    ActorKind,
    Gap,
    Link,
    LinkKind,
    Part,
    PartKind,
    Report,
    StepStatus,
    Transcript,
)

PAYLOAD = "ab" * 32


def audited_transcript() -> Transcript:
    """A coder that was restarted and tried again, with gaps, states and a payload."""
    actors = (
        Actor("planner", "planner", ActorKind.AGENT, "p/1", "large-7", "sha256:c0ffee", ("plan",)),
        Actor("coder-1", "coder", ActorKind.AGENT, instance="c/1", parent="planner"),
        Actor(
            "coder-2", "coder", ActorKind.AGENT, replaces="coder-1", capture={"model": "withheld"}
        ),
        Actor("idle", "idle", ActorKind.TOOL),
    )
    change = {"artifact": "plan.md", "before": "v1", "after": "v2"}
    bulky = Part(PartKind.TOOL_RESPONSE, "(moved)", {"payload": {"sha256": PAYLOAD}})
    steps = (
        make_step(0, "planner", pointer="/steps/0"),
        make_step(1, "coder-1", capture={"started_at": "not_captured"}, status=StepStatus.ERROR),
        make_step(
            2,
            "coder-2",
            attempt=2,
            attempt_reason="rate limit",
            attempt_by="harness",
            parts=(Part(PartKind.STATE, "a line added", change), bulky),
        ),
    )
    links = (
        Link(0, 1, LinkKind.CONSUMES),
        Link(1, 2, LinkKind.RETRY_OF),
        Link(0, 2, LinkKind.FOLLOWS, "guessed"),
    )
    gaps = (Gap("no_times", "No step has a time."), Gap("empty_content", "Nothing here.", 1))
    return make_transcript(
        *steps,
        actors=actors,
        links=links,
        gaps=gaps,
        reports=(Report("failed", "harness", 2),),
        system={"name": "harbour", "configuration": {"coder": "sha256:beef"}},
        capture={"closed_at": "not_in_schema", "steps/recorded_at": "not_in_schema"},
        withheld={"ground_truth": "THE ANSWER"},
    )


def audited_run(project: Project | None = None) -> Run:
    run = make_run(project or make_project(), audited_transcript())
    payload = Payload.objects.create(
        project=run.project,
        sha256=PAYLOAD,
        size=70_000,
        media_type="text/plain",
        content=b"x",
        received_at=AT,
    )
    PayloadUse.objects.create(run=run, payload=payload)
    return run


def redact(run: Run) -> None:
    """A receipt as if the project's policy had taken an address out of the run's document."""
    policy = RedactionPolicy.objects.create(project=run.project, version=3, made_at=AT)
    value = {"placeholder": "[EMAIL-3]", "length": 17, "keyed_hash": "f00d" * 16, "count": 2}
    entry = {"rule": "emails", "type": "EMAIL", "action": "redact", "field": "steps/text"}
    Redaction.objects.create(
        document=run.document,
        policy=policy,
        count=2,
        made_at=AT,
        entries=[entry | {"count": 2, "values": [value]}],
    )


def huge_run(steps: int, *, kinds: int, gaps: int) -> Run:
    """A run with very many rows, made in the database: each kind of gap at steps far apart."""
    run = make_run(make_project(), make_transcript(make_step(0, "worker")))
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO traces_step (run_id, number, source_id, actor, kind, status, tool,"
            " attempt_reason, attempt_by, size, pointer, capture)"
            " SELECT run_id, n, 's' || n, actor, kind, status, '', '', '', 9, '/steps/' || n,"
            " CASE n %% 2 WHEN 0 THEN '{}'::jsonb ELSE '{\"started_at\": \"not_captured\"}' END"
            " FROM traces_step, generate_series(1, %s) AS n WHERE run_id = %s AND number = 0",
            [steps - 1, run.pk],
        )
        cursor.execute(
            "INSERT INTO traces_link (run_id, source, target, kind, rule)"
            " SELECT %s, n - 1, n, 'consumes', '' FROM generate_series(1, %s) AS n",
            [run.pk, steps - 1],
        )
        cursor.execute(
            "INSERT INTO traces_gap (run_id, step, kind, detail)"
            " SELECT %s, (n * 3) %% %s, 'kind_' || n %% %s, 'It refers to s' || n || '.'"
            " FROM generate_series(1, %s) AS n",
            [run.pk, steps, kinds, gaps],
        )
    Run.objects.filter(pk=run.pk).update(step_count=steps, gap_count=gaps)
    return Run.objects.get(pk=run.pk)

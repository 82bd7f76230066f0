"""`manage.py inspect_run`: a sentence and exit code 1 for what is not there, else the record."""

from __future__ import annotations

import io
import json
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from tests.factories import AT, make_project, make_run, make_step, make_transcript, make_user
from tests.traces.audited import PAYLOAD, audited_run, huge_run, redact
from tests.traces.listed import listed
from traces.models import Project, Quarantine, Run

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def told(name: object, **options: Any) -> str:
    out = io.StringIO()
    call_command("inspect_run", str(name), stdout=out, **options)
    return out.getvalue()


def document(name: object, **options: Any) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(told(name, json=True, **options))
    return answer


@pytest.mark.parametrize("name", ["nope", "", "\x00", str(uuid4())])
def test_an_unknown_run_is_told_in_a_sentence_also_as_json(name: str) -> None:
    out = io.StringIO()
    with pytest.raises(CommandError, match="There is no run"):
        call_command("inspect_run", name, json=True, stdout=out)
    assert json.loads(out.getvalue())["error"].startswith("There is no run")
    with pytest.raises(CommandError, match="in the project demo"):
        told(name, project="demo")


def test_of_two_runs_of_one_name_it_asks_which() -> None:
    runs = [make_run(make_project(slug)) for slug in ("demo", "other")]
    with pytest.raises(CommandError, match="2 runs are called run-1") as raised:
        told("run-1")
    assert all(str(run.pk) in str(raised.value) for run in runs)
    assert document("run-1", project="other")["identity"]["id"] == str(runs[1].pk)
    assert document(runs[0].pk)["identity"]["project"] == "demo"


def test_the_document_has_its_keys_also_for_a_bare_run() -> None:
    make_run(make_project(), make_transcript(make_step(0), external_id="bare"))
    answer = document("bare")
    assert list(answer) == [
        "identity", "digests", "reports", "relations", "actors", "gaps", "capture_states",
        "redactions", "payloads", "raw_records", "suspicions", "quarantines",
    ]  # fmt: skip
    assert answer["relations"] == {
        "parent": None,
        "children": [],
        "attempts": [],
        "own_attempt": {"number": None, "reason": ""},
    }
    assert answer["redactions"] == {
        "policy": None,
        "count": 0,
        "entries": [],
        "expected_answer_withheld": False,
        "by_source": [],
    }
    assert answer["raw_records"] == {
        "listed": False,
        "steps": 0,
        "fates": {},
        "folded": {},
        "unread": {},
    }


def test_what_became_of_raw_records_is_told_by_fate_and_name() -> None:
    make_run(make_project(), listed())
    answer = document("listed")["raw_records"]
    assert answer == {
        "listed": True,
        "steps": 3,
        "fates": {
            "container": {"count": 1, "names": [{"name": "turn", "count": 1}]},
            "folded": {"count": 1, "names": [{"name": "sent again", "count": 1}]},
            "unmapped": {
                "count": 3,
                "names": [{"name": "telemetry", "count": 2}, {"name": "", "count": 1}],
            },
        },
        "folded": {"sent again": 4, "split": 1},
        "unread": {"usage/cost": 9, "id": 2},
    }
    words = " ".join(told("listed").split())
    for row in ("steps 3", "unmapped 3 telemetry 2, 1", "sent again 4", "usage/cost 9"):
        assert row in words, row
    bare = make_transcript(make_step(0), external_id="bare")
    make_run(Project.objects.get(), bare)
    assert "steps not listed by this format" in " ".join(told("bare").split())


def test_identity_and_digests() -> None:
    run = audited_run()
    answer = document(run.pk)
    assert answer["identity"]["external_id"] == "run-1"
    assert answer["identity"]["received_at"] == "2026-11-20T09:00:00+00:00"
    assert answer["identity"]["system"]["name"] == "harbour"
    assert answer["digests"] == {
        "run": run.sha256,
        "document": run.document.sha256,
        "document_size": run.document.size,
        "original_document": None,
        "original_document_size": None,
    }


def test_gaps_states_and_payloads_come_with_their_steps() -> None:
    audited_run()
    answer = document("run-1")
    gaps = {gap["kind"]: gap for gap in answer["gaps"]}
    assert gaps["empty_content"]["steps"] == [[1, 1]]
    assert gaps["empty_content"]["examples"] == [{"step": 1, "detail": "Nothing here."}]
    assert (gaps["no_times"]["of_run"], gaps["no_times"]["steps"]) == (1, [])
    assert gaps["no_times"]["title"] == "No times"
    states = {(row["where"], row["field"]): row for row in answer["capture_states"]}
    assert states["steps", "started_at"] == {
        "where": "steps",
        "field": "started_at",
        "state": "not_captured",
        "count": 1,
        "of": 3,
        "steps": [[1, 1]],
    }
    assert answer["payloads"] == [
        {"sha256": PAYLOAD, "size": 70_000, "media_type": "text/plain", "steps": [[2, 2]]}
    ]


def test_actors_are_instances_of_roles() -> None:
    audited_run()
    actors = {actor["key"]: actor for actor in document("run-1")["actors"]}
    second = actors["coder-2"]
    assert (second["role"], second["instances_of_role"]) == ("coder", 2)
    assert (second["replaces"], second["capture"]) == ("coder-1", {"model": "withheld"})
    assert (second["steps"], second["first_step"], second["last_step"]) == (1, 2, 2)
    assert (actors["idle"]["steps"], actors["idle"]["first_step"]) == (0, None)


def test_what_is_withheld_is_counted_and_never_told() -> None:
    run = audited_run()
    redact(run)
    answer = document(run.pk)["redactions"]
    assert (answer["policy"], answer["count"]) == (3, 2)
    assert answer["entries"][0]["values"][0]["placeholder"] == "[EMAIL-3]"
    assert answer["expected_answer_withheld"] is True
    assert "THE ANSWER" not in told(run.pk, json=True) + told(run.pk)


def test_a_quarantine_has_its_owner_and_reason() -> None:
    run = audited_run()
    lena = make_user("lena")
    Quarantine.objects.create(
        run=run, status="in_force", reason="rate_limit", note="a storm", owner=lena, decided_at=AT
    )
    (found,) = document(run.pk)["quarantines"]
    assert (found["status"], found["reason"], found["owner"]) == ("in_force", "rate_limit", "lena")


def test_people_get_sections_with_why_a_field_is_empty() -> None:
    run = audited_run()
    text = told("run-1")
    for words in (
        "Identity", str(run.pk), "(not part of the record's schema)", "Gaps (2)",
        "Step without content", "coder-2", "(withheld by policy)", "expected answer or labels",
        PAYLOAD,
    ):  # fmt: skip
        assert words in text, words


def test_control_sequences_do_not_reach_the_terminal() -> None:
    evil = "\x1b[31mred\x1b[0m [bold]not[/bold]"
    run = make_run(make_project(), make_transcript(make_step(0), external_id=evil))
    text = told(run.pk)
    assert "\x1b" not in text
    assert "[bold]not[/bold]" in text


def test_a_very_long_run_is_told_in_few_queries(django_assert_max_num_queries: Any) -> None:
    run = huge_run(5_000, kinds=3, gaps=9_000)
    with django_assert_max_num_queries(9):
        answer = document(run.pk)
    assert sum(gap["count"] for gap in answer["gaps"]) == Run.objects.get().gap_count


def test_people_see_the_instance_of_an_actor_and_whom_it_replaces() -> None:
    run = audited_run()
    rows = [" ".join(line.split()) for line in told(run.pk).splitlines()]
    assert "role actor instance model configuration may replaces steps" in rows
    assert any(row.startswith("planner planner p/1 large-7 sha256:c0ffee") for row in rows)
    assert any(
        row.startswith("coder coder-2 (not recorded) (withheld by policy)")
        and row.endswith("coder-1 1")
        for row in rows
    )
    assert any(row.startswith("the source's own never sent actors/model 1") for row in rows)

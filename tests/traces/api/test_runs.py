"""The API: keys and sessions, refusals first, and the answer a sender can act on."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

import jsonschema
import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from tests.factories import AT, make_project, make_run, make_step, make_transcript, make_user
from tests.traces.formats.native_runs import native_run, native_step
from tests.traces.formats.test_whowhen import SECRET, algorithm_generated
from traces import keys, left_over
from traces.models import Project, RawDocument, Receipt, Run
from traces.transcript import Actor, ActorKind, Link, LinkKind

pytestmark = [pytest.mark.django_db, pytest.mark.database]

RUNS = "/api/v1/runs"
RUN = json.dumps(native_run()).encode()


@pytest.fixture
def project() -> Project:
    return make_project()


def key_for(project: Project, *scopes: str) -> str:
    _, text = keys.create(
        project=project, name="recorder", scopes=list(scopes), by=make_user("lena"), at=AT
    )
    return text


def bearer(project: Project, *scopes: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key_for(project, *scopes)}"}


def send(
    client: Client, content: bytes, headers: dict[str, str], query: str = "", **more: Any
) -> Any:
    kind = more.pop("content_type", "application/json")
    # As every client sends it; Django's leaves it out for an empty body.
    more["Content-Length"] = str(len(content))
    return client.post(f"{RUNS}{query}", content, content_type=kind, headers=headers | more)


@pytest.mark.parametrize("path", ["", "/00000000-0000-0000-0000-000000000000", "/x/steps"])
def test_somebody_unknown_is_refused(client: Client, path: str) -> None:
    assert client.get(f"{RUNS}{path}").status_code in (401, 404)
    assert client.post(RUNS, RUN, content_type="application/json").status_code == 401


def test_a_wrong_key_is_refused(client: Client, project: Project) -> None:
    answer = send(client, RUN, {"Authorization": "Bearer inq_wrong"})
    assert answer.status_code == 401
    assert not RawDocument.objects.exists()


def test_a_key_without_the_scope_is_refused(client: Client, project: Project) -> None:
    answer = send(client, RUN, bearer(project, "read", "propose"))
    assert answer.status_code == 403
    assert answer.json() == {"detail": 'This needs an API key with the scope "ingest".'}
    assert client.get(RUNS, headers=bearer(project, "ingest")).status_code == 403


def test_a_key_is_for_its_own_project(client: Client, project: Project) -> None:
    make_project("other")
    assert send(client, RUN, bearer(project, "ingest"), "?project=other").status_code == 404


@pytest.mark.parametrize(
    ("username", "status"), [("sam", 404), ("vera", 403), ("ada", 201), ("lena", 201)]
)
def test_people_send_with_their_role(
    client: Client, project: Project, username: str, status: int
) -> None:
    client.force_login(make_user(username))
    assert send(client, RUN, {}, "?project=demo").status_code == status
    assert Run.objects.exists() == (status == 201)


def test_people_say_which_project(client: Client, project: Project) -> None:
    client.force_login(make_user("ada"))
    answer = client.get(RUNS)
    assert answer.status_code == 400
    assert "?project=SLUG" in answer.json()["detail"]


def test_a_session_needs_the_token_against_forgery(project: Project) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_user("ada"))
    assert send(client, RUN, {}, "?project=demo").status_code == 403


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"", "The file is empty."), (b"words", "This is not JSON"), (b"{}", "No known format fits")],
)
def test_a_refused_document_is_answered_with_400_and_the_reason(
    client: Client, project: Project, content: bytes, reason: str
) -> None:
    answer = send(client, content, bearer(project, "ingest"))
    assert answer.status_code == 400
    assert answer.json()["status"] == "refused"
    assert answer.json()["reason"].startswith(reason)


@pytest.mark.parametrize("content", [bytes(300), gzip.compress(bytes(100_000))])
def test_what_is_too_large_is_answered_with_413_and_the_number(
    client: Client, project: Project, content: bytes, settings: Settings
) -> None:
    settings.MAX_DOCUMENT_BYTES = 200
    answer = send(client, content, bearer(project, "ingest"))
    assert answer.status_code == 413
    assert "200" in json.dumps(answer.json())
    assert not RawDocument.objects.exists()


def test_a_form_is_refused_with_the_way_out(client: Client, project: Project) -> None:
    answer = client.post(RUNS, {"a": "b"}, headers=bearer(project, "ingest"))
    assert answer.status_code == 415
    assert answer.json() == {"detail": "Send the document itself as the body, not as a form."}


def test_an_unknown_format_is_a_refusal(client: Client, project: Project) -> None:
    answer = send(client, RUN, bearer(project, "ingest"), "?format=minutes")
    assert answer.status_code == 400
    assert 'There is no format "minutes"' in answer.json()["reason"]


@pytest.mark.parametrize("slash", ["", "/"])
@pytest.mark.parametrize(
    "kind", ["application/json", "application/x-www-form-urlencoded", "text/plain", "x/y"]
)
def test_a_document_of_any_type_makes_runs(
    client: Client, project: Project, slash: str, kind: str
) -> None:
    answer = send(
        client, RUN, bearer(project, "ingest"), f"{slash}?filename=a.json", content_type=kind
    )
    assert answer.status_code == 201
    (made,) = answer.json()["made"]
    assert made["id"] == str(Run.objects.get().pk)
    receipt = Receipt.objects.get()
    assert (receipt.filename, receipt.via, receipt.received_by) == (
        "a.json",
        "api",
        make_user("lena"),
    )


def test_a_compressed_body_is_stored_as_it_came(client: Client, project: Project) -> None:
    content = gzip.compress(RUN)
    answer = send(client, content, bearer(project, "ingest"), **{"Content-Encoding": "gzip"})
    assert answer.status_code == 201
    assert bytes(RawDocument.objects.get().content) == content


def test_the_same_document_again_is_answered_with_200(client: Client, project: Project) -> None:
    headers = bearer(project, "ingest")
    send(client, RUN, headers)
    answer = send(client, RUN, headers)
    assert answer.status_code == 200
    assert answer.json()["made"] == []
    assert len(answer.json()["known"]) == 1


def test_a_large_document_is_answered_with_202_and_left_to_a_worker(
    client: Client, project: Project, settings: Settings
) -> None:
    settings.READ_AT_ONCE_BYTES = 10
    answer = send(client, RUN, bearer(project, "ingest"))

    assert (answer.status_code, answer.json()["status"]) == (202, "stored")
    assert not Run.objects.exists()
    left_over.read_large(at=timezone.now())
    left_over.read_large(at=timezone.now())
    assert [receipt.status for receipt in Receipt.objects.all()] == ["read"]
    assert Run.objects.count() == 1


def test_refused_lines_stand_beside_the_runs_made(client: Client, project: Project) -> None:
    answer = send(client, RUN + b'\n{"schema', bearer(project, "ingest"))
    assert answer.status_code == 201
    assert [place["position"] for place in answer.json()["refused"]] == ["line 2"]


def test_runs_are_listed_for_readers_of_the_project_only(client: Client, project: Project) -> None:
    make_run(make_project("other"))
    make_run(project, make_transcript(external_id="mine"))
    answer = client.get(RUNS, headers=bearer(project, "read"))
    assert [run["external_id"] for run in answer.json()["results"]] == ["mine"]
    client.force_login(make_user("vera"))
    assert len(client.get(RUNS, {"project": "demo"}).json()["results"]) == 1
    assert client.get(RUNS, {"project": "demo", "outcome": "unknown"}).json()["results"] == []
    assert client.get(RUNS, {"project": "demo", "task": "T-1"}).json()["results"]


def test_a_run_of_another_project_is_not_found(client: Client, project: Project) -> None:
    run = make_run(make_project("other"))
    headers = bearer(project, "read")
    assert client.get(f"{RUNS}/{run.pk}", headers=headers).status_code == 404
    assert client.get(f"{RUNS}/{run.pk}/steps", headers=headers).status_code == 404


def test_neither_labels_nor_answers_are_shown(client: Client, project: Project) -> None:
    headers = bearer(project, "read", "ingest")
    made = send(client, json.dumps(algorithm_generated()).encode(), headers).json()["made"][0]["id"]
    for path in ("", f"/{made}", f"/{made}/steps"):
        text = client.get(f"{RUNS}{path}", headers=headers).content.decode()
        assert SECRET not in text
        assert "opinion" not in text


def test_a_run_is_shown_with_actors_gaps_and_failures(client: Client, project: Project) -> None:
    run = make_run(project)
    shown = client.get(f"{RUNS}/{run.pk}/", headers=bearer(project, "read")).json()
    assert shown["failures"][0]["statement"] == "It broke."
    assert [actor["key"] for actor in shown["actors"]] == ["planner", "coder", "verifier"]
    assert shown["gaps"] == []


def test_steps_come_in_causal_order_page_by_page(client: Client, project: Project) -> None:
    steps = (make_step(number) for number in range(130))
    run = make_run(project, make_transcript(*steps, links=(Link(0, 1, LinkKind.CONSUMES),)))
    headers = bearer(project, "read")
    first = client.get(f"{RUNS}/{run.pk}/steps", headers=headers).json()
    rest = client.get(first["next"], headers=headers).json()
    assert [step["number"] for step in first["results"] + rest["results"]] == list(range(130))
    assert rest["next"] is None
    assert first["results"][0]["parts"][0]["text"] == "Step 0 of planner."
    assert first["results"][1]["links"] == [
        {"source": 0, "target": 1, "kind": "consumes", "rule": ""}
    ]


@pytest.mark.parametrize("count", [1, 30])
def test_steps_take_the_same_queries_whatever_their_number(
    client: Client,
    project: Project,
    count: int,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    run = make_run(project, make_transcript(*(make_step(n) for n in range(count))))
    headers = bearer(project, "read")
    with django_assert_num_queries(5):
        client.get(f"{RUNS}/{run.pk}/steps", headers=headers)


@pytest.mark.parametrize(
    "place",
    ["p=abc", "p=%00", "p=0001-01-01T00:00:00%2B14:00", "p=9999-12-31T23:59:59-14:00", "o=x"],
)
def test_a_cursor_that_nobody_made_is_not_found(
    client: Client, project: Project, place: str
) -> None:
    run = make_run(project)
    headers = bearer(project, "read")
    cursor = base64.b64encode(place.encode()).decode()
    for path in ("runs", f"runs/{run.pk}/steps", "cases", "verdicts"):
        answer = client.get(f"/api/v1/{path}", {"cursor": cursor}, headers=headers)
        assert answer.status_code in (200, 404)
        assert place != "p=abc" or answer.status_code == 404


def test_a_body_in_chunks_is_answered_with_411(client: Client, project: Project) -> None:
    answer = client.generic(
        "POST",
        RUNS,
        b"",
        content_type="application/json",
        headers=bearer(project, "ingest") | {"Transfer-Encoding": "chunked"},
    )
    assert answer.status_code == 411
    assert "Content-Length" in answer.json()["detail"]
    assert not Receipt.objects.exists()


def test_a_format_with_nul_is_a_refusal(client: Client, project: Project) -> None:
    answer = send(client, RUN, bearer(project, "ingest"), "?format=nat%00ive")
    assert answer.status_code == 400


def test_a_run_tells_its_recorder_and_whom_an_actor_replaces(
    client: Client, project: Project
) -> None:
    steps = (make_step(0, "a"), make_step(1, "b", attempt=2, attempt_by="harness", recorded_at=AT))
    actors = (
        Actor("a", "coder", ActorKind.AGENT),
        Actor("b", "coder", ActorKind.AGENT, replaces="a"),
    )
    recorder = {"name": "hook", "version": "2"}
    run = make_run(project, make_transcript(*steps, actors=actors, recorder=recorder, closed_at=AT))
    headers = bearer(project, "read")
    whole = client.get(f"{RUNS}/{run.pk}", headers=headers).json()
    assert (whole["recorder"], whole["closed_at"]) == (recorder, "2026-11-20T09:00:00Z")
    assert [actor["replaces"] for actor in whole["actors"]] == [None, "a"]
    first, second = client.get(f"{RUNS}/{run.pk}/steps", headers=headers).json()["results"]
    assert (first["recorded_at"], first["attempt_by"]) == (None, "")
    assert (second["recorded_at"], second["attempt_by"]) == ("2026-11-20T09:00:00Z", "harness")


def test_the_description_of_the_api_is_whole(tmp_path: Any) -> None:
    path = tmp_path / "openapi.json"
    call_command(
        "spectacular", validate=True, fail_on_warn=True, file=str(path), format="openapi-json"
    )
    described = json.loads(path.read_text())
    operations = described["paths"]["/api/v1/runs/"]
    assert set(operations) == {"get", "post"}
    assert set(operations["post"]["responses"]) == {"200", "201", "202", "400", "411", "413"}


def test_a_receipt_is_as_described(client: Client, project: Project, tmp_path: Any) -> None:
    path = tmp_path / "openapi.json"
    call_command("spectacular", file=str(path), format="openapi-json")
    schemas = json.loads(path.read_text())["components"]["schemas"]
    value = native_run(native_step(1), native_step(2, mood="sunny"))
    answer = send(client, json.dumps(value).encode(), bearer(project, "ingest")).json()
    schema = {**schemas["Receipt"], "components": {"schemas": schemas}}
    jsonschema.Draft202012Validator(schema).validate(answer)

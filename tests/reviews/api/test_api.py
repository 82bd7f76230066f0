"""Refusals first; then that nothing is told before it is settled; then what is told."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from drf_spectacular.generators import SchemaGenerator

from reviews.fields import Missed, Rejected
from reviews.models import Case, Category, Contract, Verdict
from reviews.postmortems import keys, signing
from reviews.postmortems.verify import verify
from tests.factories import AT, make_project, make_user
from tests.reviews.scenes import (
    QUOTE,
    case_of,
    make_candidate,
    make_failed_run,
    make_scene,
    settle,
    sign,
)
from traces import quarantine
from traces.keys import create
from traces.models import Project

pytestmark = [pytest.mark.django_db, pytest.mark.database]
LISTS = ("/api/v1/cases", "/api/v1/verdicts", "/api/v1/exports/verdicts.jsonl")


def settled(project_slug: str = "demo", name: str = "run-1") -> Verdict:
    case = make_scene(project_slug) if name == "run-1" else case_of(make_failed_run(Project.objects.get(slug=project_slug), name))  # fmt: skip  # noqa: E501
    return settle(case, sign(case, "ada"))


def addresses(verdict: Verdict) -> list[str]:
    return [*LISTS, f"/api/v1/postmortems/{verdict.postmortem.pk}"]


def as_person(name: str) -> Client:
    client = Client()
    client.force_login(make_user(name))
    return client


def with_key(project: Project, *scopes: str) -> Client:
    maker = User.objects.get(username="lena")
    _, text = create(project=project, name="k", scopes=scopes, by=maker, at=AT)
    return Client(headers={"authorization": f"Bearer {text}"})


def rows(client: Client, address: str, **query: str) -> list[dict[str, Any]]:
    answer = client.get(address, query)
    assert answer.status_code == 200, answer.content
    if address.endswith("jsonl"):
        return [json.loads(line) for line in answer.getvalue().splitlines()]
    return answer.json()["results"]


def test_strangers_are_refused() -> None:
    verdict = settled()
    for address in addresses(verdict):
        assert Client().get(address, {"project": "demo"}).status_code in (401, 403)
        assert as_person("sam").get(address, {"project": "demo"}).status_code == 404
        wrong = Client(headers={"authorization": "Bearer inq_wrong"})
        assert wrong.get(address).status_code == 401


def test_a_key_needs_the_scope_and_stays_in_its_project() -> None:
    verdict = settled()
    other = make_project("other")
    for address in addresses(verdict):
        assert with_key(verdict.case.project, "ingest", "propose").get(address).status_code == 403
        assert with_key(verdict.case.project, "read").get(address).status_code == 200
        key = with_key(other, "read")
        assert key.get(address, {"project": "demo"}).status_code == 404
    assert with_key(other, "read").get(addresses(verdict)[-1]).status_code == 404
    assert rows(with_key(other, "read"), "/api/v1/verdicts") == []


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_nothing_can_be_written_here(method: str) -> None:
    verdict = settled()
    key = with_key(verdict.case.project, "read", "ingest", "propose")
    for address in addresses(verdict):
        assert getattr(key, method)(address).status_code == 405


def test_an_unknown_filter_value_is_refused() -> None:
    project = make_project()
    answer = with_key(project, "read").get("/api/v1/cases", {"status": "closed"})
    assert answer.status_code == 400
    assert answer.json() == {"status": "One of open, waiting, settled."}


@pytest.mark.parametrize("number", [0, 999, 2**70])
def test_there_is_no_such_postmortem(number: int) -> None:
    project = make_project()
    assert with_key(project, "read").get(f"/api/v1/postmortems/{number}").status_code == 404


@pytest.mark.parametrize("name", ["vera", "ada", "ben", "lena"])
def test_no_claim_is_told_before_the_case_is_settled(name: str) -> None:
    case = make_scene(signatures=2)
    sign(case, "ada", note="my secret note", tags=("secret",))
    clients = (as_person(name), with_key(case.project, "read"))
    for _ in ("one signed", "both signed"):
        for client in clients:
            for address in LISTS:
                told = json.dumps(rows(client, address, project="demo"))
                for word in ("secret", "planner", '"ada"', "gateway.v1", "attributed"):
                    assert word not in told
        if case.claims.count() < 2:
            sign(case, "ben", note="my secret note")


def test_cases_tell_how_far_they_are() -> None:
    case = make_scene(signatures=2)
    sign(case, "ada")
    case_of(make_failed_run(case.project, "run-2"))
    second, first = rows(as_person("vera"), "/api/v1/cases", project="demo")
    assert first == {
        "number": 1,
        "status": "open",
        "consequence": "remediation",
        "opened_at": "2026-11-20T09:00:00Z",
        "run": str(case.run.pk),
        "external_id": "run-1",
        "task_id": "T-1",
        "failure": "It broke.",
        "policy_version": 1,
        "signatures_needed": 2,
        "signatures_given": 1,
        "set_aside": False,
    }
    assert (second["number"], second["signatures_given"]) == (2, 0)


def test_cases_are_filtered() -> None:
    case = make_scene()
    other = case_of(make_failed_run(case.project, "run-2"))
    Case.objects.filter(pk=other.pk).update(consequence="accountability")
    sign(case, "ada")
    key = with_key(case.project, "read")
    assert [row["number"] for row in rows(key, "/api/v1/cases", status="waiting")] == [1]
    found = rows(key, "/api/v1/cases", consequence="accountability")
    assert [row["number"] for row in found] == [2]


def test_a_verdict_is_told_with_its_claim() -> None:
    case = make_scene()
    candidate = make_candidate(case.run)
    contract = Contract.objects.create(project=case.project, key="c", valid_from=AT)
    category = Category.objects.create(project=case.project, key="k", name="K")
    claim = sign(
        case,
        "ada",
        candidate=candidate.pk,
        category=category.pk,
        misses=(Missed(3, contract.pk),),
        alternatives=(Rejected(None, "No."),),
    )
    verdict = settle(case, claim)
    (row,) = rows(with_key(case.project, "read"), "/api/v1/verdicts")
    assert (row["schema"], row["case"], row["number"]) == ("inquest-verdict/1", 1, 1)
    assert (row["outcome"], row["signed_by"]["username"]) == ("attributed", "lena")
    assert datetime.fromisoformat(row["signed_at"]) == AT
    assert (row["supersedes"], row["superseded_by"]) == (None, None)
    assert row["postmortem"]["sha256"] == verdict.postmortem.sha256
    assert row["run_sha256"] == case.run.sha256
    told = row["claim"]
    assert (told["basis"], told["attributor"]) == ("signed", "first@1")
    assert (told["decisive_step"], told["actor"], told["carriers"]) == (1, "planner", [2])
    assert told["category"] == {"key": "k", "version": 1, "name": "K"}
    assert told["evidence"][0]["text"] == QUOTE.text
    assert told["misses"] == [{"step": 3, "contract": "c"}]
    assert told["alternatives"] == [{"step": None, "rejected_because": "No."}]


def test_an_unresolved_verdict_without_a_claim_has_the_same_shape() -> None:
    case = make_scene()
    sign(case, "ada", "unresolved")
    settle(case, case.claims.get(), adopted=None, missing_observation="The lock file.")
    (row,) = rows(with_key(case.project, "read"), "/api/v1/verdicts")
    assert row["claim"] is None
    assert row["missing_observation"] == "The lock file."


def test_superseded_verdicts_are_told_on_demand() -> None:
    first = settled()
    settle(first.case, first.adopted, supersedes=first)
    key = with_key(first.case.project, "read")
    for address in LISTS[1:]:
        assert [row["number"] for row in rows(key, address)] == [2]
        both = rows(key, address, superseded="true")
        assert sorted((row["number"], row["superseded_by"]) for row in both) == [(1, 2), (2, None)]


def test_the_export_has_the_rows_of_the_list_and_counts_them() -> None:
    first = settled()
    settled(name="run-2")
    key = with_key(first.case.project, "read")
    answer = key.get("/api/v1/exports/verdicts.jsonl")
    assert answer["X-Inquest-Rows"] == "2"
    assert answer["Content-Type"] == "application/jsonl"
    exported = [json.loads(line) for line in answer.getvalue().splitlines()]
    assert [row["case"] for row in exported] == [1, 2]
    listed = rows(key, "/api/v1/verdicts")
    assert sorted(listed, key=lambda row: row["case"]) == exported


def put_aside(verdict: Verdict, reason: str) -> None:
    lena = User.objects.get(username="lena")
    quarantine.set_aside(run=verdict.case.run, reason=reason, note="", by=lena, at=AT)


def test_verdicts_on_runs_that_are_set_aside_are_left_out_and_told_on_demand() -> None:
    first = settled()
    put_aside(settled(name="run-2"), "duplicate")
    key = with_key(first.case.project, "read")
    for address in LISTS[1:]:
        assert [row["case"] for row in rows(key, address)] == [1]
        told = rows(key, address, set_aside="true")
        assert sorted((row["case"], row["set_aside"]) for row in told) == [(1, False), (2, True)]
    answer = key.get(LISTS[2])
    assert (answer["X-Inquest-Rows"], answer["X-Inquest-Left-Out"]) == ("1", "1")
    answer = key.get(LISTS[2], {"set_aside": "true"})
    assert (answer["X-Inquest-Rows"], answer["X-Inquest-Left-Out"]) == ("2", "0")
    told = {row["number"]: row["set_aside"] for row in rows(key, LISTS[0])}
    assert told == {1: False, 2: True}


def test_what_is_set_aside_for_personal_data_is_told_to_leads_alone() -> None:
    verdict = settled()
    settled(name="run-2")
    put_aside(verdict, "personal_data")
    cases, listed, exported, postmortem = addresses(verdict)
    for client in (with_key(verdict.case.project, "read"), as_person("vera"), as_person("ada")):
        assert client.get(postmortem, {"project": "demo"}).status_code == 403
        assert [row["number"] for row in rows(client, cases, project="demo")] == [2]
        for address in (listed, exported):
            told = rows(client, address, project="demo", set_aside="true")
            assert [row["case"] for row in told] == [2]
        answer = client.get(exported, {"project": "demo", "set_aside": "true"})
        assert answer["X-Inquest-Left-Out"] == "1"
    lena = as_person("lena")
    assert lena.get(postmortem, {"project": "demo"}).status_code == 200
    assert len(rows(lena, cases, project="demo")) == 2
    assert len(rows(lena, exported, project="demo", set_aside="true")) == 2


@pytest.mark.parametrize("address", LISTS)
@pytest.mark.parametrize("number", [1, 3])
def test_queries_do_not_grow(address: str, number: int, django_assert_num_queries) -> None:
    verdict = settled()
    for n in range(2, number + 1):
        settled(name=f"run-{n}")
    key = with_key(verdict.case.project, "read")
    # The key; then the cases, or the verdicts with four kinds of rows below their claims; the
    # export counts its rows and those it left out.
    queries = {"cases": 2, "verdicts": 6, "verdicts.jsonl": 8}[address.rpartition("/")[2]]
    with django_assert_num_queries(queries):
        assert len(rows(key, address)) == number


def test_the_postmortem_comes_byte_for_byte() -> None:
    verdict = settled()
    address = addresses(verdict)[-1]
    for answer in (
        with_key(verdict.case.project, "read").get(address),
        as_person("vera").get(address, {"project": "demo"}),
    ):
        assert answer.content == verdict.postmortem.envelope.encode()
        assert verify(answer.content, signing.public_pem(keys.installation_signer())) == []
        assert answer["ETag"] == f'"{verdict.postmortem.sha256}"'
        assert answer["Content-Disposition"] == 'attachment; filename="case-1-verdict-1.json"'


def test_the_schema_is_made_without_warnings(capsys: pytest.CaptureFixture[str]) -> None:
    schema = SchemaGenerator().get_schema(request=None, public=True)
    assert "Warning" not in capsys.readouterr().err
    assert {path for path in schema["paths"] if "postmortem" in path or "verdict" in path} == {
        "/api/v1/verdicts/",
        "/api/v1/exports/verdicts.jsonl/",
        "/api/v1/postmortems/{postmortem_id}/",
    }

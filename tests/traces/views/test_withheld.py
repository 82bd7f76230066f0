"""The page of a withheld value: strangers, roles, and that each look is recorded."""

from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from tests.clients import signed_in
from tests.factories import AT, make_project, make_run, make_transcript, make_user
from tests.traces.test_replacing import ADDRESS, MAIL, put, send
from traces.models import AuditEntry, Project, ProjectKey, Quarantine, Run

pytestmark = [pytest.mark.django_db, pytest.mark.database]
PAGE = "/p/demo/withheld/EMAIL-1/"
BY_ACTION = {
    "encrypt": {**MAIL, "action": "encrypt"},
    "restrict": {**MAIL, "action": "restrict", "role": "reviewer"},
    "redact": MAIL,
}


@pytest.fixture
def project() -> Project:
    return make_project()


def withhold(project: Project, action: str) -> None:
    put(project, BY_ACTION[action])
    send(project, ADDRESS)


@pytest.mark.parametrize("placeholder", ["EMAIL-2", "CARD-1", "EMAIL", "EMAIL-x", "-1", "9" * 30])
def test_a_placeholder_that_nobody_gave_is_not_found(project: Project, placeholder: str) -> None:
    withhold(project, "encrypt")
    assert signed_in("lena").get(f"/p/demo/withheld/{placeholder}/").status_code == 404


def test_strangers_find_nothing(project: Project) -> None:
    withhold(project, "restrict")
    assert signed_in("sam").get(PAGE).status_code == 404
    assert signed_in("sam").post(PAGE).status_code == 404


@pytest.mark.parametrize(
    ("action", "name"),
    [
        ("restrict", "vera"),
        ("encrypt", "vera"),
        ("encrypt", "ada"),
        ("redact", "lena"),
    ],
)
def test_who_may_not_see_it_is_told_so(project: Project, action: str, name: str) -> None:
    withhold(project, action)
    page = signed_in(name).get(PAGE)
    assert page.status_code == 200
    assert "Show the value" not in page.content.decode()
    assert signed_in(name).post(PAGE).status_code == 403
    assert not AuditEntry.objects.filter(action="withheld.revealed").exists()


@pytest.mark.parametrize(("action", "name"), [("restrict", "ada"), ("encrypt", "lena")])
def test_who_may_sees_it_and_that_is_recorded(project: Project, action: str, name: str) -> None:
    withhold(project, action)
    assert ADDRESS not in signed_in(name).get(PAGE).content.decode()
    assert ADDRESS in signed_in(name).post(PAGE).content.decode()
    entry = AuditEntry.objects.get(action="withheld.revealed")
    assert entry.actor is not None
    assert entry.actor.username == name


def test_the_runs_with_the_value_are_listed_with_a_way_back(project: Project) -> None:
    withhold(project, "redact")
    make_run(project, make_transcript(external_id="without"))
    run = Run.objects.exclude(external_id="without").get()
    page = signed_in("vera").get(PAGE).content.decode()
    assert f'href="/p/demo/runs/{run.pk}/"' in page
    assert 'href="/p/demo/runs/">Runs</a></p>' in page
    assert "without" not in page


def test_a_run_that_only_leads_may_read_is_listed_for_them_alone(project: Project) -> None:
    withhold(project, "redact")
    run, lena = Run.objects.get(), make_user("lena")
    Quarantine.objects.create(
        run=run, status="in_force", reason="personal_data", owner=lena, decided_at=AT
    )
    assert list(signed_in("lena").get(PAGE).context["runs"]) == [run]
    page = signed_in("ada").get(PAGE)
    assert page.context["runs"] == []
    assert "No run that you may read." in page.content.decode()


@pytest.mark.parametrize("count", [1, 3])
def test_three_runs_take_as_many_queries_as_one(
    project: Project, count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    put(project, MAIL)
    for number in range(count):
        send(project, f"{number} {ADDRESS}")
    client = signed_in("vera")
    with django_assert_num_queries(5):
        assert len(client.get(PAGE).context["runs"]) == count


def test_of_very_many_runs_the_newest_are_listed(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("traces.views.withheld.RUNS", 2)
    put(project, MAIL)
    for number in range(3):
        send(project, f"{number} {ADDRESS}")
    page = signed_in("vera").get(PAGE).content.decode()
    assert "The newest 2 are listed; there are more." in page


def test_a_lost_key_is_told_in_a_sentence(project: Project) -> None:
    withhold(project, "encrypt")
    ProjectKey.objects.update(wrapped=b"no key of ours")
    page = signed_in("lena").post(PAGE)
    assert page.status_code == 200
    assert "errorlist" in page.content.decode()

"""The redaction pages: who may not first, then trying a policy, putting it in force, applying."""

from __future__ import annotations

from typing import Any

import pytest
from django.http import HttpResponse

from tests.clients import signed_in, told
from tests.factories import make_project
from tests.traces.test_replacing import ADDRESS, MAIL, put, send
from traces.models import Project, Quarantine, RawDocument, RedactionPolicy

pytestmark = [pytest.mark.django_db, pytest.mark.database]
PAGE = "/p/demo/settings/redaction/"


@pytest.fixture
def project() -> Project:
    return make_project()


def rows(*given: dict[str, str], **more: str) -> dict[str, Any]:
    """A posted form with these rules."""
    posted: dict[str, Any] = {"rule-TOTAL_FORMS": len(given), "rule-INITIAL_FORMS": 0, **more}
    for number, row in enumerate(given):
        posted |= {f"rule-{number}-{name}": value for name, value in row.items()}
    return posted


def post(name: str, path: str, given: dict[str, Any]) -> HttpResponse:
    return signed_in(name).post(f"{PAGE}{path}/", given)


@pytest.mark.parametrize("path", ["set", "apply"])
@pytest.mark.parametrize(("name", "status"), [("vera", 403), ("ada", 403), ("sam", 404)])
def test_who_does_not_lead_changes_nothing(
    project: Project, path: str, name: str, status: int
) -> None:
    assert post(name, path, rows(MAIL)).status_code == status
    assert not RedactionPolicy.objects.exists()


def test_members_read_what_is_withheld(project: Project) -> None:
    put(project, MAIL)
    page = signed_in("vera").get(PAGE).content.decode()
    assert "Version 1 is in force" in page
    assert "emails" in page
    assert "Put in force" not in page


def test_a_project_without_a_policy_gets_a_beginning_that_is_not_in_force(
    project: Project,
) -> None:
    page = signed_in("lena").get(PAGE).content.decode()
    assert "Nothing of it is in force" in page
    assert 'value="Private keys"' in page
    assert "**/password\n**/passwd\n**/secret</textarea>" in page
    assert not RedactionPolicy.objects.exists()


def test_rules_that_are_none_are_refused_with_a_sentence(project: Project) -> None:
    page = post("lena", "set", rows(MAIL, MAIL)).content.decode()
    assert "Two rules are called" in page
    assert not RedactionPolicy.objects.exists()


def test_a_form_that_nobody_made_is_refused(project: Project) -> None:
    assert post("lena", "set", {}).status_code == 200
    assert post("lena", "set", rows({"name": "x", "action": "burn"})).status_code == 200
    assert not RedactionPolicy.objects.exists()


def test_rows_that_were_left_empty_are_no_rules(project: Project) -> None:
    """A browser sends them with their selects as they stand."""
    empty = {"name": "", "detector": "", "fields_": "", "action": "restrict", "role": ""}
    post("lena", "set", rows(MAIL, empty, empty))
    assert [rule["name"] for rule in RedactionPolicy.objects.get().rules] == ["mail"]


def test_a_rule_without_a_name_is_refused(project: Project) -> None:
    page = post("lena", "set", rows({**MAIL, "name": ""})).content.decode()
    assert "Rule 1 needs a name" in page


def test_trying_tells_what_would_be_withheld_and_changes_nothing(project: Project) -> None:
    send(project, ADDRESS)
    page = post("lena", "set", rows(MAIL, **{"try": ""})).content.decode()
    assert "1 by mail in" in page
    assert "messages/*/content" in page
    assert "Put these rules in force first" in page
    assert not RedactionPolicy.objects.exists()
    assert RawDocument.objects.count() == 1


def test_a_policy_is_put_in_force_with_its_note(project: Project) -> None:
    given = rows({**MAIL, "fields_": "**/to\r\n**/from\r\n"}, note="As the works council asked.")
    response = post("lena", "set", given)
    assert told(response) == ["Version 1 is in force for everything sent from now on."]
    row = RedactionPolicy.objects.get()
    assert row.rules == [{**MAIL, "fields": ["**/to", "**/from"]}]
    assert row.note == "As the works council asked."


def test_a_rule_that_was_ticked_is_taken_out(project: Project) -> None:
    other = {**MAIL, "name": "other", "detector": "cards", "DELETE": "on"}
    post("lena", "set", rows(MAIL, other))
    assert [rule["name"] for rule in RedactionPolicy.objects.get().rules] == ["mail"]


def test_what_is_in_force_can_be_applied_to_ticked_documents(project: Project) -> None:
    send(project, ADDRESS)
    put(project, MAIL)
    document = RawDocument.objects.get()
    page = post("lena", "set", rows(MAIL, **{"try": ""})).content.decode()
    assert f'name="document" value="{document.pk}"' in page
    response = post("lena", "apply", {"document": [document.pk, "x", "٣"]})
    assert told(response) == ["1 documents were replaced by redacted copies, and 1 runs with them."]
    assert Quarantine.objects.get().replacement is not None


def test_a_document_of_another_project_is_not_touched(project: Project) -> None:
    other = make_project("other")
    send(other, ADDRESS)
    put(project, MAIL)
    put(other, MAIL)
    post("lena", "apply", {"document": [RawDocument.objects.get().pk]})
    assert not Quarantine.objects.exists()


@pytest.mark.parametrize("count", [1, 3])
def test_it_takes_as_many_queries_for_three_versions_as_for_one(
    project: Project, count: int, django_assert_num_queries: Any
) -> None:
    for _ in range(count):
        put(project, MAIL)
    client = signed_in("lena")
    client.get(PAGE)
    with django_assert_num_queries(6):
        client.get(PAGE)

"""A policy applied to what is stored: who may not first, then copies, runs and what stays."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied

from reviews.samples import FOLDER
from tests.clients import signed_in
from tests.factories import AT, make_project
from traces import failing, ingest, models, quarantine, replacing, withholding
from traces.models import AuditEntry, Part, Project, Quarantine, RawDocument, Receipt, Run
from traces.transcript import Failure

pytestmark = [pytest.mark.django_db, pytest.mark.database]

Origin = models.Failure.Origin
MAIL = {"name": "mail", "action": "redact", "detector": "emails"}
ADDRESS = "jo" + "@" + "example.org"


@pytest.fixture
def project() -> Project:
    return make_project()


def lead() -> User:
    return User.objects.get(username="lena")


def put(project: Project, *rules: dict[str, Any]) -> None:
    withholding.set_policy(project=project, rules=list(rules), note="", by=lead(), at=AT)


def send(project: Project, text: str) -> Receipt:
    messages = [{"role": "user", "content": text}, {"role": "assistant", "content": "Done."}]
    return take(project, json.dumps({"messages": messages}).encode())


def take(project: Project, content: bytes) -> Receipt:
    return ingest.ingest(
        project=project,
        content=content,
        filename="a.json",
        via=Receipt.Via.UPLOAD,
        by=None,
        at=AT,
    )


def apply(document: RawDocument) -> replacing.Replaced:
    return replacing.apply(document=document, by=lead(), at=AT)


def test_nothing_is_applied_without_a_policy(project: Project) -> None:
    send(project, ADDRESS)
    with pytest.raises(replacing.NoPolicy):
        apply(RawDocument.objects.get())


def test_only_leads_apply(project: Project) -> None:
    send(project, ADDRESS)
    put(project, MAIL)
    reviewer = User.objects.get(username="ada")
    with pytest.raises(PermissionDenied):
        replacing.apply(document=RawDocument.objects.get(), by=reviewer, at=AT)
    assert not Quarantine.objects.exists()


def test_what_holds_nothing_stays_as_it_is(project: Project) -> None:
    send(project, "nothing to see")
    put(project, MAIL)
    assert not apply(RawDocument.objects.get()).changed
    assert RawDocument.objects.count() == Run.objects.count() == 1


def test_a_copy_and_its_run_replace_what_held_a_value(project: Project) -> None:
    send(project, f"write to {ADDRESS} now")
    put(project, MAIL)
    document, old = RawDocument.objects.get(), Run.objects.get()
    replaced = apply(document)
    new = Run.objects.exclude(pk=old.pk).get()
    assert replaced.set_aside == 1
    assert replaced.copy.original_sha256 == document.sha256
    assert new.document == replaced.copy
    assert Part.objects.get(run=new, step=0).text == "write to [EMAIL-1] now"
    row = Quarantine.objects.get()
    assert (row.run, row.replacement, row.reason) == (old, new, "personal_data")
    assert not new.gaps.filter(kind="conflicting_duplicate").exists()


def test_the_old_bytes_stay_and_are_closed(project: Project) -> None:
    send(project, ADDRESS)
    put(project, MAIL)
    document, old = RawDocument.objects.get(), Run.objects.get()
    before = bytes(document.content)
    apply(document)
    assert bytes(RawDocument.objects.get(pk=document.pk).content) == before
    reviewer = project.memberships.get(user__username="ada")
    assert not quarantine.readable(old, reviewer)


def test_applying_again_changes_nothing(project: Project) -> None:
    send(project, ADDRESS)
    put(project, MAIL)
    document = RawDocument.objects.get()
    apply(document)
    entries = AuditEntry.objects.count()
    assert apply(document).set_aside == 0
    assert AuditEntry.objects.count() == entries
    assert Receipt.objects.filter(via=Receipt.Via.REDACTION).count() == 1


def test_what_was_replaced_is_offered_no_more(project: Project) -> None:
    send(project, ADDRESS)
    send(project, "another")
    put(project, MAIL)
    first, second = RawDocument.objects.order_by("pk")
    copy = apply(first).copy
    assert list(replacing.current(project)) == [copy, second]


def test_a_run_that_was_set_aside_for_something_else_is_closed_too(project: Project) -> None:
    send(project, ADDRESS)
    put(project, MAIL)
    old = Run.objects.get()
    quarantine.set_aside(run=old, reason="time_out", note="slow", by=lead(), at=AT)
    apply(RawDocument.objects.get())
    rows = Quarantine.objects.filter(run=old).order_by("pk").values_list("reason", "status")
    assert list(rows) == [("time_out", "lifted"), ("personal_data", "in_force")]


def test_that_a_policy_was_applied_is_recorded(project: Project) -> None:
    send(project, ADDRESS)
    put(project, MAIL)
    apply(RawDocument.objects.get())
    entry = AuditEntry.objects.get(action="redaction.applied")
    assert (entry.actor, entry.data["policy"]) == (lead(), 1)
    assert ADDRESS not in json.dumps(list(AuditEntry.objects.values_list("data", flat=True)))


def test_a_copy_that_no_format_knows_still_closes_the_old_run(project: Project) -> None:
    take(project, (FOLDER / "lossy-handoff-failed.json").read_bytes())
    put(project, {"name": "all", "action": "redact", "fields": ["schema"]})
    apply(RawDocument.objects.get())
    assert Quarantine.objects.get().replacement is None
    assert Run.objects.count() == 1


def test_a_replaced_run_cannot_be_opened_again(project: Project) -> None:
    send(project, ADDRESS)
    put(project, MAIL)
    apply(RawDocument.objects.get())
    with pytest.raises(quarantine.Refused, match="redacted copy"):
        quarantine.lift(quarantine=Quarantine.objects.get(), why="Let me see.", by=lead(), at=AT)


def test_what_people_added_goes_to_the_new_run_without_the_value(project: Project) -> None:
    send(project, ADDRESS)
    put(project, MAIL)
    old = Run.objects.get()
    by = User.objects.get(username="ada")
    found = Failure(key="", statement=f"It wrote to {ADDRESS}.", exposed_by=1)
    failing.add_failure(run=old, failure=found, by=by, origin=Origin.PERSON, at=AT)
    for _ in range(2):
        apply(RawDocument.objects.order_by("pk")[0])
    added = Run.objects.exclude(pk=old.pk).get().failures.get()
    assert (added.statement, added.exposed_by) == ("It wrote to [EMAIL-1].", 1)
    assert (added.added_by, added.origin) == (by, "person")


def bundle(*texts: str) -> bytes:
    """A JSONL file with a conversation a line."""
    given = ({"messages": [{"role": "user", "content": text}]} for text in texts)
    return "\n".join(json.dumps(each) for each in given).encode()


def test_runs_in_which_nothing_was_found_stay_as_they_are(project: Project) -> None:
    take(project, bundle("clean", f"write to {ADDRESS}"))
    put(project, MAIL)
    assert apply(RawDocument.objects.get()).set_aside == 1
    closed = Quarantine.objects.get().run
    assert Run.objects.counted().count() == 2
    assert Part.objects.filter(run=closed, text__contains=ADDRESS).exists()


def test_an_error_half_way_leaves_nothing_done(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(project, ADDRESS)
    put(project, MAIL)
    document = RawDocument.objects.get()
    with monkeypatch.context() as broken:
        broken.setattr(replacing, "_set_aside", None)
        with pytest.raises(TypeError):
            apply(document)
    assert list(replacing.current(project)) == [document]
    assert apply(document).set_aside == 1


def test_the_names_of_files_lose_the_value_too(project: Project) -> None:
    send(project, ADDRESS)
    Receipt.objects.update(filename=f"of {ADDRESS} 1.json")
    put(project, MAIL)
    apply(RawDocument.objects.get())
    assert set(Receipt.objects.values_list("filename", flat=True)) == {"of [EMAIL-1] 1.json"}


def test_a_file_that_was_replaced_is_for_leads(project: Project) -> None:
    send(project, ADDRESS)
    put(project, MAIL)
    document = RawDocument.objects.get()
    apply(document)
    address = f"/p/demo/documents/{document.sha256}/"
    assert signed_in("ada").get(address).status_code == 403
    assert signed_in("lena").get(address).status_code == 200

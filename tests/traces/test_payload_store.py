from __future__ import annotations

import base64
import json
from hashlib import sha256

import pytest
from django.core.files.base import ContentFile
from django.db import DatabaseError, transaction

from config import storage
from config.environment import BadSetting
from tests.factories import AT, make_project
from traces import ingest, payload_store
from traces.models import Part, Payload, PayloadUse, Project, Receipt, Run

pytestmark = pytest.mark.django_db
MEMORY = {"payloads": {"BACKEND": "django.core.files.storage.InMemoryStorage"}}
TEXT = "a line of a long log\n" * 5_000
SHA = sha256(TEXT.encode()).hexdigest()


def send(project: Project, *texts: str, name: str = "run-1") -> Receipt:
    """A conversation of these texts, ingested."""
    messages = [{"role": "user", "content": text} for text in texts]
    return ingest.ingest(
        project=project,
        content=json.dumps({"id": name, "messages": messages}).encode(),
        filename="chat.json",
        via=Receipt.Via.COMMAND,
        by=None,
        at=AT,
    )


@pytest.fixture
def outside(settings):
    settings.STORAGES = {**settings.STORAGES, **MEMORY}
    return payload_store.outside()


def test_a_bucket_without_its_packages_stops_the_start(monkeypatch):
    monkeypatch.setattr(storage, "NEEDED", ("no_such_package",))
    with pytest.raises(BadSetting, match=r"requirements/s3\.txt"):
        storage.of_payloads(bucket="traces", endpoint="")


def test_an_endpoint_without_a_bucket_is_a_mistake():
    with pytest.raises(BadSetting, match="no INQUEST_PAYLOAD_BUCKET"):
        storage.of_payloads(bucket="", endpoint="http://127.0.0.1:9000")


def test_without_a_bucket_payloads_lie_in_the_database():
    assert storage.of_payloads(bucket="", endpoint="") == {}
    assert payload_store.outside() is None


def test_a_large_text_is_a_payload_of_the_run():
    project = make_project()
    send(project, "short", TEXT)
    payload = Payload.objects.get()
    assert (payload.sha256, payload.size, payload.project) == (SHA, len(TEXT), project)
    assert payload_store.content_of(payload) == TEXT.encode()
    run = Run.objects.get()
    assert payload_store.used(run, SHA) == payload
    part = Part.objects.get(run=run, data__has_key="payload")
    assert part.data["payload"]["sha256"] == SHA
    assert len(part.text) < 9_000


def test_the_same_bytes_are_stored_once_per_project():
    project, other = make_project(), make_project("other")
    send(project, TEXT, "one")
    send(project, TEXT, "two", TEXT, name="run-2")
    send(other, TEXT)
    assert Payload.objects.count() == 2
    assert PayloadUse.objects.count() == 3


def test_a_file_sent_again_changes_nothing():
    project = make_project()
    send(project, TEXT)
    again = send(project, TEXT)
    assert (again.made, len(again.known)) == ([], 1)
    assert (Payload.objects.count(), PayloadUse.objects.count()) == (1, 1)


def test_runs_with_different_payloads_are_different_runs():
    project = make_project()
    head, tail = TEXT[:9_000], TEXT[-9_000:]
    send(project, head + "a" * 60_000 + tail)
    send(project, head + "b" * 60_000 + tail)
    assert Run.objects.count() == 2


def test_binary_content_is_stored_as_bytes():
    png = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(2_000)
    send(make_project(), f"data:image/png;base64,{base64.b64encode(png).decode()}")
    payload = Payload.objects.get()
    assert (bytes(payload.content), payload.media_type) == (png, "image/png")


def test_payloads_cannot_be_changed():
    send(make_project(), TEXT)
    with pytest.raises(DatabaseError, match="Cannot update"), transaction.atomic():
        Payload.objects.filter(sha256=SHA).update(content=b"other")


def test_bytes_outside_are_named_by_project_and_digest(outside):
    project = make_project()
    send(project, TEXT)
    payload = Payload.objects.get()
    assert payload.content is None
    assert outside.open(f"payloads/{project.pk}/{SHA}").read() == TEXT.encode()
    assert payload_store.content_of(payload) == TEXT.encode()


def test_what_a_crash_left_half_written_is_written_again(outside):
    project = make_project()
    outside.save(payload_store.name_of(project.pk, SHA), ContentFile(b"half"))
    send(project, TEXT)
    assert payload_store.content_of(Payload.objects.get()) == TEXT.encode()


@pytest.mark.parametrize(
    ("left", "said"), [(None, "does not have these bytes"), (b"other", "not those that came")]
)
def test_missing_or_other_bytes_are_never_given_out(outside, left, said):
    project = make_project()
    send(project, TEXT)
    name = payload_store.name_of(project.pk, SHA)
    outside.delete(name)
    if left:
        outside.save(name, ContentFile(left))
    with pytest.raises(payload_store.Unavailable, match=said):
        payload_store.content_of(Payload.objects.get())


def test_a_storage_that_is_no_longer_named_is_said(outside, settings):
    send(make_project(), TEXT)
    settings.STORAGES = {k: v for k, v in settings.STORAGES.items() if k != "payloads"}
    with pytest.raises(payload_store.Unavailable, match="no longer name"):
        payload_store.content_of(Payload.objects.get())


def test_a_storage_that_fails_leaves_the_file_to_be_read_again(settings, tmp_path):
    occupied = tmp_path / "a file, no folder"
    occupied.write_text("")
    options = {"BACKEND": "django.core.files.storage.FileSystemStorage"}
    settings.STORAGES = {
        **settings.STORAGES,
        "payloads": {**options, "OPTIONS": {"location": str(occupied)}},
    }
    project = make_project()
    receipt = send(project, TEXT)
    assert (receipt.status, Run.objects.count(), Payload.objects.count()) == ("stored", 0, 0)
    settings.STORAGES = {**settings.STORAGES, **MEMORY}
    assert ingest.read(receipt_id=receipt.pk, at=AT).status == "read"
    assert payload_store.content_of(Payload.objects.get()) == TEXT.encode()

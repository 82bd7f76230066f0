from __future__ import annotations

import base64

import pytest
from django.core.files.base import ContentFile
from django.test import Client
from django.urls import reverse

from tests.clients import signed_in
from tests.factories import make_project, make_user
from tests.traces.test_payload_store import MEMORY, SHA, TEXT, send
from traces import payload_store
from traces.models import Run

pytestmark = pytest.mark.django_db


def address(run: Run, sha256: str = SHA) -> str:
    return reverse("traces:payload", args=[run.project.slug, run.pk, sha256])


def api_address(run: Run, sha256: str = SHA) -> str:
    return f"/api/v1/runs/{run.pk}/payloads/{sha256}/"


@pytest.fixture
def run() -> Run:
    send(make_project(), TEXT)
    return Run.objects.get()


def test_strangers_and_visitors_get_nothing(run):
    make_user("sam")
    assert signed_in("sam").get(address(run)).status_code == 404
    assert Client().get(address(run)).status_code == 302
    assert Client().get(api_address(run)).status_code in (401, 403)
    assert signed_in("sam").get(f"{api_address(run)}?project=demo").status_code == 404


def test_another_projects_run_is_not_here(run):
    make_project("other")
    strange = reverse("traces:payload", args=["other", run.pk, SHA])
    assert signed_in("vera").get(strange).status_code == 404
    assert signed_in("vera").get(f"{api_address(run)}?project=other").status_code == 404


@pytest.mark.parametrize("sha256", ["0" * 64, SHA.upper(), "x", SHA[:16]])
def test_what_is_no_payload_is_not_found(run, sha256):
    assert signed_in("vera").get(address(run, sha256)).status_code == 404
    assert signed_in("vera").get(f"{api_address(run, sha256)}?project=demo").status_code == 404


def test_a_payload_that_another_run_uses_is_not_given_with_this_one(run):
    send(run.project, "other " + TEXT, name="run-2")
    other = Run.objects.exclude(pk=run.pk).get()
    theirs = other.payload_uses.get().payload.sha256
    assert signed_in("vera").get(address(run, theirs)).status_code == 404
    assert signed_in("vera").get(address(other, theirs)).status_code == 200


def test_only_reading_is_possible(run):
    assert signed_in("lena").post(address(run)).status_code == 405


def test_a_member_gets_a_file_to_keep(run):
    response = signed_in("vera").get(address(run))
    assert response.content == TEXT.encode()
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"] == f'attachment; filename="{SHA[:16]}.txt"'
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Cache-Control"] == "private, no-store"


def test_the_api_gives_the_same(run):
    response = signed_in("vera").get(f"{api_address(run)}?project=demo")
    assert response.content == TEXT.encode()
    assert response["Content-Disposition"].startswith("attachment")


def test_a_type_from_a_trace_names_no_file(run):
    html = base64.b64encode(b"<script>alert(1)</script>" * 60).decode()
    send(run.project, f"data:text/html;base64,{html}", name="run-2")
    other = Run.objects.exclude(pk=run.pk).get()
    sha256 = other.payload_uses.get().payload.sha256
    response = signed_in("vera").get(address(other, sha256))
    assert response["Content-Disposition"] == f'attachment; filename="{sha256[:16]}.bin"'
    assert response["Content-Type"] == "application/octet-stream"


def test_other_bytes_are_a_sentence_and_never_shown(settings):
    settings.STORAGES = {**settings.STORAGES, **MEMORY}
    project = make_project()
    send(project, TEXT)
    run, name = Run.objects.get(), payload_store.name_of(project.pk, SHA)
    storage = payload_store.outside()
    storage.delete(name)
    storage.save(name, ContentFile(b"<script>"))
    for response in (
        signed_in("vera").get(address(run)),
        signed_in("vera").get(f"{api_address(run)}?project=demo"),
    ):
        assert response.status_code == 502
        assert response.content.startswith(b"The stored bytes of this payload are not those")

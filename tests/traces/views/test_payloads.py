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
from traces.models import Payload, Run
from traces.views import payloads

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


PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(2_000)


def picture(content: bytes, said: str = "image/png") -> tuple[Run, str]:
    """A run with this picture, and where it is to be seen."""
    data = base64.b64encode(content).decode()
    send(make_project(), f"data:{said};base64,{data}")
    run = Run.objects.get()
    digest = Payload.objects.get().sha256
    return run, reverse("traces:picture", args=["demo", run.pk, digest])


def test_strangers_see_no_picture():
    make_user("sam")
    _, made = picture(PNG)
    assert Client().get(made).status_code == 302
    assert signed_in("sam").get(made).status_code == 404


@pytest.mark.parametrize(
    "content",
    [
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>" * 40,
        b"<!doctype html><script>alert(1)</script>" * 60,
        b"%PDF-1.7\n" + bytes(2_000),
    ],
)
def test_what_is_no_picture_is_not_shown_as_one(content):
    _, made = picture(content)
    answer = signed_in("vera").get(made)
    assert answer.status_code == 415
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert b"script" not in answer.content


def test_a_picture_too_large_is_not_shown(monkeypatch):
    monkeypatch.setattr(payloads, "LARGEST_PICTURE", 100)
    _, made = picture(PNG)
    assert signed_in("vera").get(made).status_code == 415


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + bytes(2_000), "image/jpeg"),
        (b"GIF89a" + bytes(2_000), "image/gif"),
        (b"RIFF\x00\x08\x00\x00WEBPVP8 " + bytes(2_000), "image/webp"),
    ],
)
def test_a_picture_is_shown_as_what_its_bytes_are(content, kind):
    _, made = picture(content)
    answer = signed_in("vera").get(made)
    assert (answer.status_code, answer["Content-Type"]) == (200, kind)
    assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer.content == content

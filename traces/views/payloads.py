"""Payloads of a run, as files to keep: nothing in them may run in a browser here.

Pictures of four kinds are shown to who asks for one, by what their bytes are, not by what is said.
"""

from __future__ import annotations

from http import HTTPStatus
from uuid import UUID

from django.http import Http404, HttpResponse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_GET

from traces import encoded, payload_store, quarantine
from traces.access import ProjectRequest, member
from traces.models import Payload, Run
from traces.payload_views import PICTURES

# What a file is called by its type; of any other the name says nothing.
ENDINGS = {
    "application/gzip": "gz",
    "application/json": "json",
    "application/pdf": "pdf",
    "application/x-gzip": "gz",
    "application/zip": "zip",
    "audio/mpeg": "mp3",
    "audio/wave": "wav",
    "image/gif": "gif",
    "image/jpeg": "jpg",
    "image/png": "png",
    "image/webp": "webp",
    "text/plain": "txt",
    "video/mp4": "mp4",
}
# Bytes of a picture that a page shows.
LARGEST_PICTURE = 16 * 2**20


@require_GET
@member()
def payload(request: ProjectRequest, run_id: UUID, digest: str) -> HttpResponse:
    """The bytes, if this member may read the run: see `traces.quarantine`."""
    return served(payload_or_404(request, run_id, digest))


@require_GET
@member()
def picture(request: ProjectRequest, run_id: UUID, digest: str) -> HttpResponse:
    """The bytes as a picture, if they are one of a kind that cannot hold a program."""
    found = payload_or_404(request, run_id, digest)
    if found.size > LARGEST_PICTURE:
        return refused("This picture is too large to be shown here.")
    try:
        content = payload_store.content_of(found)
    except payload_store.Unavailable as error:
        return refused(str(error), HTTPStatus.BAD_GATEWAY)
    kind = encoded.type_of(content)
    if kind not in PICTURES:
        return refused("These bytes are no picture of a kind that is shown here.")
    return HttpResponse(
        content,
        content_type=kind,
        headers={
            "Content-Security-Policy": "default-src 'none'; sandbox",
            "Cross-Origin-Resource-Policy": "same-origin",
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "private, no-store",
        },
    )


def payload_or_404(request: ProjectRequest, run_id: UUID, digest: str) -> Payload:
    run = Run.objects.filter(project=request.project, pk=run_id).first()
    if run is None:
        raise Http404("No such run.")
    quarantine.require_readable(run, request.membership)
    found = payload_store.used(run, digest)
    if found is None:
        raise Http404("This run has no such payload.")
    return found


def refused(sentence: str, status: HTTPStatus = HTTPStatus.UNSUPPORTED_MEDIA_TYPE) -> HttpResponse:
    return HttpResponse(
        sentence,
        content_type="text/plain; charset=utf-8",
        status=status,
        headers={"Cache-Control": "no-store"},
    )


def served(found: Payload) -> HttpResponse:
    """The bytes if they are surely those; else a sentence with an error status."""
    try:
        content = payload_store.content_of(found)
    except payload_store.Unavailable as error:
        return refused(str(error), HTTPStatus.BAD_GATEWAY)
    return HttpResponse(
        content,
        content_type="application/octet-stream",
        headers={
            "Content-Disposition": content_disposition_header(
                as_attachment=True, filename=file_name(found)
            ),
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "private, no-store",
        },
    )


def file_name(found: Payload) -> str:
    ending = ENDINGS.get(found.media_type.partition(";")[0], "bin")
    return f"{found.sha256[:16]}.{ending}"

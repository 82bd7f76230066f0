"""Payloads of a run, as files to keep: nothing in them may run or be shown by a browser here."""

from __future__ import annotations

from http import HTTPStatus
from uuid import UUID

from django.http import Http404, HttpResponse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_GET

from traces import payload_store, quarantine
from traces.access import ProjectRequest, member
from traces.models import Payload, Run

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


@require_GET
@member()
def payload(request: ProjectRequest, run_id: UUID, digest: str) -> HttpResponse:
    """The bytes, if this member may read the run: see `traces.quarantine`."""
    run = Run.objects.filter(project=request.project, pk=run_id).first()
    if run is None:
        raise Http404("No such run.")
    quarantine.require_readable(run, request.membership)
    found = payload_store.used(run, digest)
    if found is None:
        raise Http404("This run has no such payload.")
    return served(found)


def served(found: Payload) -> HttpResponse:
    """The bytes if they are surely those; else a sentence with an error status."""
    try:
        content = payload_store.content_of(found)
    except payload_store.Unavailable as error:
        return HttpResponse(
            str(error),
            content_type="text/plain; charset=utf-8",
            status=HTTPStatus.BAD_GATEWAY,
            headers={"Cache-Control": "no-store"},
        )
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

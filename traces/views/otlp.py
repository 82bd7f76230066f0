"""OTLP over HTTP: /v1/traces, /v1/logs and /v1/metrics, for programs with an API key."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import IO, Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt

from traces import keys
from traces.models import ApiKey, Project, Receipt
from traces.otlp import answers, decoding, inflating, screening, storing, waiting
from traces.otlp.answers import Answer
from traces.otlp.batches import LOG, SPAN
from traces.otlp.decoding import METRICS, Encoding

# Seconds after which a sender tries again.
WHEN_FULL, WHEN_DOWN = 5, 10
CUT = "The body was cut, or its chunks are damaged."
NO_METRICS = "Metrics are not kept: they are taken and dropped."
# One receipt stands for all metrics of this time: they come every few seconds, for ever.
METRICS_NOTED = timedelta(hours=1)

logger = logging.getLogger(__name__)


class Refused(Exception):
    """An answer other than 200. The message is the sentence the sender reads."""

    def __init__(self, status: int, message: str, *, retry_after: int = 0) -> None:
        super().__init__(message)
        self.status, self.retry_after = status, retry_after


def door(take: Callable[[HttpRequest, Project, bytes], Answer]) -> Callable[..., HttpResponse]:
    """What all three have in common: who sends, what went wrong, and the form of the answer."""

    @csrf_exempt
    @login_not_required
    def view(request: HttpRequest) -> HttpResponse:
        try:
            answer = taken(request, take)
        except Refused as error:
            answer = refused(request, error)
        except (OperationalError, InterfaceError):
            logger.exception("An OTLP request was not stored.")
            down = Refused(503, "The database does not answer.", retry_after=WHEN_DOWN)
            answer = refused(request, down)
        response = HttpResponse(
            answer.content, status=answer.status, content_type=answer.encoding.value
        )
        if answer.retry_after:
            response["Retry-After"] = str(answer.retry_after)
        return response

    return view


def taken(request: HttpRequest, take: Callable[[HttpRequest, Project, bytes], Answer]) -> Answer:
    if request.method != "POST":
        raise Refused(405, "Send it with POST.")
    project = project_of(request)
    if waiting.too_many(project.pk):
        full = "Too many spans wait to be read. Send it again later."
        raise Refused(429, full, retry_after=WHEN_FULL)
    return take(request, project, body_of(request))


def refused(request: HttpRequest, error: Refused) -> Answer:
    """In the type that the header says: the body may not have been read."""
    encoding = decoding.named(request.content_type or "") or Encoding.JSON
    return answers.refused(encoding, error.status, str(error), retry_after=error.retry_after)


def project_of(request: HttpRequest) -> Project:
    text = key_in(request.headers)
    key: ApiKey | None = keys.live(text) if text else None
    if key is None:
        said = "This API key is not known, or was revoked." if text else "An API key is needed."
        raise Refused(401, f"{said} Send it as the header Authorization: Bearer KEY.")
    if "ingest" not in key.scopes:
        raise Refused(403, 'This needs an API key with the scope "ingest".')
    return key.project


def key_in(headers: Mapping[str, str]) -> str:
    """The key's text. Exporters write headers percent-encoded; so the space may be."""
    scheme, _, text = headers.get("Authorization", "").replace("%20", " ").partition(" ")
    if scheme.lower() == "bearer" and text.strip():
        return text.strip()
    return (headers.get("X-Inquest-Key") or headers.get("X-Api-Key") or "").strip()


def body_of(request: HttpRequest) -> bytes:
    """The body, inflated. No more of it is held than the limit, before and after."""
    limit = settings.MAX_BATCH_BYTES
    body = bytes_of(request, limit)
    try:
        return inflating.plain(body, request.headers.get("Content-Encoding", ""), limit=limit)
    except inflating.TooLarge as error:
        raise Refused(413, str(error)) from error
    except inflating.Unsupported as error:
        raise Refused(415, str(error)) from error
    except inflating.Damaged as error:
        raise Refused(400, str(error)) from error


def bytes_of(request: HttpRequest, limit: int) -> bytes:
    """The body as it came. One that was cut may be a whole message by chance, and is none."""
    stream = stream_of(request)
    try:
        body = stream.read(limit + 1)
    except Exception as error:  # each server has errors of its own for chunks that it cannot read
        raise Refused(400, CUT) from error
    if len(body) > limit:
        raise Refused(413, inflating.too_large(limit))
    if len(body) < int(request.META.get("CONTENT_LENGTH") or 0):
        raise Refused(400, CUT)
    return body


def stream_of(request: HttpRequest) -> HttpRequest | IO[bytes]:
    """Django reads nothing of a body without a length; a server that marks its end can be asked.

    JavaScript exporters send so when they compress.
    """
    if request.META.get("CONTENT_LENGTH"):
        return request
    if "chunked" in request.headers.get("Transfer-Encoding", "").lower():
        if request.META.get("wsgi.input_terminated"):
            stream: IO[bytes] = request.META["wsgi.input"]
            return stream
        raise Refused(411, "This server reads no body in chunks. Send the header Content-Length.")
    raise Refused(411, "Send the header Content-Length.")


def batches(signal: str) -> Callable[[HttpRequest, Project, bytes], Answer]:
    def take(request: HttpRequest, project: Project, body: bytes) -> Answer:
        try:
            encoding, batch = decoding.decoded(body, request.content_type or "", signal)
        except decoding.Unsupported as error:
            raise Refused(415, str(error)) from error
        except decoding.Undecodable as error:
            raise Refused(400, str(error)) from error
        try:
            storing.store(project=project, batch=batch, at=timezone.now())
        except screening.Unsearched as error:
            raise Refused(503, str(error), retry_after=WHEN_DOWN) from error
        waiting.came(project.pk, len(batch.items))
        said = answers.sentence(batch.refusals)
        return answers.accepted(encoding, signal, len(batch.refusals), said)

    return take


def dropped(request: HttpRequest, project: Project, body: bytes) -> Answer:
    """Metrics: a note that they came, and a word to the sender."""
    encoding = encoding_of(body, request.content_type or "")
    at = timezone.now()
    same: dict[str, Any] = {
        "project": project,
        "via": Receipt.Via.OTLP,
        "filename": "OTLP metrics",
    }
    if not Receipt.objects.filter(**same, received_at__gt=at - METRICS_NOTED).exists():
        read = {"status": Receipt.Status.READ, "received_at": at, "finished_at": at}
        Receipt.objects.create(**same, **read, format="otlp", notes=[NO_METRICS])
    return answers.accepted(encoding, METRICS, 0, NO_METRICS)


def encoding_of(body: bytes, content_type: str) -> Encoding:
    try:
        return decoding.tried(body, content_type)[0]
    except decoding.Unsupported as error:
        raise Refused(415, str(error)) from error


traces = door(batches(SPAN))
logs = door(batches(LOG))
metrics = door(dropped)

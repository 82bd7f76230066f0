"""Request bodies as they came: a document's bytes, whatever type the sender calls them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import IO, Any

from django.conf import settings
from rest_framework.exceptions import APIException, ParseError, UnsupportedMediaType
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import BaseParser, JSONParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


class TooLarge(APIException):
    status_code = 413
    default_code = "too_large"


class LengthRequired(APIException):
    status_code = 411
    default_code = "length_required"
    default_detail = (
        "The body came in chunks without its length, and such a body is not read. Send the header"
        " Content-Length."
    )


class Json(JSONParser):
    """JSON whose nesting is bounded by an answer instead of by an error of ours."""

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        try:
            return super().parse(stream, media_type, parser_context)
        except RecursionError as error:
            raise ParseError("The JSON is nested too deep.") from error


class RawParser(BaseParser):
    """The body as `request.data["document"]`. Reads one byte above the limit, then refuses."""

    media_type = "*/*"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, bytes]:
        if (media_type or "").startswith("multipart/"):
            raise UnsupportedMediaType(
                media_type or "", "Send the document itself as the body, not as a form."
            )
        content = stream.read(settings.MAX_DOCUMENT_BYTES + 1)
        if len(content) > settings.MAX_DOCUMENT_BYTES:
            raise TooLarge(
                f"The document has more than {settings.MAX_DOCUMENT_BYTES:,} bytes"
                " (INQUEST_MAX_DOCUMENT_BYTES)."
            )
        return {"document": content}


def document_in(request: Request) -> bytes:
    """The bytes of a request with `RawParser`. Raises LengthRequired if it does not say how many.

    Django reads nothing of a body without a length: what came in chunks looks empty here.
    """
    data = request.data
    content = bytes(data.get("document", b"")) if isinstance(data, dict) else b""
    if not content and not request.META.get("CONTENT_LENGTH"):
        raise LengthRequired
    return content


class AlwaysJson(DefaultContentNegotiation):
    """Answers in JSON whatever was asked for, so that ?format= can name a trace format."""

    def select_renderer(
        self,
        request: Request,
        renderers: Iterable[BaseRenderer],
        format_suffix: str | None = None,
    ) -> tuple[BaseRenderer, str]:
        renderer = next(iter(renderers))
        return renderer, str(renderer.media_type)

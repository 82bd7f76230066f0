"""Payloads of a run over the API: the bytes, as they came."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.views import APIView

from traces import payload_store
from traces.api.runs import PROJECT, run_for
from traces.views.payloads import served

UNAVAILABLE = OpenApiResponse(
    OpenApiTypes.STR, description="The stored bytes are missing or others; says so in a sentence."
)


class OnePayload(APIView):
    @extend_schema(
        parameters=[PROJECT],
        operation_id="show_payload",
        responses={
            (200, "application/octet-stream"): OpenApiTypes.BINARY,
            (502, "text/plain"): UNAVAILABLE,
        },
    )
    def get(self, request: Request, run_id: UUID, digest: str) -> HttpResponse:
        """The bytes of a payload that this run uses, checked against their digest."""
        found = payload_store.used(run_for(request, run_id), digest)
        if found is None:
            raise NotFound("This run has no such payload.")
        return served(found)

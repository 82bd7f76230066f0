"""Verdicts and postmortems over the API. There is no verdict, and no claim, before settlement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Prefetch, QuerySet
from django.http import HttpResponse, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.generics import ListAPIView
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from reviews.api.cases import PROJECT
from reviews.api.serializers import VerdictSerializer
from reviews.models import Miss, Postmortem, Verdict
from traces import quarantine
from traces.api.access import may_lead, membership_for, project_for
from traces.api.paging import Pages
from traces.models import Role

SUPERSEDED = OpenApiParameter(
    "superseded", bool, description="Also those that a later verdict superseded."
)
SET_ASIDE = OpenApiParameter(
    "set_aside", bool, description="Also those on runs that are set aside; figures have none."
)
CHUNK = 500


class NewestFirst(Pages):
    ordering = ("-signed_at", "-id")


class Verdicts(ListAPIView[Verdict]):
    serializer_class = VerdictSerializer
    pagination_class = NewestFirst
    queryset = Verdict.objects.none()

    def get_queryset(self) -> QuerySet[Verdict]:
        return with_all(verdicts_for(self.request).shown)

    @extend_schema(operation_id="list_verdicts", parameters=[PROJECT, SUPERSEDED, SET_ASIDE])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Signed verdicts of the project, newest first, with the claims they adopted."""
        return super().get(request, *args, **kwargs)


class ExportedVerdicts(APIView):
    @extend_schema(
        operation_id="export_verdicts",
        parameters=[PROJECT, SUPERSEDED, SET_ASIDE],
        responses={(200, "application/jsonl"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        """All verdicts, one JSON object a line, oldest first.

        `X-Inquest-Rows` counts them, and `X-Inquest-Left-Out` those that are not here because
        their run is set aside.
        """
        chosen = verdicts_for(request)
        verdicts = with_all(chosen.shown).order_by("signed_at", "pk")
        response = StreamingHttpResponse(lines(verdicts), content_type="application/jsonl")
        response["X-Inquest-Rows"] = verdicts.count()
        response["X-Inquest-Left-Out"] = chosen.left_out.count()
        response["Content-Disposition"] = 'attachment; filename="verdicts.jsonl"'
        return response


class OnePostmortem(APIView):
    @extend_schema(
        operation_id="get_postmortem",
        parameters=[PROJECT],
        responses={(200, "application/json"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, postmortem_id: int) -> HttpResponse:
        """The signed file of a verdict, byte for byte: see docs/verify.md."""
        project = project_for(request, scope="read", role=Role.VIEWER)
        found = Postmortem.objects.filter(verdict__case__project=project, pk=postmortem_id)
        postmortem = found.select_related("verdict__case__run").first()
        if postmortem is None:
            raise NotFound("No such postmortem.")
        verdict = postmortem.verdict
        quarantine.require_readable(verdict.case.run, membership_for(request, project))
        name = f"case-{verdict.case.number}-verdict-{verdict.number}.json"
        response = HttpResponse(postmortem.envelope.encode(), content_type="application/json")
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        response["ETag"] = f'"{postmortem.sha256}"'
        return response


@dataclass(frozen=True, slots=True)
class Chosen:
    """The verdicts that were asked for, and those among them that the quarantine keeps back."""

    shown: QuerySet[Verdict]
    left_out: QuerySet[Verdict]


def verdicts_for(request: Request) -> Chosen:
    """The project's standing verdicts on runs that count, or more with ?superseded and ?set_aside.

    Verdicts on runs that only leads may read are for leads who are signed in.
    """
    project = project_for(request, scope="read", role=Role.VIEWER)
    verdicts = Verdict.objects.filter(case__project=project)
    if not wants(request, "superseded"):
        verdicts = verdicts.filter(superseded_by=None)
    kept_back = quarantine.in_force("case__run_id")
    if wants(request, "set_aside"):
        if may_lead(request, project):
            return Chosen(verdicts, verdicts.none())
        kept_back = quarantine.restricted("case__run_id")
    return Chosen(verdicts.exclude(kept_back), verdicts.filter(kept_back))


def wants(request: Request, name: str) -> bool:
    return request.query_params.get(name, "").lower() in ("true", "1")


def with_all(verdicts: QuerySet[Verdict]) -> QuerySet[Verdict]:
    """With everything the serializer shows, in a number of queries that does not grow."""
    misses = Miss.objects.select_related("contract").order_by("step", "pk")
    return (
        verdicts.select_related(
            "case__run",
            "case__policy",
            "case__failure",
            "signed_by",
            "supersedes",
            "superseded_by",
            "postmortem",
            "adopted__reviewer",
            "adopted__category",
            "adopted__candidate__analysis",
        )
        .annotate(is_aside=quarantine.in_force("case__run_id"))
        .defer("postmortem__envelope", "case__run__task_text", "case__run__initial_state")
        .prefetch_related(
            "adopted__carriers",
            "adopted__evidence",
            "adopted__alternatives",
            Prefetch("adopted__misses", queryset=misses),
        )
    )


def lines(verdicts: QuerySet[Verdict]) -> Iterator[bytes]:
    renderer = JSONRenderer()
    for verdict in verdicts.iterator(chunk_size=CHUNK):
        yield renderer.render(VerdictSerializer(verdict).data) + b"\n"

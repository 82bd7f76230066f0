"""Runs over the API: in as documents, out as JSON."""

from __future__ import annotations

from collections import defaultdict
from typing import Any
from uuid import UUID

from django.db.models import Prefetch, QuerySet, prefetch_related_objects
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.generics import GenericAPIView, ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from traces import ingest, quarantine
from traces.api.access import membership_for, project_for, user_of
from traces.api.accounts import ReceiptSerializer
from traces.api.bodies import AlwaysJson, RawParser, document_in
from traces.api.paging import Pages
from traces.api.serializers import (
    ErrorSerializer,
    RunSerializer,
    StepSerializer,
    WholeRunSerializer,
)
from traces.models import Actor, Failure, Gap, Link, Part, Receipt, Role, Run, Step
from traces.receipts import accounts_of

PROJECT = OpenApiParameter("project", str, description="The project; not needed with an API key.")
FORMAT = OpenApiParameter("format", str, description="Read as this format; else it is detected.")
OUTCOME = OpenApiParameter("outcome", str, enum=["failed", "succeeded", "unknown"])
TASK = OpenApiParameter("task", str, description="Runs of this task.")
NAME = OpenApiParameter("filename", str, description="A name for the receipt.")


class NewestFirst(Pages):
    ordering = ("-received_at", "-id")


class Runs(ListAPIView[Run]):
    serializer_class = RunSerializer
    pagination_class = NewestFirst
    parser_classes = (RawParser,)
    content_negotiation_class = AlwaysJson
    queryset = Run.objects.none()

    def get_queryset(self) -> QuerySet[Run]:
        project = project_for(self.request, scope="read", role=Role.VIEWER)
        wanted = {
            column: value.replace("\x00", "")
            for name, column in (("outcome", "outcome"), ("task", "task_id"))
            if (value := self.request.query_params.get(name))
        }
        runs = Run.objects.filter(project=project, **wanted)
        return runs.annotate(is_aside=quarantine.in_force()).select_related(
            "project__trajectory_profile"
        )

    @extend_schema(parameters=[PROJECT, OUTCOME, TASK], operation_id="list_runs")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Runs of the project, newest first."""
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="send_document",
        parameters=[PROJECT, FORMAT, NAME],
        request={"application/octet-stream": OpenApiTypes.BINARY},
        responses={
            201: ReceiptSerializer,
            200: ReceiptSerializer,
            202: ReceiptSerializer,
            400: ReceiptSerializer,
            411: ErrorSerializer,
            413: ErrorSerializer,
        },
    )
    def post(self, request: Request) -> Response:
        """Take a document in. 201: runs were made or renewed; 200: all known; 400: refused."""
        project = project_for(request, scope="ingest", role=Role.REVIEWER)
        receipt = ingest.ingest(
            project=project,
            content=document_in(request),
            filename=request.query_params.get("filename", ""),
            via=Receipt.Via.API,
            by=user_of(request),
            at=timezone.now(),
            wanted_format=request.query_params.get("format", ""),
        )
        account = accounts_of([receipt])[0]
        return Response(ReceiptSerializer(account).data, status=status_of(receipt))


def status_of(receipt: Receipt) -> int:
    if receipt.document is None:
        return 413
    if receipt.status == Receipt.Status.REFUSED:
        return 400
    if receipt.status == Receipt.Status.STORED:
        return 202
    return 201 if receipt.made or receipt.renewed else 200


class OneRun(GenericAPIView[Run]):
    serializer_class = WholeRunSerializer
    queryset = Run.objects.none()

    @extend_schema(parameters=[PROJECT], operation_id="show_run")
    def get(self, request: Request, run_id: UUID) -> Response:
        """A run with its actors, gaps and failures, and with why it may deserve a look."""
        run = run_for(request, run_id)
        failures = Failure.objects.select_related("added_by").order_by("pk")
        prefetch_related_objects(
            [run],
            Prefetch("actors", Actor.objects.order_by("position")),
            Prefetch("gaps", Gap.objects.order_by("pk")),
            Prefetch("failures", failures),
        )
        return Response(self.get_serializer(run).data)


class ByNumber(Pages):
    ordering = "number"


class Steps(ListAPIView[Step]):
    serializer_class = StepSerializer
    pagination_class = ByNumber
    queryset = Step.objects.none()

    @extend_schema(parameters=[PROJECT], operation_id="list_steps")
    def get(self, request: Request, run_id: UUID) -> Response:
        """Steps of a run in causal order, with content and incoming links."""
        steps = self.paginate_queryset(Step.objects.filter(run=run_for(request, run_id))) or []
        context = contents(run_id, [step.number for step in steps])
        return self.get_paginated_response(StepSerializer(steps, many=True, context=context).data)


def run_for(
    request: Request, run_id: UUID, *, scope: str = "read", role: Role = Role.VIEWER
) -> Run:
    """The run, if who asks may read it: see `traces.quarantine`."""
    project = project_for(request, scope=scope, role=role)
    runs = Run.objects.annotate(is_aside=quarantine.in_force(), is_open=quarantine.is_open())
    try:
        run = runs.select_related("project__trajectory_profile").get(project=project, pk=run_id)
    except Run.DoesNotExist as error:
        raise NotFound("No such run.") from error
    quarantine.require_readable(run, membership_for(request, project))
    return run


def contents(run_id: UUID, numbers: list[int]) -> dict[str, dict[int, list[Any]]]:
    """What the serializer shows beside the steps themselves, in two queries."""
    parts: defaultdict[int, list[Any]] = defaultdict(list)
    links: defaultdict[int, list[Any]] = defaultdict(list)
    found = Part.objects.filter(run=run_id, step__in=numbers)
    for part in found.order_by("step", "position"):
        parts[part.step].append(part)
    for link in Link.objects.filter(run=run_id, target__in=numbers).order_by("target", "source"):
        links[link.target].append(link)
    return {"parts": parts, "links": links}

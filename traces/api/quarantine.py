"""The ledger of the quarantine over the API. Only read: a lead decides, on its pages."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from traces.api.access import project_for
from traces.api.paging import Pages
from traces.api.runs import PROJECT
from traces.models import Quarantine, Role

CHOICES = {"status": Quarantine.Status.values, "reason": Quarantine.Reason.values}


class QuarantineSerializer(serializers.ModelSerializer[Quarantine]):
    """One entry. For a dismissed proposal, owner and decision are those of who dismissed it."""

    external_id = serializers.CharField(source="run.external_id")
    owner = serializers.CharField(source="owner.username", default=None)
    lifted_by = serializers.CharField(source="lifted_by.username", default=None)

    class Meta:
        model = Quarantine
        fields = (
            "id",
            "run",
            "external_id",
            "status",
            "reason",
            "note",
            "proposed_at",
            "owner",
            "decided_at",
            "replacement",
            "lifted_by",
            "lifted_at",
            "lift_reason",
        )


class NewestFirst(Pages):
    ordering = "-id"


class Ledger(ListAPIView[Quarantine]):
    serializer_class = QuarantineSerializer
    pagination_class = NewestFirst
    queryset = Quarantine.objects.none()

    def get_queryset(self) -> QuerySet[Quarantine]:
        project = project_for(self.request, scope="read", role=Role.VIEWER)
        rows = Quarantine.objects.filter(run__project=project, **chosen(self.request))
        return rows.select_related("run", "owner", "lifted_by")

    @extend_schema(
        operation_id="list_quarantine",
        parameters=[
            PROJECT,
            *(OpenApiParameter(name, str, enum=values) for name, values in CHOICES.items()),
        ],
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Every exclusion and proposal there ever was, newest first."""
        return super().get(request, *args, **kwargs)


def chosen(request: Request) -> dict[str, str]:
    """The filters in the query. Raises ValidationError for a value that no entry can have."""
    wanted = {name: request.query_params[name] for name in CHOICES if name in request.query_params}
    for name, value in wanted.items():
        if value not in CHOICES[name]:
            raise ValidationError({name: f"One of {', '.join(CHOICES[name])}."})
    return wanted

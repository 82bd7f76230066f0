"""How a run hangs together with others, over the API."""

from __future__ import annotations

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from traces.api.runs import PROJECT, run_for
from traces.models import Run
from traces.relations import relations_of


class RelativeSerializer(serializers.Serializer[object]):
    id = serializers.UUIDField()
    external_id = serializers.CharField()
    relation = serializers.CharField()
    attempt = serializers.IntegerField(allow_null=True)
    reason = serializers.CharField()
    outcome = serializers.CharField()
    step_count = serializers.IntegerField()
    received_at = serializers.DateTimeField()


class RelationsSerializer(serializers.Serializer[object]):
    """`parent_name` is what the record calls the parent; `parents` are the runs of that name."""

    parent_name = serializers.CharField()
    relation = serializers.CharField()
    parents = RelativeSerializer(many=True)
    attempts = RelativeSerializer(many=True)
    children = RelativeSerializer(many=True)
    cut = serializers.BooleanField(help_text="Whether there are more than are listed.")


class OfRun(GenericAPIView[Run]):
    serializer_class = RelationsSerializer  # type: ignore[assignment]
    queryset = Run.objects.none()

    @extend_schema(parameters=[PROJECT], operation_id="show_relations")
    def get(self, request: Request, run_id: UUID) -> Response:
        """The run's parent, the other attempts of that parent, and the run's children."""
        return Response(self.get_serializer(relations_of(run_for(request, run_id))).data)

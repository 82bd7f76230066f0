"""What became of the raw records of a run, over the API."""

from __future__ import annotations

from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from traces.api.paging import Pages
from traces.api.runs import PROJECT, run_for
from traces.models import RawRecord
from traces.transcript import Fate

FATES = [fate.value for fate in Fate]
FATE = OpenApiParameter("fate", str, enum=FATES)


class RawRecordSerializer(serializers.ModelSerializer[RawRecord]):
    """`label` is what the source calls it, `step` the one it was folded into or explains."""

    fate = serializers.ChoiceField(choices=FATES)

    class Meta:
        model = RawRecord
        fields = ("position", "pointer", "fate", "label", "step")


class ByPosition(Pages):
    ordering = "position"


class RawRecords(ListAPIView[RawRecord]):
    serializer_class = RawRecordSerializer
    pagination_class = ByPosition
    queryset = RawRecord.objects.none()

    @extend_schema(parameters=[PROJECT, FATE], operation_id="list_raw_records")
    def get(self, request: Request, run_id: UUID) -> Response:
        """Records that are no steps by themselves. Those that are: see `pointer` of the steps."""
        records = RawRecord.objects.filter(run=run_for(request, run_id))
        if "fate" in request.query_params:
            records = records.filter(fate=chosen(request.query_params["fate"]))
        shown = self.paginate_queryset(records) or []
        return self.get_paginated_response(self.get_serializer(shown, many=True).data)


def chosen(fate: str) -> str:
    if fate not in FATES:
        raise ValidationError({"fate": f"One of {', '.join(FATES)}."})
    return fate

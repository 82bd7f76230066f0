"""Receipts over the API: what became of each document that was sent, however it came."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.generics import GenericAPIView, ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from traces.api.access import project_for
from traces.api.accounts import ReceiptSerializer
from traces.api.paging import Pages
from traces.api.runs import PROJECT
from traces.models import Receipt, Role
from traces.receipts import accounts_of

CHOICES = {"status": Receipt.Status.values, "via": Receipt.Via.values}


class NewestFirst(Pages):
    ordering = ("-received_at", "-id")


class Receipts(ListAPIView[Receipt]):
    serializer_class = ReceiptSerializer  # type: ignore[assignment]
    pagination_class = NewestFirst
    queryset = Receipt.objects.none()

    @extend_schema(
        operation_id="list_receipts",
        parameters=[
            PROJECT,
            *(OpenApiParameter(name, str, enum=values) for name, values in CHOICES.items()),
        ],
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Receipts of the project, newest first."""
        receipts = self.paginate_queryset(receipts_for(request).filter(**chosen(request))) or []
        shown = ReceiptSerializer(accounts_of(receipts), many=True)
        return self.get_paginated_response(shown.data)


class OneReceipt(GenericAPIView[Receipt]):
    serializer_class = ReceiptSerializer  # type: ignore[assignment]
    queryset = Receipt.objects.none()

    @extend_schema(parameters=[PROJECT], operation_id="show_receipt")
    def get(self, request: Request, receipt_id: str) -> Response:
        """What became of one document. While its status is `stored` it is still to be read."""
        found = receipts_for(request).filter(pk=receipt_id).first()
        if found is None:
            raise NotFound("No such receipt.")
        return Response(ReceiptSerializer(accounts_of([found])[0]).data)


def receipts_for(request: Request) -> QuerySet[Receipt]:
    """Receipts that who asks may read, without the bytes of their documents."""
    project = project_for(request, scope="read", role=Role.VIEWER)
    receipts = Receipt.objects.filter(project=project)
    return receipts.select_related("document", "received_by").defer("document__content")


def chosen(request: Request) -> dict[str, str]:
    """The filters in the query. Raises ValidationError for a value that no receipt can have."""
    wanted = {name: request.query_params[name] for name in CHOICES if name in request.query_params}
    for name, value in wanted.items():
        if value not in CHOICES[name]:
            raise ValidationError({name: f"One of {', '.join(CHOICES[name])}."})
    return wanted

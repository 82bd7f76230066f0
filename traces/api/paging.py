"""Pages of the API's lists: by place, so that far ones are as quick as the first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.db import DataError
from django.db.models import QuerySet
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.views import APIView


class Pages(CursorPagination):
    """A hundred rows a page. A cursor that this list did not make is not found."""

    page_size = 100

    def paginate_queryset(
        self,
        queryset: QuerySet[Any, Any] | Sequence[Any],
        request: Request,
        view: APIView | None = None,
    ) -> list[Any] | None:
        try:
            return super().paginate_queryset(queryset, request, view)
        except (DataError, OverflowError, TypeError, ValidationError, ValueError) as error:
            # The place in a cursor goes into the query as it came: see decode_cursor of DRF.
            if request.query_params.get(self.cursor_query_param):
                raise NotFound(self.invalid_cursor_message) from error
            raise

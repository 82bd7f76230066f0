"""Cases over the API."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Q, QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from reviews.api.serializers import CaseSerializer
from reviews.models import Case, Consequence
from traces import quarantine
from traces.api.access import may_lead, project_for
from traces.api.paging import Pages
from traces.models import Role

PROJECT = OpenApiParameter("project", str, description="The project; not needed with an API key.")
CHOICES = {"status": Case.Status.values, "consequence": Consequence.values}


class NewestFirst(Pages):
    ordering = "-number"


class Cases(ListAPIView[Case]):
    serializer_class = CaseSerializer
    pagination_class = NewestFirst
    queryset = Case.objects.none()

    def get_queryset(self) -> QuerySet[Case]:
        project = project_for(self.request, scope="read", role=Role.VIEWER)
        given = Count("slots", filter=Q(slots__answered_at__isnull=False))
        cases = Case.objects.of_project(project).filter(**chosen(self.request))
        if not may_lead(self.request, project):
            cases = cases.exclude(quarantine.restricted("run_id"))
        aside = quarantine.in_force("run_id")
        return cases.with_record().annotate(signatures_given=given, is_aside=aside)

    @extend_schema(
        operation_id="list_cases",
        parameters=[
            PROJECT,
            *(OpenApiParameter(name, str, enum=values) for name, values in CHOICES.items()),
        ],
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Cases of the project, newest first. Claims are not part of it.

        Those with `set_aside` belong in no figure. Where it is for personal data, only a lead who
        is signed in gets them.
        """
        return super().get(request, *args, **kwargs)


def chosen(request: Request) -> dict[str, str]:
    """The filters in the query. Raises ValidationError for a value that no case can have."""
    wanted = {name: request.query_params[name] for name in CHOICES if name in request.query_params}
    for name, value in wanted.items():
        if value not in CHOICES[name]:
            raise ValidationError({name: f"One of {', '.join(CHOICES[name])}."})
    return wanted

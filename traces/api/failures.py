"""Adding a failure to a run over the API, for programs that judge runs, and for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from traces import failing, models
from traces.api.access import user_of
from traces.api.runs import PROJECT, run_for
from traces.api.serializers import ErrorSerializer, FailureSerializer
from traces.completeness import listed
from traces.formats.steps.fitting import short
from traces.models import ApiKey, Role
from traces.transcript import Failure
from traces.wording import cleaned

Origin = models.Failure.Origin


class NewFailureSerializer(serializers.Serializer[Any]):
    """What failed, in checkable terms. `check` is the test, command or rule that shows it."""

    statement = serializers.CharField(max_length=failing.LONGEST["statement"])
    expected = serializers.CharField(
        max_length=failing.LONGEST["expected"], required=False, default="", allow_blank=True
    )
    observed = serializers.CharField(
        max_length=failing.LONGEST["observed"], required=False, default="", allow_blank=True
    )
    check = serializers.CharField(
        max_length=failing.LONGEST["check"], required=False, default="", allow_blank=True
    )
    exposed_by = serializers.IntegerField(
        min_value=0, required=False, default=None, allow_null=True
    )
    consequence = serializers.ChoiceField(
        choices=failing.CONSEQUENCES, required=False, default="", allow_blank=True
    )

    def failure(self) -> Failure:
        return Failure(key="", **self.validated_data)

    def to_internal_value(self, data: Any) -> Any:
        """Raises ParseError for a key that means nothing here: dropped, it would be lost unseen."""
        unknown = data.keys() - self.fields.keys() if isinstance(data, Mapping) else ()
        if unknown:
            names = listed([f'"{short(cleaned(name))}"' for name in sorted(unknown)])
            raise ParseError(f"Unknown: {names}. A failure has {', '.join(self.fields)}.")
        return super().to_internal_value(data)


class KnownFailureSerializer(ErrorSerializer):
    """Why nothing was added, and the failure that is there already, if that is why."""

    first = FailureSerializer(required=False)


class Failures(GenericAPIView[models.Failure]):
    serializer_class = NewFailureSerializer
    queryset = models.Failure.objects.none()

    @extend_schema(
        parameters=[PROJECT],
        operation_id="add_failure",
        responses={201: FailureSerializer, 400: ErrorSerializer, 409: KnownFailureSerializer},
    )
    def post(self, request: Request, run_id: UUID) -> Response:
        """Add a failure. It gets a case; the run's outcome stays what its record says.

        400: it says too little, has a key that is none, or names a step the run does not have.
        409: the run has this failure already, or is set aside.
        """
        run = run_for(request, run_id, scope="ingest", role=Role.REVIEWER)
        given = NewFailureSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        try:
            added = failing.add_failure(
                run=run,
                failure=given.failure(),
                by=user_of(request),
                origin=Origin.API if isinstance(request.auth, ApiKey) else Origin.PERSON,
                at=timezone.now(),
            )
        except failing.AlreadyThere as error:
            body = {"detail": str(error), "first": FailureSerializer(error.first).data}
            return Response(body, status=409)
        except failing.Refused as error:
            status = 409 if isinstance(error, failing.SetAside) else 400
            return Response({"detail": str(error)}, status=status)
        return Response(FailureSerializer(added).data, status=201)

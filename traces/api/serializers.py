"""Runs and steps as the API shows them. Neither opinions nor what is withheld is here."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from traces import flags, profiles
from traces.models import Actor, Failure, Gap, Link, Part, Run, Step


class FlagSerializer(serializers.Serializer[object]):
    """Why a run deserves a look although nothing calls it failed. Suspicious is not failed."""

    kind = serializers.CharField()
    title = serializers.CharField()
    detail = serializers.CharField()
    step = serializers.IntegerField(allow_null=True)


class RunSerializer(serializers.ModelSerializer[Run]):
    """`set_aside` runs are readable and leave every figure: leave them out of yours."""

    set_aside = serializers.BooleanField(source="is_aside")
    suspicions = serializers.SerializerMethodField()

    class Meta:
        model = Run
        fields = (
            "id",
            "external_id",
            "source",
            "format",
            "schema",
            "sha256",
            "outcome",
            "task_id",
            "started_at",
            "ended_at",
            "received_at",
            "step_count",
            "actor_count",
            "gap_count",
            "tool_call_count",
            "retry_count",
            "set_aside",
            "suspicions",
        )

    @extend_schema_field(FlagSerializer(many=True))
    def get_suspicions(self, run: Run) -> object:
        found = flags.flags_of(run, profiles.profile_of(run.project))
        return FlagSerializer(found, many=True).data


class ActorSerializer(serializers.ModelSerializer[Actor]):
    class Meta:
        model = Actor
        fields = (
            "key",
            "role",
            "kind",
            "instance",
            "model",
            "configuration",
            "authority",
            "parent",
            "replaces",
            "capture",
        )


class GapSerializer(serializers.ModelSerializer[Gap]):
    class Meta:
        model = Gap
        fields = ("kind", "step", "detail")


class FailureSerializer(serializers.ModelSerializer[Failure]):
    """`added_by` and `added_at` are null for what the record itself shows."""

    check = serializers.CharField(source="check_name")
    added_by = serializers.CharField(source="added_by.username", default=None)

    class Meta:
        model = Failure
        fields = (
            "key",
            "statement",
            "expected",
            "observed",
            "check",
            "exposed_by",
            "consequence",
            "origin",
            "added_by",
            "added_at",
        )


class LinkSerializer(serializers.ModelSerializer[Link]):
    class Meta:
        model = Link
        fields = ("source", "target", "kind", "rule")


class WholeRunSerializer(RunSerializer):
    """A run with everything but its steps."""

    actors = ActorSerializer(many=True)
    gaps = GapSerializer(many=True)
    failures = FailureSerializer(many=True)

    class Meta(RunSerializer.Meta):
        fields = (  # type: ignore[assignment]
            *RunSerializer.Meta.fields,
            "rule",
            "pointer",
            "task_text",
            "system",
            "initial_state",
            "recorder",
            "closed_at",
            "reports",
            "parent_run",
            "parent_relation",
            "attempt",
            "attempt_reason",
            "capture",
            "folded",
            "unread",
            "revision",
            "actors",
            "gaps",
            "failures",
        )


class PartSerializer(serializers.ModelSerializer[Part]):
    class Meta:
        model = Part
        fields = ("position", "kind", "text", "data", "capture")


class StepSerializer(serializers.ModelSerializer[Step]):
    """A step with its content and the links that lead to it, both from the context."""

    parts = serializers.SerializerMethodField()
    links = serializers.SerializerMethodField()

    class Meta:
        model = Step
        fields = (
            "number",
            "source_id",
            "actor",
            "kind",
            "status",
            "tool",
            "started_at",
            "ended_at",
            "recorded_at",
            "attempt",
            "attempt_reason",
            "attempt_by",
            "pointer",
            "also_from",
            "capture",
            "parts",
            "links",
        )

    @extend_schema_field(PartSerializer(many=True))
    def get_parts(self, step: Step) -> object:
        return PartSerializer(self.context["parts"][step.number], many=True).data

    @extend_schema_field(LinkSerializer(many=True))
    def get_links(self, step: Step) -> object:
        return LinkSerializer(self.context["links"][step.number], many=True).data


class ErrorSerializer(serializers.Serializer[object]):
    detail = serializers.CharField()

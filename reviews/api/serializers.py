"""Cases and verdicts as the API and the exports show them: one shape, whatever the number."""

from __future__ import annotations

from django.contrib.auth.models import User
from rest_framework import serializers

from reviews.models import (
    Alternative,
    Case,
    Category,
    Claim,
    Evidence,
    Miss,
    Postmortem,
    Verdict,
)


class PersonSerializer(serializers.ModelSerializer[User]):
    name = serializers.CharField(source="get_full_name")

    class Meta:
        model = User
        fields = ("username", "name")


class CaseSerializer(serializers.ModelSerializer[Case]):
    """A case without any of its claims: how far it is, not what was said."""

    run = serializers.UUIDField(source="run_id")
    external_id = serializers.CharField(source="run.external_id")
    task_id = serializers.CharField(source="run.task_id")
    failure = serializers.CharField(source="failure.statement")
    policy_version = serializers.IntegerField(source="policy.version")
    signatures_needed = serializers.IntegerField(source="policy.signatures_needed")
    signatures_given = serializers.IntegerField()
    set_aside = serializers.BooleanField(source="is_aside")

    class Meta:
        model = Case
        fields = (
            "number",
            "status",
            "consequence",
            "opened_at",
            "run",
            "external_id",
            "task_id",
            "failure",
            "policy_version",
            "signatures_needed",
            "signatures_given",
            "set_aside",
        )


class EvidenceSerializer(serializers.ModelSerializer[Evidence]):
    class Meta:
        model = Evidence
        fields = ("purpose", "step", "part", "start", "end", "text", "sha256")


class AlternativeSerializer(serializers.ModelSerializer[Alternative]):
    class Meta:
        model = Alternative
        fields = ("step", "rejected_because")


class MissSerializer(serializers.ModelSerializer[Miss]):
    contract = serializers.CharField(source="contract.key")

    class Meta:
        model = Miss
        fields = ("step", "contract")


class CategorySerializer(serializers.ModelSerializer[Category]):
    class Meta:
        model = Category
        fields = ("key", "version", "name")


class ClaimSerializer(serializers.ModelSerializer[Claim]):
    """The claim a verdict adopted."""

    reviewer = PersonSerializer()
    attributor = serializers.CharField(source="candidate.analysis.attributor", default=None)
    category = CategorySerializer(allow_null=True)
    carriers = serializers.SerializerMethodField()
    evidence = EvidenceSerializer(many=True)
    alternatives = AlternativeSerializer(many=True)
    misses = MissSerializer(many=True)

    class Meta:
        model = Claim
        fields = (
            "id",
            "reviewer",
            "outcome",
            "basis",
            "attributor",
            "revision_reason",
            "note",
            "decisive_step",
            "responsible",
            "actor",
            "state_change",
            "exposing_step",
            "carriers",
            "evidence",
            "alternatives",
            "misses",
            "counterfactual",
            "evaluator",
            "environment",
            "task",
            "harness",
            "category",
            "phase",
            "tags",
            "confidence",
            "unresolved_reason",
            "missing_observation",
            "signed_at",
        )

    def get_carriers(self, claim: Claim) -> list[int]:
        return sorted(carrier.step for carrier in claim.carriers.all())


class PostmortemSerializer(serializers.ModelSerializer[Postmortem]):
    class Meta:
        model = Postmortem
        fields = ("id", "sha256", "keyid")


class VerdictSerializer(serializers.ModelSerializer[Verdict]):
    """A verdict with the claim it adopted, if any, and where its signed document is."""

    schema = serializers.SerializerMethodField()
    case = serializers.IntegerField(source="case.number")
    consequence = serializers.CharField(source="case.consequence")
    policy_version = serializers.IntegerField(source="case.policy.version")
    run = serializers.UUIDField(source="case.run_id")
    external_id = serializers.CharField(source="case.run.external_id")
    task_id = serializers.CharField(source="case.run.task_id")
    run_sha256 = serializers.CharField(source="case.run.sha256")
    failure = serializers.CharField(source="case.failure.statement")
    signed_by = PersonSerializer()
    supersedes = serializers.IntegerField(source="supersedes.number", default=None)
    superseded_by = serializers.IntegerField(source="superseded_by.number", default=None)
    claim = ClaimSerializer(source="adopted", allow_null=True)
    postmortem = PostmortemSerializer()
    set_aside = serializers.BooleanField(source="is_aside")

    class Meta:
        model = Verdict
        fields = (
            "schema",
            "case",
            "number",
            "outcome",
            "reason",
            "missing_observation",
            "signed_by",
            "signed_at",
            "supersedes",
            "superseded_by",
            "consequence",
            "policy_version",
            "run",
            "external_id",
            "task_id",
            "run_sha256",
            "failure",
            "claim",
            "postmortem",
            "set_aside",
        )

    def get_schema(self, verdict: Verdict) -> str:
        return "inquest-verdict/1"

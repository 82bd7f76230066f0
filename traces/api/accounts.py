"""Receipts as the API shows them. What a reason quotes of a document is not here: see `excerpt`."""

from __future__ import annotations

from rest_framework import serializers

from traces.models import Receipt


class RefusalSerializer(serializers.Serializer[dict[str, str]]):
    position = serializers.CharField()
    reason = serializers.CharField()


class RunLineSerializer(serializers.Serializer[object]):
    id = serializers.UUIDField()
    external_id = serializers.CharField()
    outcome = serializers.CharField()
    step_count = serializers.IntegerField()
    gap_count = serializers.IntegerField()


class GapCountSerializer(serializers.Serializer[object]):
    kind = serializers.CharField(source="name")
    title = serializers.CharField()
    count = serializers.IntegerField()


class LabelsSerializer(serializers.Serializer[object]):
    """Labels that came apart from their runs: joined to one by now, or waiting for it."""

    joined = serializers.IntegerField()
    waiting = serializers.IntegerField()


class ReceiptSerializer(serializers.Serializer[object]):
    """What became of one document. `format` ends with the version of the mapper that read it.

    `gaps` and `labels` are as of now, all else as of when it was read. Of the refused places the
    first 200 are listed; `refused_count` counts all.
    """

    receipt = serializers.IntegerField(source="receipt.pk")
    filename = serializers.CharField(source="receipt.filename")
    via = serializers.ChoiceField(source="receipt.via", choices=Receipt.Via.values)
    sender = serializers.CharField(source="receipt.received_by.username", default=None)
    received_at = serializers.DateTimeField(source="receipt.received_at")
    finished_at = serializers.DateTimeField(source="receipt.finished_at")
    status = serializers.ChoiceField(source="receipt.status", choices=Receipt.Status.values)
    reason = serializers.CharField(source="receipt.reason")
    format = serializers.CharField(source="receipt.format")
    rule = serializers.CharField(source="receipt.rule")
    wanted_format = serializers.CharField(source="receipt.wanted_format")
    document = serializers.CharField(source="receipt.document.sha256", default=None)
    accepted_spans = serializers.IntegerField(source="receipt.accepted")
    waiting_spans = serializers.IntegerField(source="receipt.waiting")
    withheld = serializers.ListField(source="receipt.withheld", child=serializers.DictField())
    made = RunLineSerializer(many=True)
    known = RunLineSerializer(many=True)
    renewed = RunLineSerializer(many=True)
    folded = serializers.IntegerField()
    folded_by_rule = serializers.DictField(child=serializers.IntegerField())
    gap_count = serializers.IntegerField(source="receipt.gap_count")
    gaps = GapCountSerializer(many=True)
    refused = RefusalSerializer(many=True)
    refused_count = serializers.IntegerField(source="receipt.refused_count")
    labels = LabelsSerializer()
    notes = serializers.ListField(source="receipt.notes", child=serializers.CharField())

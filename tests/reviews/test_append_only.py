"""What was signed stays: every protected table refuses every way of changing it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.apps import apps
from django.db import DatabaseError, connection, models, transaction

from reviews import checkpoints
from reviews.fields import Missed, Rejected
from reviews.models import Category, Contract
from tests.factories import AT
from tests.reviews.scenes import make_scene, settle, sign
from traces.models import Payload, Redaction, RedactionPolicy, Run, Withheld

pytestmark = [pytest.mark.django_db, pytest.mark.database]
PROTECTED = {
    "reviews.Claim": "note",
    "reviews.Evidence": "text",
    "reviews.Carrier": "step",
    "reviews.Alternative": "rejected_because",
    "reviews.Miss": "step",
    "reviews.Category": "definition",
    "reviews.Policy": "lease_minutes",
    "reviews.Verdict": "reason",
    "reviews.Postmortem": "envelope",
    "traces.AuditCheckpoint": "head",
    "traces.AuditEntry": "data",
    "traces.Payload": "media_type",
    "traces.RawDocument": "content",
    "traces.Redaction": "count",
    "traces.RedactionPolicy": "note",
    "traces.Withheld": "length",
}


@pytest.fixture
def _a_settled_case() -> None:
    case = make_scene()
    category = Category.objects.create(project=case.project, key="k", name="K")
    contract = Contract.objects.create(project=case.project, key="c", valid_from=AT)
    claim = sign(
        case,
        "ada",
        category=category.pk,
        alternatives=(Rejected(0, "No."),),
        misses=(Missed(3, contract.pk),),
    )
    settle(case, claim)
    checkpoints.make(at=AT)
    withhold(case.run)
    Payload.objects.create(
        project=case.project, sha256="0" * 64, size=1, media_type="text/plain", received_at=AT
    )
    # As after a commit: nothing of the scene waits for a check any more.
    connection.check_constraints()


def withhold(run: Run) -> None:
    """A policy, what it withheld from the run's document, and the receipt of that."""
    project = run.project
    policy = RedactionPolicy.objects.create(project=project, version=1, made_at=AT)
    Withheld.objects.create(
        project=project, type="EMAIL", number=1, length=9, action="redact", made_at=AT
    )
    Redaction.objects.create(document=run.document, policy=policy, count=1, made_at=AT)


def saved(row: models.Model, field: str) -> None:
    row.save(update_fields=[field])


def updated(row: models.Model, field: str) -> None:
    type(row)._default_manager.filter(pk=row.pk).update(**{field: getattr(row, field)})


def updated_in_bulk(row: models.Model, field: str) -> None:
    type(row)._default_manager.bulk_update([row], [field])


def deleted(row: models.Model, field: str) -> None:
    row.delete()


def deleted_in_bulk(row: models.Model, field: str) -> None:
    type(row)._default_manager.filter(pk=row.pk)._raw_delete("default")


def by_sql(statement: str) -> Callable[[models.Model, str], None]:
    def run(row: models.Model, field: str) -> None:
        table, column = row._meta.db_table, row._meta.get_field(field).column
        with connection.cursor() as cursor:
            cursor.execute(statement.format(table=table, column=column))

    return run


WAYS = {
    "save": saved,
    "update": updated,
    "bulk update": updated_in_bulk,
    "delete": deleted,
    "bulk delete": deleted_in_bulk,
    "SQL update": by_sql("UPDATE {table} SET {column} = {column}"),
    "SQL delete": by_sql("DELETE FROM {table}"),
    "SQL truncate": by_sql("TRUNCATE {table} CASCADE"),
    "SQL upsert": by_sql(
        "MERGE INTO {table} t USING {table} s ON t.ctid = s.ctid"
        " WHEN MATCHED THEN UPDATE SET {column} = s.{column}"
    ),
}


@pytest.mark.usefixtures("_a_settled_case")
@pytest.mark.parametrize("label", PROTECTED)
def test_a_protected_table_refuses_every_change(label: str) -> None:
    model, field = apps.get_model(label), PROTECTED[label]
    row = model._default_manager.first()
    assert row, f"The scene has no {label}."
    before = model._default_manager.count()
    for way, change in WAYS.items():
        # Deleting by the ORM is stopped by our trigger or, before it, by what points at the row.
        with pytest.raises((DatabaseError, models.ProtectedError)) as refusal, transaction.atomic():
            change(row, field)
        told = str(refusal.value)
        assert "pgtrigger: Cannot" in told or "protected foreign keys" in told, (way, told)
    assert model._default_manager.count() == before


def test_the_list_of_protected_tables_is_whole() -> None:
    protected = {
        model._meta.label
        for model in apps.get_models()
        if any(trigger.name == "append_only" for trigger in getattr(model._meta, "triggers", ()))
    }
    assert protected == set(PROTECTED)

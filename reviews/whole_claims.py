"""Claims with all that hangs on them, in one query: a page shows several, each with five lists."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Model, OuterRef, QuerySet
from django.db.models.functions import JSONObject

from reviews.models import Alternative, Carrier, Claim, Contract, Evidence, Miss

# By the name that a claim has for them.
CHILDREN: dict[str, type[Model]] = {
    "evidence": Evidence,
    "carriers": Carrier,
    "alternatives": Alternative,
    "misses": Miss,
}


def whole(claims: QuerySet[Claim]) -> list[Claim]:
    """These claims, oldest first, as `select_related` and `prefetch_related` would give them."""
    missed = Miss.objects.filter(claim=OuterRef(OuterRef("pk"))).values("contract")
    columns = {
        f"rows_of_{name}": _rows(model._default_manager.filter(claim=OuterRef("pk")))
        for name, model in CHILDREN.items()
    }
    columns["rows_of_contracts"] = _rows(Contract.objects.filter(pk__in=missed))
    related = claims.select_related("reviewer", "category", "candidate__analysis")
    found = list(related.annotate(**columns).order_by("signed_at", "pk"))
    for claim in found:
        _give_children(claim)
    return found


def _rows(rows: QuerySet[Any]) -> ArraySubquery:
    names = {field.attname: field.attname for field in rows.model._meta.concrete_fields}
    return ArraySubquery(rows.order_by("pk").values(row=JSONObject(**names)))


def _give_children(claim: Any) -> None:
    contracts = {each.pk: each for each in _made(Contract, claim.rows_of_contracts)}
    claim._prefetched_objects_cache = {}
    for name, model in CHILDREN.items():
        rows = list(_made(model, getattr(claim, f"rows_of_{name}")))
        for row in rows:
            row.claim = claim
            if name == "misses":
                row.contract = contracts[row.contract_id]
        # As prefetching does: `all()` of the relation then gives these.
        queryset = getattr(claim, name).all()
        queryset._result_cache, queryset._prefetch_done = rows, True
        claim._prefetched_objects_cache[name] = queryset


def _made(model: type[Model], rows: Iterable[dict[str, Any]]) -> Iterable[Any]:
    """Rows in JSON as the objects they were."""
    fields = model._meta.concrete_fields
    names = [field.attname for field in fields]
    for row in rows:
        values = [field.to_python(row[field.attname]) for field in fields]
        yield model.from_db("default", names, values)

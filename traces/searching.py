"""The texts of a run read for a search, and nothing else of it: a part of the time of all of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from django.db.models import Q

from traces import payload_store
from traces.models import Actor, Part, Payload, Run, Step
from traces.payloads import references
from traces.transcript import OBSERVATIONS, ActorKind, PartKind
from traces.transcript import Part as Piece
from traces.values import Source

# Bytes of payloads that one search reads, the small ones first.
MOST = 32 * 2**20
TEXTS = Q(media_type__startswith="text/plain")
type_of_places = dict[tuple[int, int], str]


class Texts(NamedTuple):
    """Every part's text, whole where it was moved. Of `unread` payloads only what the part kept."""

    sources: list[Source]
    unread: int


def texts_of(run: Run) -> Texts:
    """The run's texts in causal order, in three queries; in five if some were moved."""
    payload_at = moved(run)
    whole = dict(contents(run, set(payload_at.values()))) if payload_at else {}
    environment = Actor.objects.filter(run=run, kind=ActorKind.ENVIRONMENT).values("key")
    seen = set(Step.objects.filter(run=run, actor__in=environment).values_list("number", flat=True))
    rows = Part.objects.filter(run=run).order_by("step", "position")
    sources = []
    for step, position, kind, text in rows.values_list("step", "position", "kind", "text"):
        observed = kind in OBSERVATIONS or (kind == PartKind.INPUT and step in seen)
        sha256 = payload_at.get((step, position), "")
        if sha256 in whole:
            sources.append(Source(step, position, whole[sha256], observed, sha256))
        else:
            sources.append(Source(step, position, text, observed))
    return Texts(sources, len(set(payload_at.values()) - whole.keys()))


def moved(run: Run) -> type_of_places:
    """The digest of each part's text that is a payload of this run."""
    ours = set(Payload.objects.filter(TEXTS, uses__run=run).values_list("sha256", flat=True))
    if not ours:
        return {}
    rows = Part.objects.filter(run=run, data__has_any_keys=["payload", "payloads"])
    return {
        (step, position): reference["sha256"]
        for step, position, kind, data in rows.values_list("step", "position", "kind", "data")
        for reference in references(Piece(PartKind(kind), "", data))
        if reference.get("of") == "text" and reference["sha256"] in ours
    }


def contents(run: Run, wanted: set[str]) -> Iterator[tuple[str, str]]:
    """As many of these texts as may be read, by their digests, the small ones first."""
    used = Payload.objects.filter(uses__run=run, sha256__in=wanted)
    room, keys = MOST, []
    for key, size in used.order_by("size").values_list("pk", "size"):
        room -= size
        if room < 0:
            break
        keys.append(key)
    for payload in Payload.objects.filter(pk__in=keys).iterator(chunk_size=20):
        try:
            yield payload.sha256, payload_store.content_of(payload).decode()
        except payload_store.Unavailable:
            continue

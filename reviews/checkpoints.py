"""Signed checkpoints of the audit chain: how many entries it had, and the hash of the last.

The chain alone does not show a tail that was cut off. A checkpoint does, and a copy of it that is
kept elsewhere also shows it when the stored checkpoints were removed with the tail.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import F, OuterRef, Subquery

from reviews.postmortems import keys, signing, verify
from reviews.postmortems.plain import moment
from traces import audit
from traces.models import AuditCheckpoint, AuditEntry

PREDICATE_TYPE = "urn:inquest:audit-checkpoint:1"
FORMAT = "inquest-audit-checkpoint/1"


@dataclass(frozen=True, slots=True)
class Point:
    """What a checkpoint says: at that time the chain had so many entries and ended in `head`."""

    entries: int
    head: str
    made_at: str


@transaction.atomic
def make(*, at: datetime) -> AuditCheckpoint | None:
    """Sign how far the chain has come; None if the newest checkpoint says it already.

    Raises signing.BadKey, and OSError when the key cannot be read.
    """
    # Two makers at once make one checkpoint.
    audit.lock()
    last = AuditEntry.objects.order_by("-number").first()
    signer = keys.installation_signer()
    if last is None or _is_known(last, keyid=signer.public_key.keyid):
        return None
    predicate = {
        "format": FORMAT,
        "entries": last.number,
        "head": last.sha256,
        "made_at": moment(at),
    }
    statement = signing.statement_about(
        subjects=[(f"audit-chain:{last.number}", last.sha256)], predicate=predicate
    )
    envelope = signing.sign(statement | {"predicateType": PREDICATE_TYPE}, signer=signer)
    return AuditCheckpoint.objects.create(
        entries=last.number, head=last.sha256, made_at=at, envelope=envelope.decode()
    )


def newest() -> AuditCheckpoint | None:
    """The stored checkpoint that was made last."""
    return AuditCheckpoint.objects.order_by("-pk").first()


def read(envelope: bytes, *, public_pem: bytes) -> Point:
    """What a checkpoint says, once its signature holds. Raises verify.Fault."""
    statement = verify.authenticated(envelope, public_pem)
    predicate = statement.get("predicate")
    if statement.get("predicateType") != PREDICATE_TYPE or not isinstance(predicate, dict):
        raise verify.Fault("The file is signed, but it is not a checkpoint of an audit chain.")
    return Point(
        entries=int(predicate["entries"]),
        head=str(predicate["head"]),
        made_at=str(predicate["made_at"]),
    )


def faults_against(point: Point) -> Iterator[str]:
    """Sentences about what the chain has lost or replaced since this checkpoint."""
    entry = AuditEntry.objects.filter(number=point.entries).first()
    if entry is None:
        have = AuditEntry.objects.count()
        yield (
            f"The chain has {have} entries, but the checkpoint of {point.made_at} counts"
            f" {point.entries}: its end was cut off."
        )
    elif entry.sha256 != point.head:
        yield (
            f"Entry {point.entries} is not the one that the checkpoint of {point.made_at} names:"
            " the chain was written anew."
        )


def faults() -> Iterator[str]:
    """Sentences about stored checkpoints that the chain, or their signature, does not bear out."""
    last = newest()
    if last is None:
        return
    yield from _signature_faults(last)
    yield from faults_against(_stored(last))
    named = AuditEntry.objects.filter(number=OuterRef("entries")).values("sha256")[:1]
    earlier = AuditCheckpoint.objects.exclude(pk=last.pk).annotate(found=Subquery(named))
    # The first is enough: whatever replaced its entry replaced all that follow.
    first = earlier.filter(found__isnull=False).exclude(found=F("head")).order_by("pk").first()
    if first is not None:
        yield from faults_against(_stored(first))


def _signature_faults(checkpoint: AuditCheckpoint) -> Iterator[str]:
    public_pem = signing.public_pem(keys.installation_signer())
    try:
        signed = read(checkpoint.envelope.encode(), public_pem=public_pem)
    except verify.Fault as fault:
        yield f"The newest checkpoint does not hold. {fault}"
        return
    if signed != _stored(checkpoint):
        yield "The newest checkpoint was changed after it was signed."


def _stored(checkpoint: AuditCheckpoint) -> Point:
    made_at = moment(checkpoint.made_at) or ""
    return Point(entries=checkpoint.entries, head=checkpoint.head, made_at=made_at)


def _is_known(last: AuditEntry, *, keyid: str) -> bool:
    known = newest()
    if known is None or verify.keyid_in(known.envelope.encode()) != keyid:
        return False
    # A chain that is shorter than its checkpoint must not be signed as if it were whole.
    return last.number <= known.entries

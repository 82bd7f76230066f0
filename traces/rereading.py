"""A stored document read once more, as what somebody says it is: nothing is sent again."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from django.contrib.auth.models import User

from traces import ingest, raw
from traces.formats import registry
from traces.formats.base import Unreadable
from traces.formats.files import containers, documents
from traces.models import RawDocument, Receipt

# Above this nobody waits for a page to find out what fits: the receipt's reason names it.
LARGEST_LOOKED_AT = 2**20


class Offer(NamedTuple):
    """Formats that a document may be read as: those whose rules fit it, and the others."""

    fitting: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return self.fitting + self.others


NOTHING = Offer()


def offered(receipt: Receipt) -> Offer:
    """What a refused document may be read as: nothing if there is no value in it to be read."""
    if receipt.status != Receipt.Status.REFUSED or receipt.document is None:
        return NOTHING
    try:
        fitting = candidates(receipt.document)
    except Unreadable:
        return NOTHING
    others = (name for name in registry.formats() if name not in fitting)
    return Offer(tuple(fitting), tuple(others))


def candidates(document: RawDocument) -> list[str]:
    """The names of the formats whose rules fit, if it is one document and not a bundle.

    Raises Unreadable if it is no JSON, or is cut so that nothing is left: in no format is it more.
    """
    if document.size > LARGEST_LOOKED_AT:
        return []
    members, _ = containers.opened(raw.content(document.pk), ingest.limits())
    if len(members) != 1 or members[0].name:
        return []
    sample = documents.decoded(members[0], ingest.limits()).sample()
    return [format_.name for format_, _ in registry.candidates(sample)]


def read_as(*, receipt: Receipt, format_: str, by: User, at: datetime) -> Receipt:
    """Read the receipt's document as this format. What comes of it is a receipt of its own."""
    again = Receipt.objects.create(
        project=receipt.project,
        document=receipt.document,
        filename=receipt.filename,
        via=Receipt.Via.UPLOAD,
        wanted_format=format_,
        received_by=by,
        received_at=at,
    )
    return ingest.read(receipt_id=again.pk, at=at)

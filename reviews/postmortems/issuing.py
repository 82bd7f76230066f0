"""Making the postmortem of a verdict: document, statement, signature, row."""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256

from reviews.models import Postmortem, Verdict
from reviews.postmortems import document, keys, signing


def issue(*, verdict: Verdict, at: datetime) -> Postmortem:
    """Sign the document of this verdict and store it. Belongs in the verdict's transaction."""
    signer = keys.installation_signer()
    statement = signing.statement_about(
        subjects=document.subjects_of(verdict), predicate=document.predicate_of(verdict)
    )
    envelope = signing.sign(statement, signer=signer)
    return Postmortem.objects.create(
        verdict=verdict,
        envelope=envelope.decode(),
        sha256=sha256(envelope).hexdigest(),
        keyid=signer.public_key.keyid,
        created_at=at,
    )

"""The key this installation signs with."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from securesystemslib.signer import CryptoSigner

from config.embedded import paths, records
from reviews.postmortems import signing


def installation_signer() -> CryptoSigner:
    """The signer of INQUEST_SIGNING_KEY_FILE, or of a key made once in the state folder.

    Raises signing.BadKey, and OSError when the named file cannot be read.
    """
    if settings.SIGNING_KEY_FILE:
        return signing.signer_from(Path(settings.SIGNING_KEY_FILE).read_bytes())
    file = paths.state_dir() / "signing_key.pem"
    return signing.signer_from(records.read_or_create(file, signing.generate_key).encode())

"""A project's key: values are hashed and sealed under it, and nothing else opens them.

The key is random, and kept wrapped under the site's secret key. Whoever has the database alone
can neither open a sealed value nor guess one from its hash.
"""

from __future__ import annotations

import hmac
import secrets
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from traces.models import Project, ProjectKey

KEY_BYTES = 32


class KeyLost(Exception):
    """The project's key does not open. The message is the sentence people read."""


LOST = (
    "The key of this project does not open: the site's secret key (INQUEST_SECRET_KEY) is not the"
    " one it was made under. Put the old one back, or into SECRET_KEY_FALLBACKS."
)


@dataclass(frozen=True, slots=True)
class Key:
    """An opened key. Hashing and sealing use keys of their own, derived from it."""

    hashing: bytes
    sealing: bytes

    def keyed_hash(self, value: str) -> str:
        return hmac.new(self.hashing, spelled(value), sha256).hexdigest()

    def sealed(self, value: str) -> bytes:
        return Fernet(self.sealing).encrypt(spelled(value))

    def opened(self, sealed: bytes) -> str:
        """The value. Raises KeyLost if it was sealed under another key, or altered."""
        try:
            return Fernet(self.sealing).decrypt(sealed).decode("utf-8", "surrogatepass")
        except InvalidToken as error:
            raise KeyLost("This value was not sealed under the key of its project.") from error


def spelled(value: str) -> bytes:
    return value.encode("utf-8", "surrogatepass")


def derived(secret: bytes, purpose: str) -> bytes:
    info = f"inquest/{purpose}".encode()
    return HKDF(SHA256(), length=KEY_BYTES, salt=None, info=info).derive(secret)


def wrapping() -> MultiFernet:
    """Wraps under the site's key, and opens what an earlier one wrapped."""
    given = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    keys = [derived(str(each).encode(), "project-key") for each in given]
    return MultiFernet([Fernet(urlsafe_b64encode(key)) for key in keys])


def key_of(project: Project, *, at: datetime) -> Key:
    """The project's key, made when first asked for. To be called under the project's lock."""
    kept = ProjectKey.objects.filter(project=project).first()
    if kept is None:
        wrapped = wrapping().encrypt(secrets.token_bytes(KEY_BYTES))
        kept = ProjectKey.objects.create(project=project, wrapped=wrapped, made_at=at)
    return opened(kept)


def existing_key_of(project: Project) -> Key:
    return opened(ProjectKey.objects.get(project=project))


def opened(kept: ProjectKey) -> Key:
    try:
        secret = wrapping().decrypt(bytes(kept.wrapped))
    except InvalidToken as error:
        raise KeyLost(LOST) from error
    return Key(derived(secret, "hash"), urlsafe_b64encode(derived(secret, "seal")))

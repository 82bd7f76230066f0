"""Signing: an in-toto statement in a DSSE envelope, Ed25519, written as canonical JSON.

Plain Python. RFC 8785 fixes every byte of the envelope and of the statement in it, so that any
change to a file shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)
from securesystemslib.dsse import Envelope
from securesystemslib.signer import CryptoSigner, SSlibKey

PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:inquest:postmortem:1"
FORMAT = "inquest-postmortem/1"
PREDICATE_KEYS = frozenset(
    {
        "format",
        "project",
        "case",
        "run",
        "failure",
        "verdict",
        "finding",
        "claims",
        "candidates",
        "gaps",
    }
)


class BadKey(ValueError):
    """The file holds no Ed25519 key in PEM of the kind that was asked for."""


def generate_key() -> str:
    """A new private key in PEM (PKCS 8, not encrypted)."""
    pem: bytes = CryptoSigner.generate_ed25519().private_bytes
    return pem.decode()


def signer_from(private_pem: bytes) -> CryptoSigner:
    try:
        key = load_pem_private_key(private_pem, password=None)
    except (ValueError, TypeError) as error:
        raise BadKey("This is not a private key in PEM without a password.") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise BadKey("The private key is not an Ed25519 key.")
    return CryptoSigner(key)


def key_from(public_pem: bytes) -> SSlibKey:
    try:
        key = load_pem_public_key(public_pem)
    except ValueError as error:
        raise BadKey("This is not a public key in PEM.") from error
    if not isinstance(key, Ed25519PublicKey):
        raise BadKey("The public key is not an Ed25519 key.")
    return SSlibKey.from_crypto(key)


def public_pem(signer: CryptoSigner) -> bytes:
    """The public half, in PEM, to hand to whoever verifies."""
    raw = bytes.fromhex(signer.public_key.keyval["public"])
    key = Ed25519PublicKey.from_public_bytes(raw)
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def statement_about(
    *, subjects: Sequence[tuple[str, str]], predicate: Mapping[str, Any]
) -> dict[str, Any]:
    """The in-toto statement about these (name, sha256 in hex) pairs."""
    return {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": name, "digest": {"sha256": digest}} for name, digest in subjects],
        "predicateType": PREDICATE_TYPE,
        "predicate": dict(predicate),
    }


def sign(statement: Mapping[str, Any], *, signer: CryptoSigner) -> bytes:
    """The envelope, byte for byte as it is stored and exported."""
    envelope = Envelope(rfc8785.dumps(dict(statement)), PAYLOAD_TYPE, {})
    envelope.sign(signer)
    return rfc8785.dumps(envelope.to_dict())

"""Verifying an exported postmortem: the file, a public key, and nothing else.

Plain Python, no network, no database. `verify` never trusts what it has not checked yet: the
content is only looked at once the signature holds.
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

import rfc8785
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import Error as SigningError
from securesystemslib.signer import Signature

from reviews.postmortems import content, signing


class Fault(ValueError):
    """The file is not a postmortem signed with this key; the message says what is wrong."""


def verify(data: bytes, public_key_pem: bytes) -> list[str]:
    """What is wrong with the file, in sentences; an empty list means that it is valid."""
    try:
        statement = authenticated(data, public_key_pem)
    except Fault as fault:
        return [str(fault)]
    return list(content.faults(statement))


def authenticated(data: bytes, public_key_pem: bytes) -> dict[str, Any]:
    """The statement in the file, once its signature holds. Raises Fault."""
    try:
        key = signing.key_from(public_key_pem)
    except signing.BadKey as error:
        raise Fault(str(error)) from error
    payload, signature = _opened(data)
    if signature.keyid != key.keyid:
        raise Fault(f"It was signed with the key {signature.keyid}, not with {key.keyid}.")
    try:
        key.verify_signature(signature, Envelope(payload, signing.PAYLOAD_TYPE, {}).pae())
    except SigningError as error:
        raise Fault("The signature does not fit: the file was changed after signing.") from error
    return _canonical_object(payload, "The statement")


def statement_in(data: bytes) -> dict[str, Any]:
    """The statement in an envelope of our own, unverified. Raises Fault for what is none."""
    payload, _ = _opened(data)
    return _canonical_object(payload, "The statement")


def keyid_in(data: bytes) -> str:
    """The id of the key that an envelope says it was signed with. Raises Fault."""
    _, signature = _opened(data)
    return str(signature.keyid)


def _opened(data: bytes) -> tuple[bytes, Signature]:
    """The payload and the one signature of an envelope of exactly our shape."""
    envelope = _canonical_object(data, "The file")
    _only(envelope, {"payload", "payloadType", "signatures"}, "The file")
    if envelope["payloadType"] != signing.PAYLOAD_TYPE:
        raise Fault(f"The payload type is not {signing.PAYLOAD_TYPE}.")
    signatures = envelope["signatures"]
    if not isinstance(signatures, list) or len(signatures) != 1:
        raise Fault("The file does not carry exactly one signature.")
    _only(signatures[0], {"keyid", "sig"}, "The signature")
    if not isinstance(signatures[0]["keyid"], str):
        raise Fault("The signature does not name its key.")
    payload = _base64(envelope["payload"], "The payload")
    signature = _base64(signatures[0]["sig"], "The signature")
    return payload, Signature(signatures[0]["keyid"], signature.hex())


def _canonical_object(data: bytes, what: str) -> dict[str, Any]:
    try:
        value = json.loads(data.decode())
        canonical = rfc8785.dumps(value)
    except rfc8785.CanonicalizationError as error:
        raise Fault(f"{what} is not canonical JSON (RFC 8785).") from error
    except (ValueError, RecursionError) as error:
        raise Fault(f"{what} is not JSON in UTF-8.") from error
    if canonical != data:
        raise Fault(f"{what} is not canonical JSON (RFC 8785).")
    if not isinstance(value, dict):
        raise Fault(f"{what} is not a JSON object.")
    return value


def _only(value: object, keys: set[str], what: str) -> None:
    if not isinstance(value, dict) or value.keys() != keys:
        raise Fault(f"{what} does not have exactly the keys {', '.join(sorted(keys))}.")


def _base64(value: object, what: str) -> bytes:
    try:
        decoded = base64.b64decode(value, validate=True) if isinstance(value, str) else b""
    except (binascii.Error, ValueError) as error:
        raise Fault(f"{what} is not base64.") from error
    # Several texts can stand for the same bytes; only one of them is ours.
    if not decoded or base64.b64encode(decoded).decode() != value:
        raise Fault(f"{what} is not base64.")
    return decoded

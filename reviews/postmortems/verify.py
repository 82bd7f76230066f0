"""Verifying an exported postmortem: the file, a public key, and nothing else.

Plain Python, no network, no database. `verify` never trusts what it has not checked yet: the
content is only looked at once the signature holds.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import rfc8785
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import Error as SigningError
from securesystemslib.signer import Signature

from reviews.postmortems import signing

SHA256 = re.compile("[0-9a-f]{64}")
RFC3339 = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)",
    re.ASCII,
)
TIMES = ("opened_at", "signed_at", "started_at", "ended_at", "received_at")
TIMES_OF_CONTRACTS = ("valid_from", "valid_to")


class Fault(ValueError):
    """The file is not a postmortem signed with this key; the message says what is wrong."""


def verify(data: bytes, public_key_pem: bytes) -> list[str]:
    """What is wrong with the file, in sentences; an empty list means that it is valid."""
    try:
        statement = authenticated(data, public_key_pem)
    except Fault as fault:
        return [str(fault)]
    return list(_content_faults(statement))


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


def document_faults(statement: Mapping[str, Any], raw: bytes, name: str) -> list[str]:
    """Whether these bytes are a document that the statement is about."""
    digest = hashlib.sha256(raw).hexdigest()
    subjects = statement["subject"]
    documents = (row for row in subjects if row["name"].startswith("document:"))
    if digest in (row["digest"]["sha256"] for row in documents):
        return []
    return [f"{name} (sha256 {digest}) is no document of this postmortem."]


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


def _content_faults(statement: Mapping[str, Any]) -> Iterator[str]:
    if statement.keys() != {"_type", "subject", "predicateType", "predicate"}:
        yield "The statement does not have exactly the keys of an in-toto statement."
        return
    if statement["_type"] != signing.STATEMENT_TYPE:
        yield f"The statement type is not {signing.STATEMENT_TYPE}."
    if statement["predicateType"] != signing.PREDICATE_TYPE:
        yield f"The predicate type is not {signing.PREDICATE_TYPE}."
    predicate = statement["predicate"]
    if not isinstance(predicate, dict) or predicate.keys() != signing.PREDICATE_KEYS:
        yield "The predicate does not have exactly the keys of a postmortem."
        return
    if predicate["format"] != signing.FORMAT:
        yield f"The format of the postmortem is not {signing.FORMAT}."
    yield from _subject_faults(statement["subject"], predicate["run"])
    yield from _quote_faults(predicate["finding"])
    yield from _time_faults({**predicate, "run": _without_system(predicate["run"])})


def _subject_faults(subjects: object, run: object) -> Iterator[str]:
    digests = list(_digests(subjects))
    if not digests or None in digests:
        yield "A subject has no sha256 of 64 hexadecimal digits."
        return
    document = run.get("document") if isinstance(run, dict) else None
    if not isinstance(run, dict) or not isinstance(document, dict):
        yield "The postmortem does not say which run it is about."
    elif digests != [run.get("sha256"), document.get("sha256")]:
        yield "The digests of the run and its document are not those of the subjects."


def _digests(subjects: object) -> Iterator[str | None]:
    for row in subjects if isinstance(subjects, list) else [None]:
        if isinstance(row, dict) and row.keys() == {"name", "digest"}:
            yield _sha256(row["digest"]) if isinstance(row["name"], str) else None
        else:
            yield None


def _sha256(digest: object) -> str | None:
    if not isinstance(digest, dict) or digest.keys() != {"sha256"}:
        return None
    text = digest["sha256"]
    return text if isinstance(text, str) and SHA256.fullmatch(text) else None


def _quote_faults(finding: object) -> Iterator[str]:
    evidence = finding.get("evidence") if isinstance(finding, dict) else []
    for number, quote in enumerate(evidence if isinstance(evidence, Sequence) else [None], 1):
        text = quote.get("text") if isinstance(quote, dict) else None
        if not isinstance(text, str):
            yield f"Quote {number} has no text."
        elif hashlib.sha256(text.encode()).hexdigest() != quote.get("sha256"):
            yield f"The hash of quote {number} is not that of its text."


def _without_system(run: object) -> object:
    """The run without what the record says about its system, where any key may stand."""
    return {**run, "system": None} if isinstance(run, dict) else run


def _time_faults(value: object, path: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            place = f"{path}.{key}" if path else key
            if key in TIMES or key in TIMES_OF_CONTRACTS:
                yield from _moment_faults(inner, place)
            else:
                yield from _time_faults(inner, place)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _time_faults(inner, f"{path}[{index}]")


def _moment_faults(value: object, place: str) -> Iterator[str]:
    if value is None and not place.endswith("signed_at"):
        return
    if not isinstance(value, str) or not RFC3339.fullmatch(value) or not _exists(value):
        yield f"{place} is not a time with an offset (RFC 3339)."


def _exists(moment: str) -> bool:
    try:
        datetime.fromisoformat(moment)
    except ValueError:
        return False
    return True

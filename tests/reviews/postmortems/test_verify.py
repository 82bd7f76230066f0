"""A changed postmortem is never valid, whichever byte was changed and whoever signed it."""

from __future__ import annotations

import base64
import hashlib
import json
import random
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
import rfc8785
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_public_key,
)
from securesystemslib.signer import CryptoSigner

from reviews.postmortems import signing
from reviews.postmortems.content import document_faults
from reviews.postmortems.verify import Fault, statement_in, verify

SIGNER = CryptoSigner.generate_ed25519()
PUBLIC = signing.public_pem(SIGNER)
TEXT = "Use POST /v1/invoices. 港湾 \u202e"
RAW = b'{"schema": "inquest-run/1"}'
DOCUMENT = hashlib.sha256(RAW).hexdigest()
PREDICATE: dict[str, Any] = {
    "format": "inquest-postmortem/1",
    "project": {"slug": "demo", "name": "Demo"},
    "case": {"number": 118, "opened_at": "2026-11-20T09:00:00+00:00"},
    "run": {
        "external_id": "einv",
        "sha256": "a" * 64,
        "system": {"started_at": "yesterday", "signed_at": 3},
        "started_at": None,
        "document": {"sha256": DOCUMENT},
    },
    "failure": {"statement": "410 Gone"},
    "verdict": {
        "number": 1,
        "outcome": "attributed",
        "signed_by": {"username": "lena", "name": "Lena"},
        "signed_at": "2026-11-20T09:00:00.5Z",
    },
    "finding": {
        "evidence": [{"text": TEXT, "sha256": hashlib.sha256(TEXT.encode()).hexdigest()}],
        "misses": [{"valid_from": "2026-09-01T00:00:00+02:00", "valid_to": None}],
    },
    "claims": [{"signed_at": "2026-11-20T09:00:00-01:00"}],
    "candidates": [],
    "gaps": {"in_all": 0, "that_matter": []},
}
STATEMENT = signing.statement_about(
    subjects=[("run:einv", "a" * 64), ("document:einv.json", DOCUMENT)], predicate=PREDICATE
)
ENVELOPE = signing.sign(STATEMENT, signer=SIGNER)


def changed(change: Callable[[dict[str, Any]], object]) -> bytes:
    """An envelope around a statement that was changed before it was signed."""
    statement = deepcopy(STATEMENT)
    change(statement)
    return signing.sign(statement, signer=SIGNER)


def rewritten(change: Callable[[dict[str, Any]], object]) -> bytes:
    """An envelope that was changed afterwards, and written canonically again."""
    envelope = json.loads(ENVELOPE)
    change(envelope)
    return rfc8785.dumps(envelope)


def tell(statement: dict[str, Any]) -> list[dict[str, Any]]:
    """Two claims told in full, the first adopted; older files only count them."""
    predicate = statement["predicate"]
    told = [deepcopy(predicate["finding"]) for _ in range(2)]
    signed = {"signed_at": "2026-11-20T09:00:00Z"}
    predicate["claims"] = [
        {**signed, "adopted": number == 0, "finding": finding}
        for number, finding in enumerate(told)
    ]
    return predicate["claims"]


def test_any_changed_byte_is_found() -> None:
    random.seed(20261120)
    for position, byte in enumerate(ENVELOPE):
        other = random.choice([value for value in range(256) if value != byte])
        data = ENVELOPE[:position] + bytes([other]) + ENVELOPE[position + 1 :]
        assert verify(data, PUBLIC), (position, other)


def test_any_flipped_bit_of_the_signature_is_found() -> None:
    signature = json.loads(ENVELOPE)["signatures"][0]["sig"]
    raw = base64.b64decode(signature)
    for bit in range(8 * len(raw)):
        flipped = bytearray(raw)
        flipped[bit // 8] ^= 1 << bit % 8
        text = base64.b64encode(bytes(flipped)).decode()
        assert verify(ENVELOPE.replace(signature.encode(), text.encode()), PUBLIC)


def test_a_cut_tail_is_found() -> None:
    for length in range(len(ENVELOPE)):
        assert verify(ENVELOPE[:length], PUBLIC) != []


@pytest.mark.parametrize(
    "data",
    [
        ENVELOPE + b"\n",
        b" " + ENVELOPE,
        b"\xef\xbb\xbf" + ENVELOPE,
        ENVELOPE + ENVELOPE,
        json.dumps(json.loads(ENVELOPE), indent=1).encode(),
        ENVELOPE.replace(b'"payload":', b'"payload":"e30=","payload":', 1),
        ENVELOPE.decode().encode("utf-16"),
    ],
)
def test_other_bytes_for_the_same_content_are_refused(data: bytes) -> None:
    (fault,) = verify(data, PUBLIC)
    assert fault in (
        "The file is not canonical JSON (RFC 8785).",
        "The file is not JSON in UTF-8.",
    )


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", "The file is not JSON in UTF-8."),
        (b"\xff", "The file is not JSON in UTF-8."),
        (b"[" * 100_000, "The file is not JSON in UTF-8."),
        (b"9" * 5000, "The file is not JSON in UTF-8."),
        (b"1e999", "The file is not canonical JSON (RFC 8785)."),
        (b'"\\ud800"', "The file is not canonical JSON (RFC 8785)."),
        (b"[]", "The file is not a JSON object."),
        (
            b"{}",
            "The file does not have exactly the keys payload, payloadType, signatures.",
        ),
        (
            rewritten(lambda envelope: envelope.update(comment="")),
            "The file does not have exactly the keys payload, payloadType, signatures.",
        ),
        (
            rewritten(lambda envelope: envelope.update(payloadType="text/plain")),
            "The payload type is not application/vnd.in-toto+json.",
        ),
        (
            rewritten(lambda envelope: envelope.update(payload="e30")),
            "The payload is not base64.",
        ),
        (
            rewritten(lambda envelope: envelope.update(payload="e31=")),
            "The payload is not base64.",
        ),
        (rewritten(lambda envelope: envelope.update(payload=3)), "The payload is not base64."),
        (
            rewritten(lambda envelope: envelope.update(signatures=[])),
            "The file does not carry exactly one signature.",
        ),
        (
            rewritten(lambda envelope: envelope["signatures"].append(envelope["signatures"][0])),
            "The file does not carry exactly one signature.",
        ),
        (
            rewritten(lambda envelope: envelope.update(signatures={"0": ""})),
            "The file does not carry exactly one signature.",
        ),
        (
            rewritten(lambda envelope: envelope["signatures"][0].update(cert="")),
            "The signature does not have exactly the keys keyid, sig.",
        ),
        (
            rewritten(lambda envelope: envelope["signatures"][0].update(keyid=1)),
            "The signature does not name its key.",
        ),
        (
            rewritten(lambda envelope: envelope["signatures"][0].update(keyid="a" * 64)),
            f"It was signed with the key {'a' * 64}, not with {SIGNER.public_key.keyid}.",
        ),
        (
            rewritten(lambda envelope: envelope["signatures"][0].update(sig="")),
            "The signature is not base64.",
        ),
        (
            rewritten(lambda envelope: envelope["signatures"][0].update(sig="AA==")),
            "The signature does not fit: the file was changed after signing.",
        ),
        (
            rewritten(lambda envelope: envelope.update(payload=base64.b64encode(b"{}").decode())),
            "The signature does not fit: the file was changed after signing.",
        ),
    ],
)
def test_what_is_no_envelope_of_ours_is_refused(data: bytes, fault: str) -> None:
    assert verify(data, PUBLIC) == [fault]


def test_another_key_is_refused() -> None:
    other = CryptoSigner.generate_ed25519()
    (fault,) = verify(ENVELOPE, signing.public_pem(other))
    assert fault.startswith(f"It was signed with the key {SIGNER.public_key.keyid}, not with")
    forged = signing.sign(STATEMENT, signer=other)
    envelope = json.loads(forged)
    envelope["signatures"][0]["keyid"] = SIGNER.public_key.keyid
    assert verify(rfc8785.dumps(envelope), PUBLIC) == [
        "The signature does not fit: the file was changed after signing."
    ]


@pytest.mark.parametrize(
    "pem",
    [
        b"",
        b"no key",
        SIGNER.private_bytes,
        ec.generate_private_key(ec.SECP256R1())
        .public_key()
        .public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
    ],
)
def test_what_is_no_public_key_of_ours_is_refused(pem: bytes) -> None:
    assert verify(ENVELOPE, pem) in (
        ["This is not a public key in PEM."],
        ["The public key is not an Ed25519 key."],
    )


def dropped(key: str) -> Callable[[dict[str, Any]], object]:
    return lambda statement: statement["predicate"].pop(key)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (
            lambda statement: statement.update(extra=1),
            "The statement does not have exactly the keys of an in-toto statement.",
        ),
        (
            lambda statement: statement.update(_type="https://in-toto.io/Statement/v0.1"),
            "The statement type is not https://in-toto.io/Statement/v1.",
        ),
        (
            lambda statement: statement.update(predicateType="urn:inquest:postmortem:2"),
            "The predicate type is not urn:inquest:postmortem:1.",
        ),
        (
            lambda statement: statement.update(predicate=[]),
            "The predicate does not have exactly the keys of a postmortem.",
        ),
        (dropped("gaps"), "The predicate does not have exactly the keys of a postmortem."),
        (
            lambda statement: statement["predicate"].update(format="inquest-postmortem/9"),
            "The format of the postmortem is not inquest-postmortem/1.",
        ),
        (
            lambda statement: statement.update(subject=[]),
            "A subject has no sha256 of 64 hexadecimal digits.",
        ),
        (
            lambda statement: statement.update(subject={}),
            "A subject has no sha256 of 64 hexadecimal digits.",
        ),
        (
            lambda statement: statement["subject"][0].update(digest={"sha256": "A" * 64}),
            "A subject has no sha256 of 64 hexadecimal digits.",
        ),
        (
            lambda statement: statement["subject"][0].update(digest={"sha1": "a" * 40}),
            "A subject has no sha256 of 64 hexadecimal digits.",
        ),
        (
            lambda statement: statement["subject"][0].update(digest=None),
            "A subject has no sha256 of 64 hexadecimal digits.",
        ),
        (
            lambda statement: statement["subject"][0].update(name=None),
            "A subject has no sha256 of 64 hexadecimal digits.",
        ),
        (
            lambda statement: statement["subject"][0].update(digest={"sha256": "b" * 64}),
            "The digests of the run and its document are not those of the subjects.",
        ),
        (
            lambda statement: statement["subject"].pop(),
            "The digests of the run and its document are not those of the subjects.",
        ),
        (
            lambda statement: statement["predicate"].update(verdict=[]),
            "The postmortem does not say verdict.signed_by.name.",
        ),
        (
            lambda statement: statement["predicate"].update(run=None),
            "The postmortem does not say which run it is about.",
        ),
        (
            lambda statement: statement["predicate"]["run"].update(document="x"),
            "The postmortem does not say which run it is about.",
        ),
        (
            lambda statement: statement["predicate"]["finding"]["evidence"][0].update(text="x"),
            "The hash of quote 1 is not that of its text.",
        ),
        (
            lambda statement: statement["predicate"]["finding"].update(evidence=[None]),
            "Quote 1 has no text.",
        ),
        (
            lambda statement: statement["predicate"]["finding"].update(evidence=7),
            "Quote 1 has no text.",
        ),
        (
            lambda statement: statement["predicate"].update(claims=None),
            "The postmortem does not list the claims it counts.",
        ),
        (
            lambda statement: statement["predicate"].update(claims=[7]),
            "The postmortem does not list the claims it counts.",
        ),
        (
            lambda statement: tell(statement)[1]["finding"]["evidence"][0].update(text="x"),
            "The hash of quote 1 of claim 2 is not that of its text.",
        ),
        (
            lambda statement: tell(statement)[1]["finding"].update(evidence="x"),
            "Quote 1 of claim 2 has no text.",
        ),
        (
            lambda statement: tell(statement)[0].update(adopted=False),
            "The finding is not that of the one claim marked as adopted.",
        ),
        (
            lambda statement: tell(statement)[1].update(adopted=True),
            "The finding is not that of the one claim marked as adopted.",
        ),
        (
            lambda statement: tell(statement)[0]["finding"].update(note="Another."),
            "The finding is not that of the one claim marked as adopted.",
        ),
        (
            lambda statement: statement["predicate"].update(finding=tell(statement) and None),
            "The finding is not that of the one claim marked as adopted.",
        ),
        (
            lambda statement: tell(statement)[1]["finding"]["misses"][0].update(valid_to="now"),
            "claims[1].finding.misses[0].valid_to is not a time with an offset (RFC 3339).",
        ),
        (
            lambda statement: statement["predicate"]["verdict"].update(signed_at=None),
            "verdict.signed_at is not a time with an offset (RFC 3339).",
        ),
        (
            lambda statement: statement["predicate"]["case"].update(opened_at="2026-11-20 09:00"),
            "case.opened_at is not a time with an offset (RFC 3339).",
        ),
        (
            lambda statement: statement["predicate"]["claims"][0].update(
                signed_at="2026-13-20T09:00:00Z"
            ),
            "claims[0].signed_at is not a time with an offset (RFC 3339).",
        ),
        (
            lambda statement: statement["predicate"]["finding"]["misses"][0].update(valid_from=1),
            "finding.misses[0].valid_from is not a time with an offset (RFC 3339).",
        ),
    ],
)
def test_a_statement_that_does_not_add_up_is_refused_though_signed(
    change: Callable[[dict[str, Any]], object], fault: str
) -> None:
    assert fault in verify(changed(change), PUBLIC)


def test_what_was_signed_and_not_changed_is_valid() -> None:
    assert verify(ENVELOPE, PUBLIC) == []
    unresolved = changed(lambda statement: statement["predicate"].update(finding=None))
    assert verify(unresolved, PUBLIC) == []
    assert verify(changed(tell), PUBLIC) == []


def test_the_statement_can_be_read_and_garbage_cannot() -> None:
    assert statement_in(ENVELOPE) == STATEMENT
    with pytest.raises(Fault):
        statement_in(b"garbage")


def test_raw_documents_are_compared_with_the_subjects() -> None:
    assert document_faults(STATEMENT, RAW, "einv.json") == []
    digest = hashlib.sha256(RAW + b"\n").hexdigest()
    assert document_faults(STATEMENT, RAW + b"\n", "einv.json") == [
        f"einv.json (sha256 {digest}) is no document of this postmortem."
    ]


def test_the_envelope_is_plain_dsse() -> None:
    """Checked by hand after the specification, with the cryptography package alone."""
    envelope = json.loads(ENVELOPE)
    kind, payload = envelope["payloadType"].encode(), base64.b64decode(envelope["payload"])
    signed = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)
    key = load_pem_public_key(PUBLIC)
    assert isinstance(key, ed25519.Ed25519PublicKey)
    key.verify(base64.b64decode(envelope["signatures"][0]["sig"]), signed)
    assert json.loads(payload) == STATEMENT


@pytest.mark.parametrize(
    "pem",
    [
        b"",
        PUBLIC,
        ec.generate_private_key(ec.SECP256R1()).private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
        ),
    ],
)
def test_only_an_ed25519_private_key_signs(pem: bytes) -> None:
    with pytest.raises(signing.BadKey):
        signing.signer_from(pem)


def test_a_generated_key_can_be_loaded_again() -> None:
    pem = signing.generate_key()
    first, second = (signing.signer_from(pem.encode()) for _ in range(2))
    assert first.public_key.keyid == second.public_key.keyid
    assert verify(signing.sign(STATEMENT, signer=first), signing.public_pem(second)) == []

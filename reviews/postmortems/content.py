"""What a signed statement must hold to be a postmortem: shape, digests, quotes and times.

Plain Python. It is only asked about statements whose signature holds; what an older or a
broken signer may have put in them is still checked.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from reviews.postmortems import signing

SHA256 = re.compile("[0-9a-f]{64}")
RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII)
TIMES = ("opened_at", "signed_at", "started_at", "ended_at", "received_at")
TIMES_OF_CONTRACTS = ("valid_from", "valid_to")
# Without these nobody could say what was signed, by whom and about which run.
NEEDED = (
    "project.slug",
    "case.number",
    "run.external_id",
    "verdict.number",
    "verdict.outcome",
    "verdict.signed_by.name",
    "verdict.signed_by.username",
    "verdict.signed_at",
)


def faults(statement: Mapping[str, Any]) -> Iterator[str]:
    """Sentences about everything that does not add up."""
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
    yield from (
        f"The postmortem does not say {path}." for path in NEEDED if not _has(predicate, path)
    )
    yield from _subject_faults(statement["subject"], predicate["run"])
    yield from _quote_faults(predicate["finding"])
    yield from _claim_faults(predicate["claims"], predicate["finding"])
    yield from _time_faults({**predicate, "run": _without_system(predicate["run"])})


def summary_of(statement: Mapping[str, Any]) -> dict[str, Any]:
    """Who signed what, and when: of a statement that `verify` found valid."""
    predicate = statement["predicate"]
    verdict, person = predicate["verdict"], predicate["verdict"]["signed_by"]
    return {
        "project": predicate["project"]["slug"],
        "case": predicate["case"]["number"],
        "verdict": verdict["number"],
        "outcome": verdict["outcome"],
        "signed_by": f"{person['name']} ({person['username']})",
        "signed_at": verdict["signed_at"],
        "run": predicate["run"]["external_id"],
    }


def document_faults(statement: Mapping[str, Any], raw: bytes, name: str) -> list[str]:
    """Whether these bytes are a document that the statement is about."""
    digest = hashlib.sha256(raw).hexdigest()
    subjects = statement["subject"]
    documents = (row for row in subjects if row["name"].startswith("document:"))
    if digest in (row["digest"]["sha256"] for row in documents):
        return []
    return [f"{name} (sha256 {digest}) is no document of this postmortem."]


def _has(value: object, path: str) -> bool:
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return isinstance(value, str | int)


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


def _claim_faults(claims: object, finding: object) -> Iterator[str]:
    """Whether every counted claim's quotes hold, and the finding is that of the adopted one."""
    if not isinstance(claims, list) or not all(isinstance(claim, dict) for claim in claims):
        yield "The postmortem does not list the claims it counts."
        return
    for number, claim in enumerate(claims, 1):
        yield from _quote_faults(claim.get("finding"), f" of claim {number}")
    adopted = [claim.get("finding") for claim in claims if claim.get("adopted")]
    # Files of before claims were told in full mark none of them.
    told = any("adopted" in claim for claim in claims)
    if told and adopted != ([] if finding is None else [finding]):
        yield "The finding is not that of the one claim marked as adopted."


def _quote_faults(finding: object, whose: str = "") -> Iterator[str]:
    evidence = finding.get("evidence") if isinstance(finding, dict) else []
    for number, quote in enumerate(evidence if isinstance(evidence, Sequence) else [None], 1):
        text = quote.get("text") if isinstance(quote, dict) else None
        if not isinstance(text, str):
            yield f"Quote {number}{whose} has no text."
        elif hashlib.sha256(text.encode()).hexdigest() != quote.get("sha256"):
            yield f"The hash of quote {number}{whose} is not that of its text."


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

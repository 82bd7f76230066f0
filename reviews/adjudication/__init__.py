"""The only writer of claims, verdicts and case status. The verbs are the pages' only way in.

Every verb locks the case, checks, writes and leaves an audit entry, in one transaction.
"""

from reviews.adjudication.claims import sign_claim
from reviews.adjudication.opening import open_cases
from reviews.adjudication.refusals import (
    AlreadySigned,
    Incomplete,
    NotDecidable,
    NotInTheRecord,
    OwnClaim,
    Refused,
    StaleClaims,
)
from reviews.adjudication.verdicts import bar_to_adopting, bar_to_deciding, sign_verdict

__all__ = [
    "AlreadySigned",
    "Incomplete",
    "NotDecidable",
    "NotInTheRecord",
    "OwnClaim",
    "Refused",
    "StaleClaims",
    "bar_to_adopting",
    "bar_to_deciding",
    "open_cases",
    "sign_claim",
    "sign_verdict",
]

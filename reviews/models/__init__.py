from reviews.models.cases import Case, Consequence, Decline, Draft, Slot
from reviews.models.claims import Alternative, Carrier, Claim, Evidence, Miss
from reviews.models.rules import Category, Contract, Policy
from reviews.models.verdicts import Postmortem, Verdict

__all__ = [
    "Alternative",
    "Carrier",
    "Case",
    "Category",
    "Claim",
    "Consequence",
    "Contract",
    "Decline",
    "Draft",
    "Evidence",
    "Miss",
    "Policy",
    "Postmortem",
    "Slot",
    "Verdict",
]

"""What a receipt says about its document, in sentences and rows."""

from __future__ import annotations

from traces.formats import intake
from traces.formats.base import Refusal
from traces.formats.cleaning import Cleaner
from traces.models import Receipt


def summary(receipt: Receipt, taken: intake.Intake) -> str:
    """One or two sentences about a receipt that the figures on it do not say."""
    sentences = []
    if receipt.known and not receipt.made:
        sentences.append("Already known: nothing new in this file.")
    if taken.left_out:
        names = ", ".join(taken.left_out[:10])
        sentences.append(f"Left out, being no traces: {names} ({len(taken.left_out)} in all).")
    if not (receipt.made or receipt.known):
        sentences.insert(0, first_refused(receipt)["reason"])
    return " ".join(sentences)


def first_refused(receipt: Receipt) -> dict[str, str]:
    """The first refused place of a receipt that came to nothing, which stands for all."""
    if receipt.made or receipt.known:
        return {}
    return next(iter(receipt.refused), {"reason": "The file holds no run."})


def refusal_row(refusal: Refusal) -> dict[str, str]:
    return {
        "position": cleaned(refusal.position),
        "reason": cleaned(refusal.reason),
        "excerpt": cleaned(refusal.excerpt),
    }


def cleaned(text: str) -> str:
    return Cleaner().text(text)

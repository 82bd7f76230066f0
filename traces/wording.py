"""What a receipt says about its document, in sentences and rows."""

from __future__ import annotations

from collections.abc import Sequence

from traces.formats import intake
from traces.formats.base import Refusal
from traces.formats.files.cleaning import Cleaner
from traces.models import Receipt

MOST_NOTES = 100


def summary(receipt: Receipt, taken: intake.Intake) -> str:
    """One or two sentences about a receipt that the figures on it do not say."""
    sentences = []
    if receipt.known and not (receipt.made or receipt.renewed):
        sentences.append("Already known: nothing new in this file.")
    if taken.left_out:
        names = ", ".join(taken.left_out[:10])
        sentences.append(f"Left out, being no traces: {names} ({len(taken.left_out)} in all).")
    if not came_to_something(receipt, taken):
        sentences.insert(0, first_refused(receipt, taken)["reason"])
    return " ".join(sentences)


def came_to_something(receipt: Receipt, taken: intake.Intake) -> bool:
    """Whether the document gave a run, new or not, or a label."""
    return bool(receipt.made or receipt.known or receipt.renewed or taken.labels)


def read_as(taken: intake.Intake) -> tuple[str, str]:
    """The formats that the document was read in, and by which rules they were recognised."""
    pairs = {*taken.read_as, *((run.format, run.rule) for run in taken.runs)}
    names, rules = ({pair[place] for pair in pairs} for place in (0, 1))
    return some_of(sorted(names), ", ", most=40), some_of(sorted(rules), "; ", most=200)


def some_of(names: Sequence[str], between: str, *, most: int) -> str:
    """As many whole names as there is room for, and how many there are besides."""
    for count in range(len(names), 0, -1):
        more = len(names) - count
        said = between.join(names[:count]) + (f" and {more} more" if more else "")
        if len(said) <= most:
            return said
    return names[0][:most] if names else ""


def notes(taken: intake.Intake, unsure: int, of_runs: Sequence[str] = ()) -> list[str]:
    """What became of runs that were here, what the reader left out on purpose, and how many labels
    wait because they fit several."""
    said = [cleaned(note)[:400] for note in dict.fromkeys([*of_runs, *taken.notes])]
    if len(said) > MOST_NOTES:
        said[MOST_NOTES:] = [f"And {len(said) - MOST_NOTES} more notes."]
    if unsure:
        each = "1 label fits" if unsure == 1 else f"{unsure} labels fit"
        said.append(f"{each} several runs: nothing says which of them is meant.")
    return said


def first_refused(receipt: Receipt, taken: intake.Intake) -> dict[str, str]:
    """The first refused place of a receipt that came to nothing, which stands for all."""
    if came_to_something(receipt, taken):
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

"""A counted claim in rows: who signed it, and their whole argument with its quotes."""

from __future__ import annotations

from collections.abc import Iterator

from reviews.postmortems.rows import (
    Data,
    Row,
    Section,
    moment_words,
    ours,
    person_words,
    said,
    steps,
)

BASES = {"own": "own finding", "signed": "signed as proposed by", "revised": "revised from"}
PURPOSES = {
    "origin": "Quoted for the action that changed it",
    "state": "Quoted for the state that changed",
    "carrier": "Quoted for a step that carried it",
    "exposure": "Quoted for what exposed it",
    "alternative": "Quoted for an alternative",
}


def claim_section(number: int, claim: Data) -> Section:
    adopted = ", adopted by the verdict" if claim.get("adopted") else ""
    return Section(f"Claim {number}{adopted}", tuple(_claim(claim)))


def finding_section(finding: Data) -> Section:
    """The adopted argument of a file of before claims were told in full."""
    return Section("Adopted finding", tuple(_finding(finding)))


def _claim(claim: Data) -> Iterator[Row]:
    yield from said("Signed by", person_words(claim["reviewer"]))
    yield from ours("Signed at", moment_words(claim["signed_at"]))
    yield from ours("Outcome", claim["outcome"])
    yield from ours("Why unresolved", claim["unresolved_reason"])
    yield from said("Would settle it", claim["missing_observation"])
    based = BASES.get(claim["basis"], "")
    if claim["candidate"]:
        yield from said("Basis", f"{based} {claim['candidate']}")
    else:
        yield from ours("Basis", based)
    yield from said("Revised because", claim["revision_reason"])
    if claim.get("finding") is not None:
        yield from _finding(claim["finding"])
    else:
        yield from _short(claim)


def _short(claim: Data) -> Iterator[Row]:
    """What an older file says of a claim that it does not tell in full."""
    if claim["decisive_step"] is not None:
        yield Row("Decisive step", f"#{claim['decisive_step']}", own=True)
    yield from _responsible(claim)
    yield from ours("Confidence", claim["confidence"])


def _finding(finding: Data) -> Iterator[Row]:
    yield from said("Note", finding["note"])
    yield from steps("Decisive step", [finding["decisive_step"]])
    yield from _responsible(finding)
    yield from said("State change", finding["state_change"])
    yield from steps("Carried by", finding["carriers"])
    yield from steps("Exposed by", [finding["exposing_step"]])
    yield from map(_quote, finding["evidence"])
    yield from map(_miss, finding["misses"])
    yield from map(_alternative, finding["alternatives"])
    yield from ours("Could the failure still have followed", finding["counterfactual"])
    for check, answer in finding["apparatus"].items():
        yield from ours(check.capitalize(), answer)
    yield from _classification(finding)


def _responsible(claim: Data) -> Iterator[Row]:
    if claim["actor"]:
        yield Row("Responsible actor", claim["actor"])
    elif claim["responsible"] == "coordination_rule":
        yield from ours("Responsible", "a coordination rule or merge order")
    elif claim["responsible"]:
        yield from ours("Responsible", f"the {claim['responsible']}")


def _quote(quote: Data) -> Row:
    place = f"Step #{quote['step']}, part {quote['part']}"
    characters = f"characters {quote['start']} to {quote['end']}"
    anchor = f"{place}, {characters}, sha256 {quote['sha256']}"
    label = PURPOSES.get(quote["purpose"], "Quoted for the note")
    return Row(label, quote["text"], quote=True, anchor=anchor)


def _alternative(row: Data) -> Row:
    step = row["step"]
    place = "" if step is None else f" #{step}"
    return Row(f"Considered{place}", row["rejected_because"])


def _miss(miss: Data) -> Row:
    until = moment_words(miss["valid_to"]) or "now"
    period = f"in force from {moment_words(miss['valid_from'])} to {until}"
    clause = f"{miss['component']}: {miss['clause']} ({miss['contract']}, {period})"
    return Row(f"Missed at #{miss['step']}", clause)


def _classification(finding: Data) -> Iterator[Row]:
    category = finding["category"]
    if category is not None:
        version = f"({category['key']}, version {category['version']})"
        yield Row("Category", f"{category['name']} {version}")
        yield from said("Definition", category["definition"])
    yield from ours("Phase", finding["phase"])
    yield from said("Tags", ", ".join(finding["tags"]))
    yield from ours("Confidence", finding["confidence"])

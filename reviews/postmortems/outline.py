"""A signed statement as titled sections of labelled text: what every readable export shows.

Plain Python. Exports differ in markup only; none of them reads the database.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reviews.postmortems import verify

Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Row:
    """One labelled piece of text. `label` is ours, `text` is hostile; a quote keeps its lines."""

    label: str
    text: str
    quote: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Outline:
    """The whole document. `sha256` is that of the envelope, `keyid` the key it names."""

    title: str
    sections: tuple[Section, ...]
    sha256: str
    keyid: str


def outline_of(envelope: bytes) -> Outline:
    """Read an envelope of our own. Raises verify.Fault for anything else."""
    predicate = verify.statement_in(envelope)["predicate"]
    case, project = predicate["case"], predicate["project"]
    return Outline(
        title=f"Postmortem of case {case['number']}, {project['name']}",
        sections=tuple(section for section in _sections(predicate) if section.rows),
        sha256=hashlib.sha256(envelope).hexdigest(),
        keyid=verify.keyid_in(envelope),
    )


def _sections(predicate: Data) -> Iterable[Section]:
    yield Section("Failure", _failure(predicate["failure"]))
    yield Section("Verdict", _verdict(predicate["verdict"], predicate["case"]))
    if predicate["finding"] is not None:
        yield from _finding_sections(predicate["finding"])
    yield Section("Claims counted", _numbered(_claim, predicate["claims"]))
    yield Section("Candidates considered", _numbered(_candidate, predicate["candidates"]))
    yield Section("Gaps of the record", _gaps(predicate["gaps"]))
    yield Section("Record", _record(predicate["run"]))


def _finding_sections(finding: Data) -> Iterable[Section]:
    yield Section("Causal chain", _chain(finding))
    yield Section("Evidence", tuple(map(_quote, finding["evidence"])))
    yield Section("Alternatives turned down", tuple(map(_alternative, finding["alternatives"])))
    yield Section("Missed by", tuple(map(_miss, finding["misses"])))
    yield Section("Apparatus", _apparatus(finding["apparatus"]))
    yield Section("Classification", _classification(finding))


def _rows(**texts: object) -> tuple[Row, ...]:
    """Rows for what is given; the keyword is the label, with spaces for underscores."""
    return tuple(
        Row(label.replace("_", " ").capitalize(), str(text))
        for label, text in texts.items()
        if text not in (None, "", [])
    )


def _numbered(row: Callable[[int, Data], Row], items: Sequence[Data]) -> tuple[Row, ...]:
    return tuple(row(number, item) for number, item in enumerate(items, start=1))


def _words(value: str | None) -> str:
    """A value from our own list of words: cannot_tell becomes "cannot tell"."""
    return (value or "").replace("_", " ")


def _person(person: Data) -> str:
    return f"{person['name']} ({person['username']})"


def _step(step: Data | None) -> str:
    if step is None:
        return ""
    role = f", {step['role']}" if step["role"] not in ("", step["actor"]) else ""
    return f"#{step['step']} {step['actor']}{role} (in the source: {step['source_id']})"


def _failure(failure: Data) -> tuple[Row, ...]:
    exposed = failure["exposed_by"]
    return _rows(
        statement=failure["statement"],
        expected=failure["expected"],
        observed=failure["observed"],
        check=failure["check"],
        exposed_by=None if exposed is None else f"#{exposed}",
        consequence=failure["consequence"],
    )


def _verdict(verdict: Data, case: Data) -> tuple[Row, ...]:
    policy, adopted, older = case["policy"], verdict["adopted_claim_of"], verdict["supersedes"]
    return _rows(
        outcome=verdict["outcome"],
        reason=verdict["reason"],
        missing_observation=verdict["missing_observation"],
        adopts_the_claim_of=_person(adopted) if adopted else "",
        signed_by=_person(verdict["signed_by"]),
        signed_at=verdict["signed_at"],
        verdict=f"number {verdict['number']}" + (f", supersedes number {older}" if older else ""),
        hangs_on_it=_words(case["consequence"]),
        policy=f"version {policy['version']}, signatures needed: {policy['signatures_needed']}",
    )


def _chain(finding: Data) -> tuple[Row, ...]:
    return _rows(
        note=finding["note"],
        decisive_step=_step(finding["decisive_step"]),
        responsible=finding["actor"] or _words(finding["responsible"]),
        state_change=finding["state_change"],
        carried_by="; ".join(map(_step, finding["carriers"])),
        exposed_by=_step(finding["exposing_step"]),
        could_the_failure_still_have_followed=_words(finding["counterfactual"]),
    )


def _quote(quote: Data) -> Row:
    label = (
        f"{quote['purpose'].capitalize()}: #{quote['step']} part {quote['part']}, "
        f"characters {quote['start']} to {quote['end']}, sha256 {quote['sha256']}"
    )
    return Row(label, quote["text"], quote=True)


def _alternative(row: Data) -> Row:
    label = "Not one step" if row["step"] is None else f"#{row['step']}"
    return Row(label, row["rejected_because"])


def _miss(miss: Data) -> Row:
    period = f"in force from {miss['valid_from']} to {miss['valid_to'] or 'now'}"
    clause = f"{miss['component']}: {miss['clause']} ({miss['contract']}, {period})"
    return Row(f"#{miss['step']}", clause)


def _apparatus(apparatus: Data) -> tuple[Row, ...]:
    return _rows(**{check: _words(answer) for check, answer in apparatus.items()})


def _classification(finding: Data) -> tuple[Row, ...]:
    category = finding["category"] or {"name": "", "definition": ""}
    version = f" ({category['key']}, version {category['version']})" if category["name"] else ""
    return _rows(
        category=f"{category['name']}{version}",
        definition=category["definition"],
        phase=finding["phase"],
        tags=", ".join(finding["tags"]),
        confidence=finding["confidence"],
    )


def _claim(number: int, claim: Data) -> Row:
    blamed = claim["actor"] or _words(claim["responsible"])
    step = "" if claim["decisive_step"] is None else f", #{claim['decisive_step']} {blamed}"
    based = {"own": "own finding", "signed": "signs", "revised": "revises"}[claim["basis"]]
    said = f"{_person(claim['reviewer'])}: {claim['outcome']}{step}; {based}"
    about = f" {claim['candidate']}" if claim["candidate"] else ""
    signed = f"confidence {claim['confidence']}; signed at {claim['signed_at']}"
    extra = claim["revision_reason"] or claim["missing_observation"]
    return Row(f"Claim {number}", f"{said}{about}; {signed}. {extra}".rstrip())


def _candidate(number: int, candidate: Data) -> Row:
    source = f"{candidate['attributor']}, rank {candidate['rank']}"
    part = {"produced": "produced it", "missed": "failed to catch it"}.get(candidate["part"])
    proposed = f"#{candidate['step']} {candidate['actor']} {part or 'apparatus to rule out'}"
    said = f"{source} ({candidate['accuracy']}): {proposed}. {candidate['rationale']}"
    return Row(f"Candidate {number}", said)


def _gaps(gaps: Data) -> tuple[Row, ...]:
    listed = (
        Row(_place(gap["step"]), f"{_words(gap['kind'])}: {gap['detail']}")
        for gap in gaps["that_matter"]
    )
    return (Row("In the whole record", str(gaps["in_all"])), *listed)


def _place(step: int | None) -> str:
    return "The whole run" if step is None else f"#{step}"


def _record(run: Data) -> tuple[Row, ...]:
    document = run["document"]
    return _rows(
        run=run["external_id"],
        source=run["source"],
        task=run["task"],
        system=" ".join(str(run["system"].get(key) or "") for key in ("name", "version")).strip(),
        steps=run["steps"],
        started_at=run["started_at"],
        ended_at=run["ended_at"],
        received_at=run["received_at"],
        sha256_of_the_run=run["sha256"],
        document=document["name"],
        sha256_of_the_document=document["sha256"],
    )

"""A signed statement as titled sections of labelled text: what every readable export shows.

Plain Python. Exports differ in markup only; none of them reads the database.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from reviews.postmortems import verify
from reviews.postmortems.claim_outline import claim_section, finding_section
from reviews.postmortems.rows import Data, Row, Section, moment_words, ours, person_words, said


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


def _sections(predicate: Data) -> Iterator[Section]:
    claims, finding = predicate["claims"], predicate["finding"]
    yield Section("Failure", tuple(_failure(predicate["failure"])))
    yield Section("Verdict", tuple(_verdict(predicate["verdict"], predicate["case"])))
    if finding is not None and not any(claim.get("finding") for claim in claims):
        yield finding_section(finding)
    yield from (claim_section(number, claim) for number, claim in enumerate(claims, 1))
    candidates = enumerate(predicate["candidates"], 1)
    yield Section("Candidates considered", tuple(_candidate(*each) for each in candidates))
    yield Section("Gaps of the record", _gaps(predicate["gaps"]))
    yield Section("Record", tuple(_record(predicate["run"])))


def _failure(failure: Data) -> Iterator[Row]:
    exposed = failure["exposed_by"]
    yield from said("Statement", failure["statement"])
    yield from said("Expected", failure["expected"])
    yield from said("Observed", failure["observed"])
    yield from said("Check", failure["check"])
    yield from ours("Exposed by", "" if exposed is None else f"#{exposed}")
    yield from said("Consequence", failure["consequence"])


def _verdict(verdict: Data, case: Data) -> Iterator[Row]:
    policy, adopted, older = case["policy"], verdict["adopted_claim_of"], verdict["supersedes"]
    yield from ours("Outcome", verdict["outcome"])
    yield from said("Reason", verdict["reason"])
    yield from said("Missing observation", verdict["missing_observation"])
    yield from said("Adopts the claim of", person_words(adopted) if adopted else "")
    yield from said("Signed by", person_words(verdict["signed_by"]))
    yield from ours("Signed at", moment_words(verdict["signed_at"]))
    superseded = f", supersedes number {older}" if older else ""
    yield from ours("Verdict", f"number {verdict['number']}{superseded}")
    yield from ours("Hangs on it", case["consequence"])
    needed = policy["signatures_needed"]
    yield from ours("Policy", f"version {policy['version']}, signatures needed: {needed}")


def _candidate(number: int, candidate: Data) -> Row:
    source = f"{candidate['attributor']}, rank {candidate['rank']}"
    part = {"produced": "produced it", "missed": "failed to catch it"}.get(candidate["part"])
    proposed = f"#{candidate['step']} {candidate['actor']} {part or 'apparatus to rule out'}"
    said = f"{source} ({candidate['accuracy']}): {proposed}. {candidate['rationale']}"
    return Row(f"Candidate {number}", said)


def _gaps(gaps: Data) -> tuple[Row, ...]:
    listed = (
        Row(_place(gap["step"]), f"{gap['kind'].replace('_', ' ')}: {gap['detail']}")
        for gap in gaps["that_matter"]
    )
    return (Row("In the whole record", str(gaps["in_all"]), own=True), *listed)


def _place(step: int | None) -> str:
    return "The whole run" if step is None else f"#{step}"


def _record(run: Data) -> Iterator[Row]:
    document, system = run["document"], run["system"]
    versions = (str(system.get(key) or "") for key in ("name", "version"))
    yield from said("Run", run["external_id"])
    yield from said("Source", run["source"])
    yield from said("Task", run["task"])
    yield from said("What was asked", run.get("task_text"))
    yield from ours("Outcome", run.get("outcome"))
    yield from said("System", " ".join(versions).strip())
    yield from ours("Steps", str(run["steps"]))
    yield from ours("Started at", moment_words(run["started_at"]))
    yield from ours("Ended at", moment_words(run["ended_at"]))
    yield from ours("Received at", moment_words(run["received_at"]))
    yield from said("sha256 of the run", run["sha256"])
    yield from said("Document", document["name"])
    yield from said("sha256 of the document", document["sha256"])

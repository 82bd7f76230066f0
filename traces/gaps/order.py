"""Gaps in the order of steps: links that are missing, contradict each other or lead nowhere."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from traces.gaps.kind import Finder, Kind
from traces.transcript import Gap, LinkKind, Transcript

KINDS = {
    "duplicate_step": Kind(
        "Duplicate step id",
        "Two different steps have the same id; links to it mean the first of them.",
        "Give each step its own id, also when it is a retry.",
    ),
    "repeated_step": Kind(
        "Step sent twice",
        "The same step came more than once with equal content; one is kept.",
        "Send each step once, or ignore this: nothing is lost.",
    ),
    "cycle": Kind(
        "Links form a ring",
        "Steps claim to come before each other, so some links were left out to order them.",
        "Record as inputs only what existed when the step began.",
    ),
    "order_conflict": Kind(
        "Sequence contradicts links",
        "A step uses the output of one with a later sequence number; the links were believed.",
        "Number steps when they begin, from one counter per run.",
    ),
    "sequence_hole": Kind(
        "Hole in the sequence",
        "Sequence numbers are missing: steps were probably lost.",
        "Flush the recorder before the process ends, and count what it drops.",
    ),
    "repeated_sequence": Kind(
        "Sequence number given twice",
        "Steps have the same sequence number: where no link orders them, times and ids do.",
        "Number steps when they begin, from one counter per run.",
    ),
    "missing_parent": Kind(
        "Missing predecessor",
        "The record refers to a step that is not in it: what happened there is unknown.",
        "Export all steps of a run together, unsampled.",
    ),
    "no_recorded_links": Kind(
        "No recorded links",
        "The record does not say which step used what; all links here are inferred from order.",
        "Record for each step the ids of the steps whose output it consumed.",
    ),
    "rewound": Kind(
        "Conversation set back",
        "A person went back to before this prompt: what follows from it was left, and the agent"
        " may not know of it any more.",
        "Nothing to instrument: both branches are kept, and links show where they part.",
    ),
    "join_without_parents": Kind(
        "Join of fewer than two branches",
        "A step claims to join branches, but the record shows one of them or none.",
        "Record the last step of every joined branch.",
    ),
}


def no_recorded_links(transcript: Transcript) -> Iterator[Gap]:
    if len(transcript.steps) > 1 and not any(link.recorded for link in transcript.links):
        yield Gap("no_recorded_links", "No step says which steps it used.")


def join_without_parents(transcript: Transcript) -> Iterator[Gap]:
    """A recorded join needs two recorded predecessors; one may be the joining actor's own."""
    predecessors: defaultdict[int, set[int]] = defaultdict(set)
    for link in transcript.links:
        if link.recorded:
            predecessors[link.target].add(link.source)
    joins = (link for link in transcript.links if link.kind is LinkKind.JOIN and link.recorded)
    for target in dict.fromkeys(link.target for link in joins):
        if len(predecessors[target]) < 2:
            yield Gap("join_without_parents", "Joins branches, of which one is recorded.", target)


FINDERS: tuple[Finder, ...] = (
    no_recorded_links,
    join_without_parents,
)

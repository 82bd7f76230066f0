"""Gaps: what a record lacks or contradicts, what that means, and how to record it next time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from traces.completeness import FINDERS
from traces.transcript import Gap, Transcript


class Kind(NamedTuple):
    """A kind of gap: its title, what it means for a reviewer, how to instrument it away."""

    title: str
    meaning: str
    remedy: str


KINDS = {
    "damaged": Kind(
        "Damaged file",
        "Part of the file could not be decoded, so text or steps may be missing or wrong.",
        "Write files whole, in UTF-8, and rename them into place when they are complete.",
    ),
    "replaced_characters": Kind(
        "Replaced characters",
        "Characters that no database holds are shown as marks; the raw file has the originals.",
        "Encode binary tool output before it is logged, and never cut inside a character.",
    ),
    "replaced_values": Kind(
        "Replaced values",
        "A value was no valid JSON, or came twice, and is not shown as it was sent.",
        "Write valid JSON: null instead of NaN, and each name once.",
    ),
    "shortened_names": Kind(
        "Shortened names",
        "A name is shown shortened, with a digest that keeps it apart from others.",
        "Keep names and ids below 200 characters.",
    ),
    "implausible_values": Kind(
        "Implausible time or number",
        "A time without zone or far outside our years, or an impossible count, was left out.",
        "Record times with their offset, from a clock that is set.",
    ),
    "undecodable_step": Kind(
        "Unreadable step",
        "A step did not fit the format and is missing here: its effects may look uncaused.",
        "Check what the recorder writes against the format's JSON Schema.",
    ),
    "conflicting_duplicate": Kind(
        "Conflicting duplicate",
        "Another run has the same name and source but other content; both are kept.",
        "Give each execution its own id, and send a run once it is complete.",
    ),
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
    "no_times": Kind(
        "No times",
        "No step has a time, so durations, overlaps and time-outs cannot be seen.",
        "Record when each step began and ended, with an offset.",
    ),
    "unknown_actor": Kind(
        "Undeclared actor",
        "A step names an actor that the record does not describe.",
        "Declare every actor of a run, with kind, model and configuration.",
    ),
    "actor_without_instance": Kind(
        "Actor without instance",
        "Two executions of the same role cannot be told apart.",
        "Give each execution of a role its own instance id.",
    ),
    "unknown_initial_state": Kind(
        "Initial state not recorded",
        "What the run started from is unknown, so it cannot be replayed or compared exactly.",
        "Record a commit, image digest or snapshot that the run started from.",
    ),
    "mutable_initial_state": Kind(
        "Mutable initial state",
        "The run started from something that may have changed since.",
        "Refer to the initial state by digest, not by a name that moves.",
    ),
    "missing_verification": Kind(
        "No verification outcome",
        "The run failed, but no check in the record says what was tested and found.",
        "Record each check with its verdict, what it expected and what it observed.",
    ),
    "request_without_response": Kind(
        "Tool request without response",
        "What the tool answered is not in the record: the next step's evidence is missing.",
        "Record the response with the call's id, also for errors and time-outs.",
    ),
    "response_without_request": Kind(
        "Tool response without request",
        "A tool's output is recorded, but not what was asked of it.",
        "Record each request with its arguments and a call id.",
    ),
    "malformed_arguments": Kind(
        "Malformed tool arguments",
        "The arguments of a tool request are not JSON; they are shown as they were written.",
        "Nothing to instrument: often the model wrote them so.",
    ),
    "reused_call_id": Kind(
        "Call id used again",
        "Several requests have the same call id; each was matched to the next response.",
        "Use call ids that are unique within a run.",
    ),
    "retry_without_reason": Kind(
        "Retry without reason",
        "A step was tried again and the record does not say why.",
        "Record why the earlier attempt was not accepted.",
    ),
    "join_without_parents": Kind(
        "Join of fewer than two branches",
        "A step claims to join branches, but the record shows only one of them.",
        "Record the last step of every joined branch.",
    ),
    "negative_duration": Kind(
        "Ends before it starts",
        "A step's times contradict each other; its duration means nothing.",
        "Take both times from one monotonic clock.",
    ),
    "clock_skew": Kind(
        "Clocks disagree",
        "A step starts before the one whose output it used. Order here follows the links.",
        "Synchronise the clocks of all hosts, and record links.",
    ),
    "empty_content": Kind(
        "Step without content",
        "The step is there, but nothing of what was said or done.",
        "Switch content capture on for every step.",
    ),
    "unknown_part": Kind(
        "Unknown kind of content",
        "A piece of content is of a kind this format does not name; it is shown as raw JSON.",
        "Nothing is lost; a newer reader may show it better.",
    ),
    "label_mismatch": Kind(
        "Label contradicts the record",
        "The label that came with the file names another actor than the one at its step.",
        "Check the label with its authors; it is kept as it came.",
    ),
    "label_out_of_range": Kind(
        "Label points outside the run",
        "The label that came with the file names a step that does not exist.",
        "Check the label with its authors, and whether it counts from 0 or 1.",
    ),
}


def completed(transcript: Transcript) -> Iterator[Gap]:
    """The gaps the parser met and those the record shows, one per kind and step."""
    seen: set[tuple[str, int | None]] = set()
    found = (gap for finder in FINDERS for gap in finder(transcript))
    for gap in (*transcript.gaps, *found):
        if (gap.kind, gap.step) not in seen:
            seen.add((gap.kind, gap.step))
            yield gap

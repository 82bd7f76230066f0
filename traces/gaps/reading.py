"""Gaps that reading a file leaves: what was damaged, replaced, shortened or refused."""

from __future__ import annotations

from traces.gaps.kind import Kind

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
    "undecodable_payload": Kind(
        "Undecodable payload",
        "Content declared to be base64 is not; it is shown as it was written.",
        "Encode payloads whole, and never cut them: send size and digest of what is too large.",
    ),
    "unknown_part": Kind(
        "Unknown kind of content",
        "A piece of content is of a kind this format does not name; it is shown as raw JSON.",
        "Nothing is lost; a newer reader may show it better.",
    ),
    "kept_in_raw_only": Kind(
        "Kept only in the raw document",
        "The file holds more than the record has fields for; whoever needs it must open the file.",
        "Say what matters in a field of the format; what stands below `extra` no page shows.",
    ),
    "conflicting_duplicate": Kind(
        "Conflicting duplicate",
        "Another run has the same name and source but other content; both are kept.",
        "Give each execution its own id, and send a run once it is complete.",
    ),
    "partial_trace": Kind(
        "Trace without an end",
        "Its root never ended, or never came: what happened after its last step is unknown.",
        "End the root span and flush the exporter before the process ends.",
    ),
    "late_records": Kind(
        "Records came too late",
        "More of the run came after a claim on it was signed; it is kept as it was judged.",
        "Send what belongs to a run before people judge it, and close the record when it is whole.",
    ),
    "failure_not_shown": Kind(
        "Failure no longer shown",
        "Read anew, the run does not show a failure, or its step, that an open case is about.",
        "Check whether the failure was real: the raw documents of both readings are kept.",
    ),
    "duplicate_failure": Kind(
        "Failure id given twice",
        "Different failures of the run have the same id; the later ones have a number added here.",
        "Give each failure of a run its own id.",
    ),
    "label_mismatch": Kind(
        "Label contradicts the record",
        "A label of this run names another actor than the one at its step.",
        "Check the label with its authors; it is kept as it came.",
    ),
    "label_out_of_range": Kind(
        "Label points outside the run",
        "A label of this run names a step that does not exist.",
        "Check the label with its authors, and whether it counts from 0 or 1.",
    ),
    "label_quote_missing": Kind(
        "Label quotes what is not there",
        "A label of this run quotes a passage as its evidence that the run's text does not have.",
        "Check the label with its authors: it may be of another run, or say it in other words.",
    ),
}

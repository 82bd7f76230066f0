"""Gaps in what a step says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from traces.completeness import explained, listed
from traces.facts import main_text
from traces.gaps.kind import Finder, Kind
from traces.gaps.systematic import once_if_common
from traces.transcript import Capture, Gap, Part, PartKind, Step, Transcript

SPOKEN = frozenset(
    {PartKind.INPUT, PartKind.DECISION, PartKind.INTERPRETATION, PartKind.MESSAGE, PartKind.ERROR}
)

# Where text stands that a tool or a recorder may have cut. What people say may speak of cutting.
SEEN = frozenset({PartKind.TOOL_RESPONSE, PartKind.ERROR, PartKind.INPUT})
# Each mark begins with one of these, for which a text is searched much faster than for words.
BRACKETS = ("[", "(", "<")
CUT_WORDS = ("runcated", "TRUNCATED", "clipped", "omitted", "elided")
AMOUNT = r"[\d,.]+ ?(?:more )?(?:characters|chars|bytes|lines|tokens|[kKmM]i?B)"
CUT = r"(?:truncated|omitted|elided|clipped)"
# Marks of tools that cut their own output, each on a line of its own or at a line's end.
CUT_MARK = re.compile(
    rf"^<response clipped>"
    rf"|[\[(<](?:\.\.\.|…)? ?{AMOUNT} (?:were )?{CUT}\b[^\n]{{0,40}}$"
    rf"|[\[(<](?:\.\.\.|…)? ?{CUT}[: ]+{AMOUNT}[^\n]{{0,40}}$"
    r"|[\[(<](?:\.\.\.|…)? ?(?:(?:output|response|observation|text|content|log|result) )?"
    r"(?:was |has been )?(?:truncated|clipped)(?: due to length)? ?(?:\.\.\.|…)? ?[\])>]$",
    re.MULTILINE | re.IGNORECASE,
)

KINDS = {
    "empty_content": Kind(
        "Step without content",
        "The step is there, but nothing of what was said or done.",
        "Switch content capture on for every step.",
    ),
    "cut_text": Kind(
        "Text cut short",
        "Only a piece of this text was kept; what decides the question may stand in the rest.",
        "Keep long texts whole, as payloads, and shorten them only where they are shown.",
    ),
    "payload_not_sent": Kind(
        "Payload named, not sent",
        "The record gives a digest of this content, but nobody sent the content itself.",
        "Send the bytes with the run, or state that they are withheld.",
    ),
}


def empty_content(transcript: Transcript) -> Iterator[Gap]:
    if explained(transcript.capture, "steps/parts", "steps/parts/text"):
        return
    empty = [step.number for step in transcript.steps if is_empty(step)]
    if empty and transcript.capture.get("steps/parts/text") == Capture.NOT_CAPTURED:
        # Said once: whoever recorded the run kept nothing of what was said in it.
        yield Gap("empty_content", f"Content was not captured: {len(empty)} steps have none.")
        return
    for number in empty:
        yield Gap("empty_content", "The step has no content.", number)


def is_empty(step: Step) -> bool:
    nothing = not step.parts and not explained(step.capture, "parts")
    return nothing or any(map(is_silent, step.parts))


def is_silent(part: Part) -> bool:
    """Whether somebody spoke and nothing of it is kept: no text, no bytes, no word why."""
    if part.kind not in SPOKEN or main_text(part):
        return False
    return not part.data.get("payload") and not explained(part.capture, "text")


def cut_text(transcript: Transcript) -> list[Gap]:
    return once_if_common(_cut(transcript), among=len(transcript.steps))


def _cut(transcript: Transcript) -> Iterator[Gap]:
    for step in transcript.steps:
        said = next(filter(None, map(how_cut, step.parts)), "")
        if said:
            yield Gap("cut_text", said, step.number)


def how_cut(part: Part) -> str:
    """How the record says that a part's text was cut; empty if it does not."""
    cut = part.data.get("cut")
    if cut and isinstance(cut, Mapping) and cut.get("characters"):
        if cut["characters"] < len(main_text(part)):
            return f"The original had {cut['characters']:,} characters, fewer than were kept."
        return f"The original had {cut['characters']:,} characters."
    if part.capture.get("text") == "damaged":
        return "The recorder calls the text damaged."
    may_say_so = part.kind in SEEN and _has_any(part.text, BRACKETS)
    if not (may_say_so and _has_any(part.text, CUT_WORDS)):
        return ""
    mark = CUT_MARK.search(part.text)
    return f'The text says so itself: "{mark.group().strip()[:80]}".' if mark else ""


def _has_any(text: str, words: tuple[str, ...]) -> bool:
    return any(map(text.__contains__, words))


def payload_not_sent(transcript: Transcript) -> list[Gap]:
    return once_if_common(_not_sent(transcript), among=len(transcript.steps))


def _not_sent(transcript: Transcript) -> Iterator[Gap]:
    for step in transcript.steps:
        named = [missing_payload(part) for part in step.parts if "payload" in part.data]
        if any(named):
            digests = listed([digest[:12] for digest in named if digest])
            yield Gap("payload_not_sent", f"Not in the record: sha256 {digests}.", step.number)


def missing_payload(part: Part) -> str:
    """The digest of a payload that was named and neither sent nor withheld."""
    payload = part.data.get("payload")
    if not isinstance(payload, Mapping) or explained(part.capture, "payload", "payload/content"):
        return ""
    if explained(payload.get("capture") or {}, "content"):
        return ""
    there = payload.get("stored") or "content" in payload
    return "" if there else str(payload.get("sha256") or "")


FINDERS: tuple[Finder, ...] = (empty_content, cut_text, payload_not_sent)

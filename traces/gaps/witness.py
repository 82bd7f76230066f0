"""Gaps where somebody says what was seen, and the record holds nothing that was seen."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from traces.completeness import explained
from traces.gaps.calls import call_of
from traces.gaps.kind import Finder, Kind
from traces.gaps.systematic import once_if_common
from traces.transcript import ActorKind, Gap, Part, PartKind, Step, StepStatus, Transcript

KINDS = {
    "interpretation_for_observation": Kind(
        "Interpretation where an observation is due",
        "An agent says what a tool answered or a check found, and the record holds no answer:"
        " its word is all there is.",
        "Record the tool's own answer and what the check observed, not only what was made of it.",
    ),
}
SPEECH = frozenset({PartKind.INTERPRETATION, PartKind.MESSAGE, PartKind.DECISION})
BROKEN_OFF = frozenset({StepStatus.ERROR, StepStatus.TIMEOUT, StepStatus.CANCELLED})
# Words of somebody who has seen an answer.
SEEN_IT = re.compile(
    r"\b(?:returned|shows|showed|shown|says|said|printed|reported|reports"
    r"|(?:outputs?|results?) (?:is|are|was|were|shows?|says?|contains?|confirms?|looks?)"
    r"|respon(?:se (?:is|was|says|shows)|ded)|answered|succeeded|successful(?:ly)?|passed|passes"
    r"|failed|confirm(?:s|ed)|as expected|works|worked|found|looks (?:good|fine|right))\b",
    re.IGNORECASE,
)
# Words of somebody who has yet to see it, or only thinks of what may be.
NOT_YET = re.compile(
    r"\b(?:will|shall|should|would|could|may|might|must|can|cannot|going to|need(?:s|ed)? to"
    r"|have to|let me|let us|let's|next|now I|try(?:ing)? to|plan|expect(?!ed)|if|when|once|until"
    r"|unless|whether|wait(?:ing)?|(?:I|we)'ll|it'll)\b|\?",
    re.IGNORECASE,
)
SENTENCE = re.compile(r"(?:[^.!?\n]|\.(?=\w))+[.!?]?")
# Further steps of an actor in which it may come to speak of an answer.
LATER = 2


def unheard_answers(transcript: Transcript) -> list[Gap]:
    calls = len(transcript.parts_of(PartKind.TOOL_REQUEST))
    return once_if_common(_unheard(transcript), among=calls)


def _unheard(transcript: Transcript) -> Iterator[Gap]:
    """A request without response, of which its actor then speaks as if there had been one."""
    open_steps = unanswered(transcript)
    waiting: dict[str, tuple[Step, int]] = {}
    for step in transcript.steps:
        asked, left = waiting.pop(step.actor, (None, 0))
        is_open = step.number in open_steps and step.status not in BROKEN_OFF
        if asked is not None and only_speaks(step):
            if tells(step.parts):
                yield _unheard_of(asked, step)
            elif left > 1:
                waiting[step.actor] = (asked, left - 1)
        elif is_open and tells(after_asking(step)):
            yield _unheard_of(step, step)
        elif is_open:
            waiting[step.actor] = (step, LATER)


def _unheard_of(asked: Step, step: Step) -> Gap:
    detail = f"Speaks of an answer to the request in step {asked.number}; none is recorded."
    return Gap("interpretation_for_observation", detail, step.number)


def unanswered(transcript: Transcript) -> set[int]:
    waiting: defaultdict[str, list[int]] = defaultdict(list)
    for step, _, part in transcript.citable():
        if part.kind is PartKind.TOOL_REQUEST:
            waiting[call_of(step, part)].append(step.number)
        elif part.kind is PartKind.TOOL_RESPONSE and waiting[call_of(step, part)]:
            waiting[call_of(step, part)].pop()
    return {number for steps in waiting.values() for number in steps}


def only_speaks(step: Step) -> bool:
    """Whether a step has neither asked again nor seen anything itself."""
    return all(part.kind in SPEECH for part in step.parts)


def after_asking(step: Step) -> tuple[Part, ...]:
    """What a step says after its last request; nothing if it has seen anything."""
    kinds = [part.kind for part in step.parts]
    if not SPEECH.issuperset(set(kinds) - {PartKind.TOOL_REQUEST}):
        return ()
    last = max(at for at, kind in enumerate(kinds) if kind is PartKind.TOOL_REQUEST)
    return tuple(step.parts[last + 1 :])


def tells(parts: Iterable[Part]) -> bool:
    """Whether a sentence says what came back, and not what somebody is about to do or expects."""
    return any(
        SEEN_IT.search(sentence) and not NOT_YET.search(sentence)
        for part in parts
        if SEEN_IT.search(part.text)
        for sentence in SENTENCE.findall(part.text)
    )


def unseen_verdicts(transcript: Transcript) -> list[Gap]:
    checks = len(transcript.parts_of(PartKind.VERIFICATION))
    return once_if_common(_unseen(transcript), among=checks)


def _unseen(transcript: Transcript) -> Iterator[Gap]:
    """An agent's verdict without observation or method, and no tool's answer behind it."""
    bare = [
        step
        for step in transcript.steps_with(PartKind.VERIFICATION)
        if gives_a_bare_verdict(step) and transcript.actor_of(step).kind is ActorKind.AGENT
    ]
    inputs: dict[int, list[int]] = {step.number: [] for step in bare}
    for link in transcript.links if bare else ():
        if link.target in inputs and link.recorded:
            inputs[link.target].append(link.source)
    for step in bare:
        behind = (step, *(transcript.steps[number] for number in inputs[step.number]))
        if not any(part.kind is PartKind.TOOL_RESPONSE for one in behind for part in one.parts):
            detail = "An agent gives a verdict; what it observed, and how, is not recorded."
            yield Gap("interpretation_for_observation", detail, step.number)


def gives_a_bare_verdict(step: Step) -> bool:
    return any(
        part.kind is PartKind.VERIFICATION
        and part.data.get("verdict") in ("passed", "failed")
        and not part.data.get("observed")
        and not part.data.get("method")
        and not explained(part.capture, "observed", "method")
        for part in step.parts
    )


FINDERS: tuple[Finder, ...] = (unheard_answers, unseen_verdicts)

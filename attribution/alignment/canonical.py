"""A step reduced to what a comparison should see: who did what to what, and how it ended.

Identifiers, clock times and other values that differ between any two runs are masked, so that
only meant differences remain.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from traces.facts import main_text
from traces.transcript import Actor, ActorKind, Part, PartKind, Step, StepStatus, Transcript

# Characters of a step's text that are compared: its beginning and its end. The bound keeps one
# huge tool answer from costing more than all other steps together.
HEAD, TAIL = 900, 300

_VOLATILE = re.compile(
    r"(?P<uuid>\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b)"
    r"|(?P<time>\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)"
    r"|(?P<clock>\b\d\d:\d\d(?::\d\d(?:\.\d+)?)?\b)"
    r"|(?P<hash>\b(?:sha\d+:[0-9a-f]+|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64})\b)"
    r"|(?P<temp>/(?:tmp|var/tmp|var/folders)/[^\s\"',;]+)"
    r"|(?P<call>\b(?:call|toolu|req|run|msg)_[0-9A-Za-z]{6,}\b)"
    r"|(?P<epoch>\b1[5-9]\d{8}(?:\d{3})?\b)",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
# Every volatile value holds a digit, and few words do: only those are looked at closely.
_WITH_A_DIGIT = re.compile(r"(?<!\S)(?=\S*\d)\S+(?:[ ]\d\d:\d\d\S*)?")
# "plan@3": the third version in this run, whatever is in it.
_COUNTER = re.compile(r"@\d+$")
_DURATION = re.compile(r"\b\d+(?:[.,]\d+)?\s?(?:ms|s|sec|secs|seconds|min|minutes)\b")

_NOT_WORDS = frozenset({PartKind.TOOL_REQUEST, PartKind.STATE, PartKind.INTERPRETATION})
_ENDED_BADLY = frozenset({StepStatus.ERROR, StepStatus.TIMEOUT, StepStatus.CANCELLED})


@dataclass(frozen=True, slots=True, order=True)
class State:
    artifact: str
    after: str
    change: str


@dataclass(frozen=True, slots=True)
class Canonical:
    """One step, comparable. `status` is empty unless the step ended badly.

    `actor` tells two coders of one run apart; it is no difference that it is named otherwise.
    """

    role: str
    actor: str
    kind: str
    tool: str
    arguments: tuple[tuple[str, str], ...]
    decision: str
    rejected: tuple[str, ...]
    states: tuple[State, ...]
    verdicts: tuple[tuple[str, str], ...]
    status: str
    text: str
    only_thought: bool
    by_agent: bool

    @property
    def manner(self) -> tuple[str, str, str]:
        return (self.role, self.kind, self.tool)

    @property
    def call(self) -> tuple[object, ...]:
        return (self.tool, self.arguments)

    @property
    def deed(self) -> tuple[object, ...]:
        return (self.decision, self.states, self.verdicts, self.status)

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for two steps that are the same but for volatile values."""
        return (self.role, self.kind, self.call, self.deed, self.text)


def masked(text: str) -> str:
    """The text with volatile values replaced by the name of their kind."""
    if not _DIGIT.search(text):
        return text
    return _WITH_A_DIGIT.sub(lambda found: _masked_word(found[0]), text)


@lru_cache(maxsize=50_000)
def _masked_word(word: str) -> str:
    return _VOLATILE.sub(lambda found: f"<{found.lastgroup}>", word)


def canonical_steps(transcript: Transcript) -> list[Canonical]:
    return [canonical(step, transcript.actor_of(step)) for step in transcript.steps]


def canonical(step: Step, actor: Actor) -> Canonical:
    return Canonical(
        role=actor.role,
        actor=actor.key,
        kind=step.kind.value,
        tool=step.tool or _first(_texts(step, PartKind.TOOL_REQUEST, "tool")),
        arguments=_arguments(step),
        decision=" / ".join(_texts(step, PartKind.DECISION, "chosen")),
        rejected=tuple(_rejected(step)),
        states=tuple(_states(step)),
        verdicts=tuple(_verdicts(step)),
        status=_status(step),
        text=_words(step),
        only_thought=all(part.kind is PartKind.INTERPRETATION for part in step.parts),
        by_agent=actor.kind in (ActorKind.AGENT, ActorKind.HUMAN),
    )


def _words(step: Step) -> str:
    """What was said and seen; requests and states are compared as values, thoughts only alone."""
    said = [main_text(part) for part in step.parts if part.kind not in _NOT_WORDS]
    text = "\n".join(said or [main_text(part) for part in step.parts])
    bounded = " ".join(_bounded(text).split())
    if not _DIGIT.search(bounded):
        return bounded
    return _DURATION.sub("<duration>", masked(bounded))


def _bounded(text: str) -> str:
    return text if len(text) <= HEAD + TAIL else f"{text[:HEAD]} … {text[-TAIL:]}"


def _parts(step: Step, kind: PartKind) -> Iterable[Part]:
    return (part for part in step.parts if part.kind is kind)


def _texts(step: Step, kind: PartKind, name: str) -> list[str]:
    values = (part.data.get(name) for part in _parts(step, kind))
    return [masked(str(value)) for value in values if value]


def _first(texts: list[str]) -> str:
    return texts[0] if texts else ""


def _arguments(step: Step) -> tuple[tuple[str, str], ...]:
    """Name and value of each argument, sorted; what is no JSON object is one unnamed value."""
    found: list[tuple[str, str]] = []
    for part in _parts(step, PartKind.TOOL_REQUEST):
        given = _parsed(main_text(part))
        named = given if isinstance(given, Mapping) else {"": given}
        found += [(str(name), masked(_plain(value))) for name, value in named.items()]
    return tuple(sorted(found))


def _parsed(text: str) -> object:
    try:
        return json.loads(text) if text.startswith("{") else text
    except (ValueError, RecursionError):
        return text


def _rejected(step: Step) -> Iterable[str]:
    for part in _parts(step, PartKind.DECISION):
        for turned_down in part.data.get("rejected") or ():
            if isinstance(turned_down, Mapping) and turned_down.get("option"):
                yield masked(str(turned_down["option"]))


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)


def _states(step: Step) -> Iterable[State]:
    for part in _parts(step, PartKind.STATE):
        after = _COUNTER.sub("", masked(str(part.data.get("after") or "")))
        yield State(str(part.data.get("artifact") or ""), after, masked(_bounded(main_text(part))))


def _verdicts(step: Step) -> Iterable[tuple[str, str]]:
    for part in _parts(step, PartKind.VERIFICATION):
        yield str(part.data.get("check") or ""), str(part.data.get("verdict") or "")


def _status(step: Step) -> str:
    answers = _texts(step, PartKind.TOOL_RESPONSE, "status")
    bad = [answer for answer in answers if answer in _ENDED_BADLY]
    return _first(bad) or (step.status.value if step.status in _ENDED_BADLY else "")

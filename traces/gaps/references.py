"""Gaps in what the record points at: an initial state or version that nobody can look up."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from traces.completeness import explained, listed
from traces.gaps.kind import Finder, Kind
from traces.gaps.systematic import once_if_common
from traces.transcript import Gap, Part, PartKind, Transcript

# A name that moves: bare, behind a name as in "shop@main" or "host:5000/image:latest", as a branch
# in an address, or in words.
BRANCH = (
    r"(?:refs/heads/\S+|(?:origin|upstream)/(?:main|master|develop|trunk|HEAD)|HEAD(?:[~^]\d*)*"
    r"|latest|newest|current|main|master|develop|trunk|tip|\*)"
)
WHOLE = r"(?:repository|repo|project|code|codebase|database|system|branch|working tree)"
MOVING = re.compile(
    rf"(?:\S*[@:#])?{BRANCH}\Z"
    r"|https?://\S+/(?:tree|blob|raw)/(?:main|master|develop|trunk|HEAD)(?:/\S*)?\Z"
    r"|(?:the )?(?:current|latest|present) (?:repository |repo |working )?"
    rf"(?:state|version|branch|checkout|tree|commit)(?: of (?:the |this |our )?{WHOLE})?\Z"
    r"|(?:the )?work(?:ing[ -]?)(?:tree|copy|directory)\Z",
    re.IGNORECASE,
)

KINDS = {
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
    "mutable_reference": Kind(
        "Reference that moves",
        "The step names a version that means something else tomorrow, such as latest or HEAD:"
        " it does not show what was really read, changed or checked.",
        "Resolve the name when the step runs, and record the commit, digest or version.",
    ),
}


NAMING = frozenset(
    {PartKind.STATE, PartKind.VERIFICATION, PartKind.TOOL_REQUEST, PartKind.TOOL_RESPONSE}
)


def initial_state(transcript: Transcript) -> Iterator[Gap]:
    state = transcript.initial_state
    moving = not state.get("digest") and moves(state.get("reference"))
    if state.get("mutable") or moving:
        where = state.get("reference") or "not named"
        yield Gap("mutable_initial_state", f"The initial state may have changed: {where}.")
    elif not (state.get("reference") or state.get("digest") or is_explained(transcript)):
        yield Gap("unknown_initial_state", "The record does not say what the run started from.")


def is_explained(transcript: Transcript) -> bool:
    """Whether the record says of its initial state that it was withheld or that there was none."""
    names = ("reference", "digest")
    own = transcript.initial_state.get("capture") or {}
    places = (f"initial_state/{name}" for name in names)
    return explained(own, *names) or explained(transcript.capture, "initial_state", *places)


def mutable_reference(transcript: Transcript) -> list[Gap]:
    return once_if_common(_moving(transcript), among=len(transcript.steps))


def _moving(transcript: Transcript) -> Iterator[Gap]:
    for step in transcript.steps:
        found = dict.fromkeys(
            f"{what} {name}"
            for part in step.parts
            if part.kind in NAMING
            for what, name in versions(part)
            if moves(name)
        )
        if found:
            yield Gap("mutable_reference", f"Names that move: {listed(list(found))}.", step.number)


def versions(part: Part) -> Iterator[tuple[str, str]]:
    """The versions a part names, each with what it is a version of."""
    if part.kind is PartKind.STATE:
        artifact = part.data.get("artifact", "")
        yield from (
            (f"{artifact} {at}", str(part.data.get(at) or "")) for at in ("before", "after")
        )
    elif part.kind is PartKind.VERIFICATION:
        yield "checked", str(part.data.get("subject") or "")
    elif part.kind is PartKind.TOOL_REQUEST:
        yield from (("environment", name) for name in named(part.data.get("environment")))
    elif part.kind is PartKind.TOOL_RESPONSE:
        given = part.data.get("artifacts")
        for item in given if isinstance(given, list) else ():
            if isinstance(item, Mapping) and not item.get("digest"):
                yield str(item.get("name", "")), str(item.get("version") or "")


def named(environment: Any) -> Iterator[str]:
    """What an environment is made of: "python:3.13, postgres:latest", or a list or object of it."""
    if isinstance(environment, str):
        yield from (name.strip() for name in re.split("[,;]", environment))
    elif isinstance(environment, Mapping):
        yield from (str(name) for name in environment.values())
    elif isinstance(environment, list):
        yield from (str(name) for name in environment)


def moves(name: Any) -> bool:
    """Whether a version is known to be a name for whatever is there at the moment."""
    return isinstance(name, str) and bool(MOVING.match(name.strip()))


FINDERS: tuple[Finder, ...] = (initial_state, mutable_reference)

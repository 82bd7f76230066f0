"""A small run to compare explanations on.

planner #0 -> coder #2 -> verifier #4 (passed) -> coder #5 -> verifier #7 (failed, exposes it);
beside it scout #1 -> scout #3 (an error) -> #6, which nothing but a guess leads on to #7.
"""

from __future__ import annotations

from attribution.explaining import Explaining, Explanation, Picked
from attribution.explaining.facts import Sentence
from attribution.place import Place
from tests.attribution.scenes import actors, calls, consumes, says, verifies
from tests.factories import make_transcript
from traces.outline import Outline, outline_of
from traces.transcript import Link, LinkKind, Step, Transcript

RULE = "same text"
STEPS: tuple[Step, ...] = (
    says(0, "Use v1.", "planner"),
    calls(1, "search", "scout"),
    says(2, "Written for v1.", "coder"),
    calls(3, "search", "scout", status="error"),
    verifies(4, "unit tests", "passed", "verifier"),
    says(5, "Merged.", "coder"),
    calls(6, "read", "page"),
    verifies(7, "end to end", "failed", "grader"),
)
LINKS = (
    consumes(0, 2),
    consumes(2, 4),
    consumes(4, 5),
    consumes(5, 7),
    consumes(3, 6),
    Link(6, 7, LinkKind.CONSUMES, RULE),
)


def transcript(*more: Link, steps: tuple[Step, ...] = STEPS) -> Transcript:
    kinds = {"planner": "agent", "coder": "agent", "scout": "agent", "verifier": "tool"}
    acting = actors(**kinds, page="environment", grader="evaluator")
    return make_transcript(*steps, actors=acting, links=(*LINKS, *more))


def outline(*more: Link) -> Outline:
    return outline_of(transcript(*more))


def explained(*found: Explanation, over: Outline | None = None) -> Explaining:
    """These two compared, as A and B."""
    known = {each.key: each for each in found}
    place = Place(given=(("explain", ",".join(known)),))
    over = outline() if over is None else over
    return Explaining(Picked(known, place), over, [7] if len(over) > 7 else [])


def candidate(number: int, step: int | None, exposing: int | None = 7, **fields) -> Explanation:  # type: ignore[no-untyped-def]
    name = f"Candidate {number}"
    return Explanation(f"c{number}", name, step, exposing=exposing, **fields)


def text(sentence: Sentence) -> str:
    return "".join(word.text or word.quote or f"#{word.step}" for word in sentence)

"""Steps and small runs as the attribution tests need them: what is not given is the plainest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.factories import make_step, make_transcript
from traces.formats import intake
from traces.transcript import (
    Actor,
    ActorKind,
    Link,
    LinkKind,
    Outcome,
    Part,
    PartKind,
    Step,
    StepKind,
    StepStatus,
    Transcript,
)

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "traces" / "samples"


def says(number: int, text: str, actor: str = "planner", **fields: Any) -> Step:
    return make_step(number, actor, text, **fields)


def thinks(number: int, text: str, actor: str = "planner") -> Step:
    return make_step(number, actor, parts=(Part(PartKind.INTERPRETATION, text),))


def calls(
    number: int,
    tool: str,
    actor: str = "coder",
    *,
    answer: str = "done",
    status: str = "ok",
    **arguments: Any,
) -> Step:
    request = Part(PartKind.TOOL_REQUEST, json.dumps(arguments), {"tool": tool})
    response = Part(PartKind.TOOL_RESPONSE, answer, {"status": status})
    return make_step(
        number,
        actor,
        kind=StepKind.TOOL,
        tool=tool,
        status=StepStatus(status),
        parts=(request, response),
    )


def decides(
    number: int, chosen: str, actor: str = "planner", *, rejected: tuple[str, ...] = ()
) -> Step:
    options = [{"option": option} for option in rejected]
    data = {"chosen": chosen, "rejected": options}
    part = Part(PartKind.DECISION, f"I choose {chosen}.", data)
    return make_step(number, actor, kind=StepKind.DECISION, parts=(part,))


def changes(number: int, artifact: str, after: str, actor: str = "planner") -> Step:
    part = Part(PartKind.STATE, f"now {after}", {"artifact": artifact, "after": after})
    return make_step(number, actor, kind=StepKind.STATE, parts=(part,))


def verifies(number: int, check: str, verdict: str, actor: str = "verifier") -> Step:
    data = {"check": check, "verdict": verdict}
    part = Part(PartKind.VERIFICATION, f"{check}: {verdict}", data)
    return make_step(number, actor, kind=StepKind.VERIFICATION, parts=(part,))


def failed(*steps: Step, **fields: Any) -> Transcript:
    return make_transcript(*steps, external_id=fields.pop("external_id", "failed"), **fields)


def passed(*steps: Step, **fields: Any) -> Transcript:
    name = fields.pop("external_id", "passed")
    return make_transcript(*steps, external_id=name, outcome=Outcome.SUCCEEDED, **fields)


def actors(**kinds: str) -> tuple[Actor, ...]:
    """Actors by name and kind: `actors(coder="agent", grader="evaluator")`."""
    return tuple(Actor(key=name, role=name, kind=ActorKind(kind)) for name, kind in kinds.items())


def retry(source: int, target: int) -> Link:
    return Link(source, target, LinkKind.RETRY_OF)


def consumes(source: int, target: int) -> Link:
    return Link(source, target, LinkKind.CONSUMES)


def sample(name: str) -> Transcript:
    """A run of the sample corpus, as its parser reads it: `sample("lossy-handoff-failed")`."""
    return intake.take((SAMPLES / f"{name}.json").read_bytes()).runs[0].transcript

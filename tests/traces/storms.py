"""Runs in which the apparatus failed, made by hand."""

from __future__ import annotations

from tests.factories import make_run, make_step, make_transcript
from traces.models import Project, Run
from traces.transcript import Part, PartKind, Step, StepKind, StepStatus, Transcript

LIMITED = "HTTP 429: rate limit exceeded, retry after 20 s"


def make_error(number: int, text: str = LIMITED, **fields: object) -> Step:
    """A tool call that the world answered with an error."""
    given = {
        "kind": StepKind.TOOL,
        "status": StepStatus.ERROR,
        "parts": (Part(PartKind.ERROR, text),),
    } | fields
    return make_step(number, "coder", **given)


def stormy(external_id: str = "stormy", *, times: int = 6, text: str = LIMITED) -> Transcript:
    """Two steps of work, then nothing but the rate limit."""
    begin = (make_step(0), make_step(1, "coder"))
    errors = (make_error(number, text) for number in range(2, 2 + times))
    return make_transcript(*begin, *errors, external_id=external_id)


def make_storm(project: Project, external_id: str = "stormy", **given: object) -> Run:
    return make_run(project, stormy(external_id), **given)  # type: ignore[arg-type]

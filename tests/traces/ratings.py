"""A label file as a plug-in might read it, for tests: a list of names and judgements."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.factories import AT, make_transcript, make_user
from traces import ingest
from traces.formats import registry
from traces.formats.base import Document, Label, Reading, Sample
from traces.models import Project, Receipt, Run
from traces.transcript import Opinion

SECRET = "The planner misread the berth."


class Ratings:
    """Known by the key `rated`; `says` are the fields of an opinion."""

    name, version = "ratings", "3"

    def recognise(self, sample: Sample) -> str | None:
        rated = any("rated" in item for item in sample.objects)
        return "key rated" if rated else None

    def read(self, document: Document) -> Reading:
        labels = []
        for pointer, value, _ in document.values():
            given = {"native_step": "", "base": 0, "step": None, "actor": "", "reason": SECRET}
            opinion = Opinion("raters", **given | value.get("says", {}))
            labels.append(Label(pointer, tuple(value["rated"]), opinion))
        return Reading(labels=tuple(labels), notes=("Scores without a run are left out.",))


def make_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let ratings be a format while a test runs."""
    known: Mapping[str, Any] = {**registry.formats(), "ratings": Ratings()}
    monkeypatch.setattr(registry, "formats", lambda: known)


def rate(project: Project, *ratings: tuple[list[str], dict[str, Any]]) -> Receipt:
    content = json.dumps([{"rated": names, "says": says} for names, says in ratings]).encode()
    return send(project, content)


def send(project: Project, content: bytes) -> Receipt:
    return ingest.ingest(
        project=project,
        content=content,
        filename="ratings.json",
        via=Receipt.Via.API,
        by=make_user("ada"),
        at=AT,
    )


def named(project: Project, external_id: str, **fields: Any) -> Run:
    """A run of this id; of another source it is another run."""
    transcript = make_transcript(external_id=external_id, **fields)
    receipt = ingest.receive(
        project=project, content=b"{}", filename="x", via=Receipt.Via.API, by=None, at=AT
    )
    assert receipt.document
    return ingest.write_run(
        project=project,
        document=receipt.document,
        pointer=f"{transcript.source} {external_id}"[:200],
        transcript=transcript,
        format="tests",
        rule="made by a test",
        at=AT,
    )

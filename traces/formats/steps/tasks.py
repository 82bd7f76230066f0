"""What a run was asked to do, where nothing says so but the first words of whoever asked."""

from __future__ import annotations

from traces.formats.steps.building import Builder
from traces.transcript import ActorKind, StepKind


def first_words(builder: Builder, kind: StepKind | None = None) -> str:
    """What the first step of a person says; of this kind, if one is given."""
    said = (
        draft
        for draft in builder.drafts.values()
        if builder.actors[draft.actor].kind is ActorKind.HUMAN and kind in (None, draft.kind)
    )
    first = min(said, key=lambda draft: draft.order, default=None)
    return "\n".join(part.text for part in first.parts) if first else ""

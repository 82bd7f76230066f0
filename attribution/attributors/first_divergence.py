"""first-divergence: where a failed run first went another way than one that succeeded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from attribution.alignment import Divergence, Row, align
from attribution.attributors.base import Attributor, Proposal, Reading, Role, excerpt
from traces.causality import StepGraph
from traces.transcript import Actor, ActorKind, PartKind, StepKind, Transcript

MOST = 3
# The score of the message behind the first divergence, as a share of that divergence's.
TOLD = 0.9
# Messages at least this similar to their like in the reference told the same.
SAID_ALIKE = 0.9

# A step is quoted where the difference most likely shows.
_SHOWN_FIRST = (
    PartKind.DECISION,
    PartKind.STATE,
    PartKind.TOOL_REQUEST,
    PartKind.VERIFICATION,
    PartKind.MESSAGE,
    PartKind.INTERPRETATION,
)


class FirstDivergence(Attributor):
    """The weightiest early differences from the run it is compared with, at most three.

    The second place goes to the message on which the first rests, if that reads otherwise in the
    other run: a choice can be no better than what it was told.
    """

    name = "first-divergence"
    version = 1
    needs_reference = True

    def propose(self, reading: Reading) -> Sequence[Proposal]:
        if reading.reference is None:
            return []
        comparison = Comparison(reading.transcript, reading.reference)
        found: dict[int, Proposal] = {}
        for proposal in comparison.proposals():
            found.setdefault(proposal.step, proposal)
            if len(found) == MOST:
                break
        return list(found.values())


class Comparison:
    """A failed run beside the one it is compared with."""

    def __init__(self, run: Transcript, reference: Transcript) -> None:
        self.run, self.reference = run, reference
        self.alignment = align(run, reference)

    def proposals(self) -> Iterator[Proposal]:
        """Best first; a step may come more than once."""
        ranked = sorted(self.alignment.divergences, key=lambda divergence: -divergence.score)
        for place, divergence in enumerate(ranked):
            proposal = self._of(divergence)
            if proposal:
                yield proposal
                if place == 0:
                    yield from self._told(proposal)

    def _of(self, divergence: Divergence) -> Proposal | None:
        row = self.alignment.rows[divergence.row]
        step = self._step_at(divergence.row)
        shown = None if step is None else excerpt(self.run, step, _SHOWN_FIRST)
        if step is None or shown is None:
            return None
        actor = self.run.actor_of(self.run.steps[step])
        return Proposal(
            step=step,
            actor=actor.key,
            part=_part(actor, row, self.reference),
            score=divergence.score,
            rationale=f"Compared with {self.reference.external_id}: {divergence.sentence}.",
            quotes=(shown,),
        )

    def _step_at(self, at: int) -> int | None:
        """The step of the failed run that the row is about.

        If only the reference has the step: what the same role did next here, else did last.
        """
        rows = self.alignment.rows
        if rows[at].left is not None or rows[at].right is None:
            return rows[at].left
        role = self.reference.actor_of(self.reference.steps[rows[at].right or 0]).role
        earlier = next(self._steps_of(role, rows[:at][::-1]), None)
        return next(self._steps_of(role, rows[at:]), earlier)

    def _steps_of(self, role: str, rows: Sequence[Row]) -> Iterator[int]:
        for row in rows:
            if row.left is not None and self._actor(row.left).role == role:
                yield row.left

    def _actor(self, step: int) -> Actor:
        return self.run.actor_of(self.run.steps[step])

    def _told(self, first: Proposal) -> Iterator[Proposal]:
        """The last message from another agent that the first proposal's step recorded as input."""
        inputs = StepGraph(self.run.links).recorded_only().inputs.get(first.step, [])
        for source in sorted({link.source for link in inputs}, reverse=True):
            actor, shown = self._actor(source), excerpt(self.run, source, (PartKind.MESSAGE,))
            if self._is_message(source) and actor.key != first.actor and shown:
                other = self.reference.external_id
                yield Proposal(
                    step=source,
                    actor=actor.key,
                    part=Role.PRODUCED,
                    score=round(first.score * TOLD, 4),
                    rationale=f"#{first.step} rests on this message, worded otherwise in {other}.",
                    quotes=(shown,),
                )
                return

    def _is_message(self, step: int) -> bool:
        """Whether an agent told another something here that the reference does not say alike."""
        kinds = {part.kind for part in self.run.steps[step].parts}
        by_agent = self._actor(step).kind is ActorKind.AGENT
        return by_agent and PartKind.MESSAGE in kinds and step not in self._said_alike

    @cached_property
    def _said_alike(self) -> set[int | None]:
        return {row.left for row in self.alignment.rows if row.similarity >= SAID_ALIKE}


def _part(actor: Actor, row: Row, reference: Transcript) -> Role:
    """A check that only the reference made is one that was missed here."""
    if actor.kind not in (ActorKind.AGENT, ActorKind.HUMAN):
        return Role.APPARATUS
    only_there = row.left is None and row.right is not None
    checks = only_there and reference.steps[row.right or 0].kind is StepKind.VERIFICATION
    return Role.MISSED if checks else Role.PRODUCED

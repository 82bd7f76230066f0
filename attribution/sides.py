"""One run in the trace browser: its steps, with the reader's marks, ready for a template.

Plain Python. Structure comes from the run's outline, content from the steps that are drawn.
Everything that comes from the trace leaves here with its invisible characters written out, or in
pieces that name them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cached_property

import numpy as np

from attribution import parts
from attribution.alignment.part_pairs import counterparts
from attribution.drawn_steps import Into, Marks, StepView, elapsed
from attribution.parts import Asked, Before, PartView, Showing
from traces.display import visible
from traces.facts import main_text
from traces.outline import KINDS, RELATIONS, Lane, Outline
from traces.transcript import Actor, Gap, LinkKind, Part, PartKind, Step, StepKind

# Of a step's parts, how many a page shows besides those that are cited; of its inputs likewise.
MOST_PARTS = 12
MOST_INPUTS = 12
ASKED = frozenset({StepKind.TOOL, StepKind.HANDOFF})
# Kinds of parts that grow from turn to turn of one actor, each holding what was there before.
GROWING = frozenset({PartKind.INPUT, PartKind.MESSAGE})


class Side:
    """Turns steps of one run into views; knows colours, links and gaps once.

    `modes` says how each kind of part is shown: see `attribution.rendering`. `address` is what the
    addresses of its steps begin with ("/p/x/runs/<run>/steps/"); without it no part has a link.
    """

    def __init__(
        self,
        outline: Outline,
        marks: Marks,
        *,
        gaps: Iterable[Gap] = (),
        began: datetime | None = None,
        modes: Mapping[str, str] | None = None,
        address: str = "",
    ) -> None:
        self.outline, self.marks = outline, marks
        self.modes, self.address = modes or {}, address
        self.gaps: dict[int | None, list[Gap]] = defaultdict(list)
        for gap in gaps:
            self.gaps[gap.step].append(gap)
        roles = dict.fromkeys(lane.role for lane in outline.lanes)
        self.colour_of = {role: index % 8 for index, role in enumerate(roles)}
        self.began = began or self._earliest

    def view(
        self,
        step: Step,
        *,
        kind: str = "",
        against: Step | None = None,
        before: Step | None = None,
        grey: bool = False,
    ) -> StepView:
        """The step as it is drawn: `kind` of its row, with what differs from `against`, and with
        what its actor had before, at step `before`, folded.
        """
        lane = self.outline.lane(step.number)
        inputs = self._inputs(step.number)
        return StepView(
            step=step,
            role=visible(lane.role),
            instance=visible(lane.instance.removeprefix(f"{lane.role}/")),
            colour=self.colour_of[lane.role],
            offset=elapsed(self.began, step.started_at),
            parts=() if grey else tuple(self._parts(step, lane, against, before)),
            inputs=inputs[:MOST_INPUTS],
            more_inputs=max(0, len(inputs) - MOST_INPUTS),
            gaps=tuple(self.gaps.get(step.number, ())),
            marks=self.marks,
            kind=kind,
            replaces=self._replaced(step.number, lane),
            grey=grey,
            address=f"{self.address}{step.number}/" if self.address else "",
        )

    @cached_property
    def _earliest(self) -> datetime | None:
        known = self.outline.began[~np.isnan(self.outline.began)]
        return datetime.fromtimestamp(float(known.min()), UTC) if len(known) else None

    @cached_property
    def _first(self) -> dict[int, int]:
        """Where each actor first acts, by its place among the lanes."""
        acting, first = np.unique(self.outline.actor, return_index=True)
        return dict(zip(acting.tolist(), first.tolist(), strict=True))

    def _inputs(self, step: int) -> tuple[Into, ...]:
        outline = self.outline
        return tuple(
            Into(
                int(outline.source[link]),
                RELATIONS[outline.relation[link]],
                outline.rules[outline.rule[link]],
            )
            for link in outline.inputs(step)
        )

    def _replaced(self, step: int, lane: Lane) -> str:
        """The instance that this one was started instead of, where it first acts."""
        first = self._first[int(self.outline.actor[step])] == step
        return visible(lane.replaces) if lane.replaces and first else ""

    def _asks(self, step: Step) -> Iterator[Asked]:
        """What a model call without words asks for: the calls of its actor that build on it."""
        if step.kind is not StepKind.DECISION or any(part.text for part in step.parts):
            return
        outline = self.outline
        for link in outline.outputs(step.number):
            other = int(outline.target[link])
            kind = KINDS[outline.kind[other]]
            same = outline.actor[other] == outline.actor[step.number]
            consumes = RELATIONS[outline.relation[link]] is LinkKind.CONSUMES
            if consumes and kind in ASKED and same:
                tool = int(outline.tool[other])
                words = kind.value if tool < 0 else outline.tools[tool]
                yield Asked(other, visible(words), outline.rules[outline.rule[link]])

    def _parts(
        self, step: Step, lane: Lane, against: Step | None, before: Step | None
    ) -> Iterator[PartView]:
        actor = Actor(lane.key, lane.role, lane.kind)
        others, earlier = counterparts(step, against), counterparts(step, before)
        asks = tuple(self._asks(step))
        address = f"{self.address}{step.number}/parts/" if self.address else ""
        showing = Showing(address, self.modes)
        each = zip(step.parts, others, earlier, strict=True)
        for position, (part, other, held) in enumerate(each):
            cited = self.marks.cited.get((step.number, position), ())
            if position < MOST_PARTS or cited:
                observed = part.is_observation(actor)
                drawn = parts.view(
                    part,
                    position,
                    observed=observed,
                    cited=cited,
                    other=other,
                    before=self._before(held, before),
                    showing=showing,
                )
                yield drawn.asking(asks) if asks and position == 0 else drawn

    @staticmethod
    def _before(held: Part | None, step: Step | None) -> Before | None:
        """What the actor's earlier part of this kind said, if such parts grow from turn to turn."""
        if held is None or step is None or held.kind not in GROWING:
            return None
        return Before(main_text(held), step.number)

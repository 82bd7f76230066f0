"""One run as somebody looks at it: the place in it, what is beside it, the rows, their content.

Each part is read once, when it is first asked for; nothing reads the whole run.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from django.contrib.auth.models import User
from django.urls import reverse

from attribution import comparing, finding, pairings, seeing, together
from attribution.alignment.aligned import Aligned
from attribution.alignment.branches import align_branches
from attribution.beside import Beside, Holds
from attribution.browser import (
    Span,
    around,
    backwards,
    onwards,
)
from attribution.drawn_steps import Marks
from attribution.filters import Filter, Listing, listing
from attribution.finding import Holding
from attribution.jumps import Landmarks, jump
from attribution.models import Candidate
from attribution.pairings import Pairs
from attribution.place import Place
from attribution.rows import Rows, alone, beside
from attribution.seeing import Seen
from attribution.sides import Side
from attribution.sought import Unsearchable
from attribution.together import Together
from traces import reading
from traces.models import Run
from traces.outline import Outline
from traces.reading import Surroundings

# Steps of both runs that are compared while a person waits, the first time.
AT_ONCE = 600
# Divergences that the keys of the page stop at.
DIVERGENCES = 500


class Viewing:
    def __init__(
        self, run: Run, place: Place, beside: Beside, *, modes: Mapping[str, str] | None = None
    ) -> None:
        self.run, self.place, self.beside, self.modes = run, place, beside, modes or {}
        self.marks = Marks()
        self.reader: User | None = None
        # Whether labels of others may be read along: who sets this has asked.
        self.opinions = False
        self.ranked: list[Candidate] = []

    @property
    def other(self) -> Run | None:
        """The run that is laid beside this one row by row; not one that scrolls by itself."""
        return None if self.unlocked else self.beside.run

    @property
    def unlocked(self) -> bool:
        return self.beside.run is not None and self.place.value("lock") == "off"

    @property
    def apart(self) -> bool:
        """Whether the right pane is a pane of its own, that does not follow row by row."""
        return self.unlocked or self.beside.holds in (Holds.STEP, Holds.RAW)

    @cached_property
    def together(self) -> Together:
        return together.read(self.run, self.other, self.reader, opinions=self.opinions)

    @cached_property
    def outlines(self) -> list[Outline]:
        """Of this run, and of the one beside it if another is."""
        return self.together.outlines

    @property
    def outline(self) -> Outline:
        return self.outlines[0]

    @cached_property
    def surroundings(self) -> Surroundings:
        return self.together.surroundings

    @cached_property
    def gap_steps(self) -> list[int]:
        return sorted({gap.step for gap in self.surroundings.gaps if gap.step is not None})

    @cached_property
    def aligned(self) -> Aligned | None:
        """Both runs side by side, or two branches of this one, if that is known or soon found."""
        if self.beside.holds is Holds.BRANCH and not self.too_long:
            return align_branches(reading.transcript_of(self.run), *self.beside.steps)
        if self.other is None or comparing.too_long(self.run, self.other):
            return None
        found = self.together.aligned
        if found is None and self.run.step_count + self.other.step_count <= AT_ONCE:
            found = comparing.compare(self.run, self.other)
        return found and pairings.applied(
            found, self.pairs, self.run, self.other, outlines=self.outlines
        )

    @property
    def pairs(self) -> Pairs:
        """What the reader paired by hand."""
        return self.together.pairs

    @property
    def waits(self) -> bool:
        """Whether the comparison is still to be made: the page asks for it by itself."""
        return self.aligned is None and self.other is not None and not self.too_long

    @property
    def too_long(self) -> str:
        other = self.run if self.beside.holds is Holds.BRANCH else self.other
        return comparing.too_long(self.run, other) if other else ""

    @cached_property
    def filter(self) -> Filter:
        return Filter.from_query(self.place)

    @cached_property
    def listing(self) -> Listing:
        """Which steps the filter of the address shows: all of them without one."""
        return listing(self.outline, self.filter, self.holding.steps if self.holding else None)

    @cached_property
    def holding(self) -> Holding | None:
        """The steps that hold the text of the filter, if it asks for one."""
        wanted = self.filter
        if not wanted.text:
            return None
        try:
            return finding.holding(self.run, len(self.outline), wanted.text, wanted.parts)
        except Unsearchable:
            return None

    @cached_property
    def rows(self) -> Rows:
        whole = beside(self.aligned) if self.aligned else alone(len(self.outline))
        return self.listing.over(whole)

    @cached_property
    def seen(self) -> Seen | None:
        """What the actor of the selected step could see there, if the address asks."""
        asked = self.place.value("seen") and len(self.outline)
        return seeing.seen_at(self.outline, self.selected) if asked else None

    @property
    def divergence_rows(self) -> str:
        """The rows of telling divergences, of very many the first, for the page's script."""
        return ",".join(map(str, list(self.rows.divergences)[:DIVERGENCES]))

    @cached_property
    def landmarks(self) -> Landmarks:
        exposing = (failure.exposed_by for failure in self.surroundings.failures)
        best = sorted((min(numbers), step) for step, numbers in self.marks.candidates.items())
        return Landmarks(
            exposing=tuple(step for step in exposing if step is not None),
            gaps=self.gap_steps,
            proposed=tuple(step for _, step in best),
            decisive=self.marks.decisive,
        )

    @cached_property
    def jumped(self) -> int | None:
        """Where the jump that the address names leads."""
        begin = max(0, min(self.place.step or 0, len(self.outline) - 1))
        return jump(self.outline, self.landmarks, self.place.go, begin)

    @cached_property
    def selected(self) -> int:
        """The selected step; that of the row, or of the window, if the address names no step."""
        place = self.place
        if self.jumped is not None:
            return self.jumped
        edges = (place.row, place.start, place.until)
        row = next((edge for edge in edges if edge is not None), None)
        step = place.step
        if step is None:
            step = self.first_hit if row is None else self.rows.step_at(row)
        return max(0, min(step or 0, len(self.outline) - 1))

    @property
    def first_hit(self) -> int:
        """The first step that matches the filter; the first of all without one."""
        hits = self.listing.steps[self.listing.hit]
        return int(hits[0]) if len(hits) else 0

    @cached_property
    def span(self) -> Span:
        """The rows that the address asks for."""
        if self.place.until is not None:
            return backwards(self.rows, self.place.until)
        if self.place.start is not None:
            return onwards(self.rows, self.place.start)
        return around(self.rows, self.held)

    @property
    def held(self) -> int:
        """The row that is shown however heavy the others are."""
        place = self.place
        edge = place.start if place.until is None else place.until
        if edge is None and self.jumped is None:
            edge = place.row
        return self.rows.row_of(self.selected) if edge is None else edge

    def sides(self) -> tuple[Side, Side | None]:
        ours = Side(
            self.outline,
            self.marks,
            gaps=self.surroundings.gaps,
            began=self.run.started_at,
            modes=self.modes,
            address=self._address_of_steps(self.run),
        )
        if self.aligned is None:
            return ours, None
        began = self.right.started_at
        address = self._address_of_steps(self.right)
        return ours, Side(
            self.outlines[-1], Marks(), began=began, modes=self.modes, address=address
        )

    def _address_of_steps(self, run: Run) -> str:
        # Both runs are of one project, which came with this one.
        return reverse("attribution:run", args=[self.run.project.slug, run.pk]) + "steps/"

    @property
    def right(self) -> Run:
        """The run whose steps stand on the right: this one too, if that holds a branch of it."""
        return self.other or self.run

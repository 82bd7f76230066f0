"""What became of the raw records of a run: which are steps, which are not, and what nobody read.

Counted in the database, so that a run of any length costs the same; nothing of the text is read.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import JSONField, QuerySet
from django.db.models.expressions import RawSQL

from traces.models import Run
from traces.transcript import Fate

# Names of records, and fields, that are listed; all are counted.
MOST = 100
MEANINGS = {
    Fate.CONTAINER: "It holds other records together and did nothing by itself.",
    Fate.FOLDED: "It says again what another record says, and is kept once.",
    Fate.CONTEXT: "It describes the run or its steps, and is no step.",
    Fate.UNMAPPED: "Nothing here knows what it means: only the raw document has it.",
}


@dataclass(frozen=True, slots=True)
class FateTally:
    """The records of one fate, by what the source calls them, commonest first."""

    fate: Fate
    count: int
    names: tuple[tuple[str, int], ...]

    @property
    def meaning(self) -> str:
        return MEANINGS[self.fate]

    @property
    def more(self) -> int:
        """How many records have names that are not listed."""
        return self.count - sum(count for _, count in self.names)


@dataclass(frozen=True, slots=True)
class RawTally:
    """How many records became steps, what became of the others, what was folded, what is unread.

    `folded` counts by rule what was said again, also within one record; `unread` counts fields.
    """

    step_records: int
    fates: tuple[FateTally, ...]
    folded: tuple[tuple[str, int], ...]
    unread: tuple[tuple[str, int], ...]

    @property
    def listed(self) -> bool:
        """Whether the format says what became of records that are no steps."""
        return bool(self.fates)

    @property
    def unmapped(self) -> int:
        return sum(each.count for each in self.fates if each.fate is Fate.UNMAPPED)

    @property
    def count(self) -> int:
        return self.step_records + sum(each.count for each in self.fates)


# For each run of a query: that it is part of costs a page nothing more. The rows of one run.
RECORDS = f"""(
    SELECT jsonb_agg(jsonb_build_array(fate, label, count, of_fate)) FROM (
        SELECT '' AS fate, '' AS label, count(DISTINCT place) AS count, 0 AS of_fate
        FROM traces_step, unnest(pointer || also_from) AS place
        WHERE run_id = traces_run.id AND place <> ''
        UNION ALL (
            SELECT fate, label, count(*), sum(count(*)) OVER (PARTITION BY fate)
            FROM traces_rawrecord WHERE run_id = traces_run.id GROUP BY fate, label
            ORDER BY fate = '{Fate.UNMAPPED}' DESC, count(*) DESC, fate, label LIMIT {MOST}
        )
    ) AS found
)"""  # noqa: S608


def with_raw_rows(runs: QuerySet[Run]) -> QuerySet[Run]:
    """Runs with what `raw_tally` reads."""
    return runs.annotate(raw_rows=RawSQL(RECORDS, [], JSONField()))  # noqa: S611


def raw_tally(run: Run) -> RawTally:
    """Of a run that was read by `with_raw_rows`."""
    rows: list[tuple[str, str, int, int]] = getattr(run, "raw_rows")  # noqa: B009 - an annotation
    steps = sum(count for fate, _, count, _ in rows if not fate)
    counts = {fate: of_fate for fate, _, _, of_fate in rows if fate}
    fates = (
        FateTally(fate, counts[fate], commonest({n: count for f, n, count, _ in rows if f == fate}))
        for fate in Fate
        if fate in counts
    )
    return RawTally(steps, tuple(fates), commonest(run.folded), commonest(run.unread))


def commonest(counts: dict[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))

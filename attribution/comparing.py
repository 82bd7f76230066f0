"""Two runs side by side, computed once and stored, so that a page of any length opens at once.

What is stored is derived: it counts for one reading of either run and one version of the
alignment, and is computed again when it is asked for otherwise.
"""

from __future__ import annotations

from django.db.models import QuerySet
from django.utils import timezone

from attribution.alignment import align
from attribution.alignment.aligned import VERSION, Aligned
from attribution.models import Comparison
from traces import reading
from traces.models import Run
from traces.transcript import Transcript

# Steps a side. Beyond it, aligning would keep a person waiting.
ALIGNABLE = 20_000


def too_long(left: Run, right: Run) -> str:
    """Why these two are not laid side by side, as a sentence; "" if they are."""
    longest = max(left.step_count, right.step_count)
    if longest <= ALIGNABLE:
        return ""
    bound = f"runs of up to {ALIGNABLE:,} are laid side by side."
    return f"One of these runs has {longest:,} steps; {bound}"


def stored(left: Run, right: Run) -> Aligned | None:
    """In one query; None if it was not computed, or on another reading, or by another version."""
    return unpacked(rows(left, right).values_list("content", flat=True).first())


def rows(left: Run, right: Run) -> QuerySet[Comparison]:
    """What is stored of these two as they were read, by this version; one row or none."""
    same = {"left_revision": left.revision, "right_revision": right.revision, "version": VERSION}
    return Comparison.objects.filter(left=left, right=right, **same)


def unpacked(content: bytes | memoryview | None) -> Aligned | None:
    return None if content is None else Aligned.unpack(bytes(content))


def compare(left: Run, right: Run) -> Aligned:
    """Read both, align them, store and return it, however long they are: ask `too_long` first."""
    return keep(left, right, *reading.transcripts_of([left, right]))


def keep_ready(left: Run, right: Run, ours: Transcript, theirs: Transcript) -> None:
    """See that the page of these runs finds them compared, if it would show that at all."""
    if not too_long(left, right) and stored(left, right) is None:
        keep(left, right, ours, theirs)


def keep(left: Run, right: Run, ours: Transcript, theirs: Transcript) -> Aligned:
    """Align these transcripts of two runs, and store it.

    They must have been read after the runs were: content that is newer than its revision is
    computed again, older content would be believed.
    """
    aligned = Aligned.of(align(ours, theirs))
    row = Comparison(
        left=left,
        right=right,
        left_revision=left.revision,
        right_revision=right.revision,
        version=VERSION,
        content=aligned.pack(),
        computed_at=timezone.now(),
    )
    Comparison.objects.bulk_create(
        [row],
        update_conflicts=True,
        unique_fields=["left", "right"],
        update_fields=["left_revision", "right_revision", "version", "content", "computed_at"],
    )
    return aligned

"""Whether a run that arrives is one that is here, read otherwise or told further.

Asked before anything is inserted, under the project's lock, a document at a time. Runs are the
same execution by the id and the source that their record names. Of two that contradict each
other both are kept: see `traces.writing`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum, auto
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q

from traces import reading, renewing
from traces.comparing import Compared, compare
from traces.formats.base import Unreadable
from traces.formats.files.cleaning import Cleaner
from traces.models import RawDocument, Run
from traces.renewing import Renewal, Why
from traces.saving import New
from traces.transcript import Transcript

# Of several runs here that claim to be one execution, so many are compared, newest first.
COMPARED = 3
# The rule of a run whose format a person chose: no other format takes its place.
CHOSEN = "named by the sender"
LOOKED_AT = ("document", "pointer", "external_id", "source", "format", "rule", "sha256")


class Fate(Enum):
    MADE = auto()
    KNOWN = auto()
    RENEWED = auto()


@dataclass(frozen=True, slots=True)
class Arrival:
    """The run that an arrival is by now, what was done for that, and a sentence if it needs one."""

    run: Run
    fate: Fate
    note: str = ""


class Here:
    """The runs of the project that these could be: by content, by place in their document, and
    by the execution that they name."""

    def __init__(self, news: Sequence[New]) -> None:
        first, digests = news[0].row, {new.row.sha256 for new in news}
        # A plug-in may name what no database holds; that is refused when it is inserted.
        named = {id_ for new in news if Cleaner().text(id_ := new.row.external_id) == id_}
        possible = Q(sha256__in=digests) | Q(external_id__in=named) | Q(document=first.document)
        runs = Run.objects.filter(possible, project=first.project)
        self.contents: set[str] = set()
        self.of_document: list[Run] = []
        self.elsewhere: defaultdict[tuple[str, str], list[UUID]] = defaultdict(list)
        for run in runs.only(*LOOKED_AT).order_by("-received_at", "-pk"):
            self.contents.add(run.sha256)
            if run.document_id == first.document_id:
                self.of_document.append(run)
            elif run.external_id in named:
                self.elsewhere[run.external_id, run.source].append(run.pk)

    def at_its_place(self, row: Run) -> Run | None:
        """What was read from this place of this document before, or of it under this name."""
        there = [run for run in self.of_document if run.pointer == row.pointer]
        named = [run for run in self.of_document if execution(run) == execution(row)]
        both = [run for run in there if run in named]
        return next(iter([*both, *(named if len(named) == 1 else ()), *there]), None)


def met(news: Sequence[New], *, by: User | None, at: datetime) -> list[Arrival | Unreadable | None]:
    """For each the run here that it was read into, or that holds more; None: nothing was done."""
    if not news:
        return []
    here = Here(news)
    return [met_one(new, here, by=by, at=at) for new in news]


def met_one(new: New, here: Here, *, by: User | None, at: datetime) -> Arrival | Unreadable | None:
    row = new.row
    place = here.at_its_place(row)
    try:
        if place and read_otherwise(place, row):
            return arrival(renewing.renew(run=place, new=new, why=Why.MAPPER, by=by, at=at))
        if (place and place.pointer == row.pointer) or row.sha256 in here.contents:
            return None
        return continued(new, here.elsewhere[execution(row)], by=by, at=at)
    except Unreadable as error:
        return error


def execution(run: Run) -> tuple[str, str]:
    return run.external_id, run.source


def read_otherwise(run: Run, row: Run) -> bool:
    """Whether another version of the mapper, or a format recognised since, has read the row."""
    if run.format == row.format:
        return False
    return name_of(run.format) == name_of(row.format) or CHOSEN not in (run.rule, row.rule)


def name_of(format_: str) -> str:
    return format_.partition("@")[0]


def continued(new: New, same: Sequence[UUID], *, by: User | None, at: datetime) -> Arrival | None:
    """What becomes of a run that names an execution which is here, unless they contradict."""
    more = None
    for run in comparable(same, new.row.document):
        compared = compare(whole(run), new.transcript)
        if compared is Compared.LESS:
            note = f"{run.external_id} is known already, with all that this holds and more."
            return Arrival(run, Fate.KNOWN, note)
        if compared is Compared.MORE:
            more = more or run
    if more is None:
        return None
    return arrival(renewing.renew(run=more, new=new, why=Why.MORE, by=by, at=at))


def comparable(keys: Sequence[UUID], document: RawDocument) -> Iterable[Run]:
    """The newest of these runs, as they are now.

    Not those of the same bytes before more was withheld, nor of a document that was replaced.
    """
    if not keys:
        return ()
    current = RawDocument.objects.filter(pk=OuterRef("document")).current()
    runs = Run.objects.filter(Exists(current), pk__in=keys).exclude(same_original(document))
    return runs.order_by("-received_at", "-pk")[:COMPARED]


def whole(run: Run) -> Transcript:
    """A run with what attributors do not get, which is content as well."""
    return replace(
        reading.transcript_of(run), withheld=run.withheld, opinions=reading.opinions_of(run)
    )


def arrival(renewal: Renewal) -> Arrival:
    fate = Fate.RENEWED if renewal.renewed else Fate.KNOWN
    return Arrival(renewal.run, fate, renewal.note)


def same_original(document: RawDocument) -> Q:
    """Whether a run's document came of the same bytes as this one."""
    original = document.original_sha256 or document.sha256
    return Q(document__sha256=original) | Q(document__original_sha256=original)

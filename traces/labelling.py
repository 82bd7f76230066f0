"""Labels that came apart from their runs: kept as they came, and joined to the run they name.

A label and its run may come in any order, and each of them twice: the end is the same. A label is
joined to the one run of the project that its most telling known name fits; where that fits several
runs, it waits, because choosing one would be a guess. Runs that are set aside are not looked at.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from uuid import UUID

from django.db.models import F, Q, QuerySet, TextField
from django.db.models.expressions import Func, Value

from traces import audit, models, payload_store, reading
from traces.formats import base
from traces.formats.steps.labels import APART, label_gaps, quotes_of, step_of
from traces.models import Label, Project, Receipt, Run
from traces.payloads import references
from traces.rows import OPINION
from traces.transcript import Gap, Opinion, PartKind, Transcript

# Labels that are looked at together, and steps of runs that are held in memory for them.
BATCH, MOST_STEPS = 1_000, 20_000


def keep(*, receipt: Receipt, labels: Sequence[base.Label], at: datetime) -> int:
    """Store the labels of a document and join those whose run is here; how many fit several runs.

    To be called by the one writer of runs of the project. Those that are known stay as they are.
    """
    if not labels:
        return 0
    rows = [
        Label(
            project=receipt.project,
            document=receipt.document,
            receipt=receipt,
            pointer=label.pointer,
            source=label.opinion.source,
            names=list(label.names),
            content=asdict(label.opinion),
        )
        for label in labels
    ]
    Label.objects.bulk_create(rows, batch_size=BATCH, ignore_conflicts=True)
    return join(Label.objects.filter(document=receipt.document, run=None), at=at)


def join_to(runs: Sequence[Run], *, at: datetime) -> None:
    """Join what names these new runs of one project: one query if nothing does.

    Labels that another run was thought to be meant by go to a new one that their names fit better,
    or wait again if now they fit both.
    """
    names = {name for run in runs for name in names_of(run.external_id, run.task_id)}
    if names:
        labels = Label.objects.filter(project=runs[0].project_id)
        join(labels.filter(names__has_any_keys=sorted(names)), at=at)


def free(run: Run) -> None:
    """Take all labels that came apart off a run; they wait again."""
    clear(run)
    Label.objects.filter(run=run).update(run=None)


def clear(run: Run) -> None:
    """Take what was made of labels off a run: opinions, and gaps of those that did not fit."""
    models.Opinion.objects.filter(run=run, label__isnull=False).delete()
    gaps = models.Gap.objects.filter(run=run, detail__in=[gap.detail for gap in APART.values()])
    count, _ = gaps.delete()
    if count:
        Run.objects.filter(pk=run.pk).update(gap_count=F("gap_count") - count)


def again(run: Run) -> None:
    """Lay the labels of a run beside it anew: it was written anew, or some of them went."""
    labels = list(Label.objects.filter(run=run).order_by("pk"))
    clear(run)
    lay_beside({run.pk: labels} if labels else {})


def join(labels: QuerySet[Label], *, at: datetime) -> int:
    """Join these labels to their runs; how many fit several runs and wait."""
    several = 0
    rows = list(labels.select_related("project", "run").order_by("pk"))
    for start in range(0, len(rows), BATCH):
        batch = rows[start : start + BATCH]
        fitting = Fitting(batch[0].project, {name for label in batch for name in label.names})
        news: defaultdict[UUID, list[Label]] = defaultdict(list)
        moved: list[Label] = []
        left: dict[UUID, Run] = {}
        for label in batch:
            runs = fitting.runs_of(label.names)
            several += len(runs) > 1
            meant = next(iter(runs)) if len(runs) == 1 else None
            if meant == label.run_id:
                continue
            if label.run:
                left[label.run.pk] = label.run
            label.run_id = meant
            moved.append(label)
            if meant:
                news[meant].append(label)
        Label.objects.bulk_update(moved, ["run"])
        for run in left.values():
            again(run)
        lay_beside({key: labels for key, labels in news.items() if key not in left})
        record(batch[0].project, {**dict.fromkeys(left, ()), **news}, at=at)
    return several


def record(project: Project, found: Mapping[UUID, Sequence[Label]], *, at: datetime) -> None:
    """An audit entry of each run that got labels or lost some. It does not say what they say."""
    for key, labels in found.items():
        data = {"labels": len(labels), "documents": sorted({row.document_id for row in labels})}
        audit.record(action="run.labelled", subject=f"run:{key}", at=at, project=project, data=data)


def names_of(external_id: str, task_id: str) -> set[str]:
    """What a run may be called in a label: its id, the first or last part of it, its task."""
    first, _, _ = external_id.partition("/")
    _, _, last = external_id.rpartition("/")
    return {external_id, first, last, task_id} - {""}


class Fitting:
    """The runs of a project that any of these names may mean, in one query."""

    def __init__(self, project: Project, names: set[str]) -> None:
        self.by_id: defaultdict[str, set[UUID]] = defaultdict(set)
        self.by_part: defaultdict[str, set[UUID]] = defaultdict(set)
        self.by_task: defaultdict[str, set[UUID]] = defaultdict(set)
        wanted = sorted(names)
        runs = Run.objects.filter(project=project).counted().annotate(first=part(1), last=part(-1))
        named = Q(external_id__in=wanted) | Q(first__in=wanted) | Q(last__in=wanted)
        found = runs.filter(named | Q(task_id__in=wanted))
        for key, external_id, task_id in found.values_list("pk", "external_id", "task_id"):
            self.by_id[external_id].add(key)
            for word in names_of(external_id, ""):
                self.by_part[word].add(key)
            self.by_task[task_id].add(key)

    def runs_of(self, names: Iterable[str]) -> set[UUID]:
        """The runs that the first of these names fits which fits any."""
        for name in names:
            for known in (self.by_id, self.by_part, self.by_task):
                if name in known:
                    return known[name]
        return set()


def part(place: int) -> Func:
    """The part of a run's id at this place between slashes."""
    given = (F("external_id"), Value("/"), Value(place))
    return Func(*given, function="split_part", output_field=TextField())


def lay_beside(labels: Mapping[UUID, Sequence[Label]]) -> None:
    """Make an opinion of each label of these runs, and gaps where a label does not fit its run."""
    runs = Run.objects.filter(pk__in=labels).order_by("pk")
    for batch in batches(runs):
        transcripts = reading.transcripts_of(batch)
        known = known_opinions(batch)
        made: list[models.Opinion] = []
        for run, transcript in zip(batch, transcripts, strict=True):
            steps = {step.source_id: step.number for step in reversed(transcript.steps)}
            opinions = []
            for label in labels[run.pk]:
                opinion = Opinion(**label.content)
                step = step_of(opinion, steps, len(transcript.steps))
                opinions.append(replace(opinion, step=step))
                if key_of(opinions[-1]) not in known[run.pk]:
                    known[run.pk].append(key_of(opinions[-1]))
                    made.append(models.Opinion(run=run, label=label, **asdict(opinions[-1])))
            add_gaps(run, transcript, opinions)
        models.Opinion.objects.bulk_create(made, batch_size=BATCH)


def batches(runs: Iterable[Run]) -> Iterator[list[Run]]:
    """Runs in groups whose steps fit in memory together."""
    group: list[Run] = []
    steps = 0
    for run in runs:
        if group and steps + run.step_count > MOST_STEPS:
            yield group
            group, steps = [], 0
        group.append(run)
        steps += run.step_count
    if group:
        yield group


def key_of(opinion: Opinion | models.Opinion) -> dict[str, object]:
    """All that an opinion says: what is equal to it says nothing new."""
    return {name: getattr(opinion, name) for name in OPINION}


def known_opinions(runs: Sequence[Run]) -> defaultdict[UUID, list[dict[str, object]]]:
    known: defaultdict[UUID, list[dict[str, object]]] = defaultdict(list)
    for row in models.Opinion.objects.filter(run__in=runs):
        known[row.run_id].append(key_of(row))
    return known


def add_gaps(run: Run, transcript: Transcript, opinions: Sequence[Opinion]) -> None:
    """Say on the run that labels do not fit it, each way once."""
    roles = {actor.key: actor.role for actor in transcript.actors}
    quoted = any(map(quotes_of, opinions))
    try:
        more = list(moved_texts(run, transcript)) if quoted else []
    except payload_store.Unavailable:
        # Where its text cannot be read, nobody can say that it does not hold a quote.
        opinions, more = [replace(opinion, data={}) for opinion in opinions], []
    found = label_gaps(opinions, transcript.steps, roles=roles, more_text=more)
    new = [APART[gap.kind] for gap in found if APART[gap.kind] not in transcript.gaps]
    models.Gap.objects.bulk_create(row_of(run, gap) for gap in new)
    if new:
        Run.objects.filter(pk=run.pk).update(gap_count=F("gap_count") + len(new))


def row_of(run: Run, gap: Gap) -> models.Gap:
    return models.Gap(run=run, **asdict(gap))


def moved_texts(run: Run, transcript: Transcript) -> Iterator[str]:
    """The whole of texts of which the steps have only head and tail. Raises Unavailable."""
    for kind in PartKind:
        for _, part in transcript.parts_of(kind):
            for reference in references(part):
                payload = None
                if reference.get("of") == "text":
                    payload = payload_store.used(run, reference["sha256"])
                if payload is not None:
                    yield payload_store.content_of(payload).decode()

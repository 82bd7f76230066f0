"""What happened to each artifact of a run: its versions, who made each, and who raced."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from traces import gaps
from traces.access import ProjectRequest, member
from traces.gaps import Kind
from traces.models import Gap, Run
from traces.states import histories, races
from traces.structure import structure_of
from traces.transcript import PartKind, Transcript
from traces.transitions import Race, Transition
from traces.views.record import run_or_404
from traces.views.runs import whole_number

# Of artifacts, and of versions of one, how many a page shows.
ARTIFACTS, VERSIONS = 50, 100
# Kinds of gaps that are about changes of state.
STATE_GAPS = ("claim_without_change", "change_without_claim", "broken_state_chain")


@dataclass(frozen=True)
class Version:
    """A change with who made it. `orphan` if nobody on record made what it started from; `fate`
    is what became of it in a race, if it was in one and the record says."""

    change: Transition
    actor: str
    orphan: bool
    fate: str = ""


@dataclass(frozen=True)
class Contest:
    """A race with the fate of each contender."""

    race: Race
    contenders: tuple[tuple[Transition, str], ...]


@dataclass(frozen=True)
class Artifact:
    """One artifact's versions in causal order, and the races over it."""

    name: str
    versions: tuple[Version, ...]
    races: tuple[Contest, ...]


@require_GET
@member()
def states(request: ProjectRequest, run_id: UUID) -> HttpResponse:
    run = run_or_404(request, run_id)
    transcript = structure_of(run, content={PartKind.STATE})
    artifacts = artifacts_of(transcript)
    first = whole_number(request.GET.get("first", ""))
    context = {
        "run": run,
        "artifacts": artifacts[first : first + ARTIFACTS],
        "count": len(artifacts),
        "races": sum(len(artifact.races) for artifact in artifacts),
        "next": first + ARTIFACTS if len(artifacts) > first + ARTIFACTS else None,
        "flags": flags_of(run),
    }
    return render(request, "traces/states.html", context)


def artifacts_of(transcript: Transcript) -> list[Artifact]:
    """All artifacts by their first change; a version that nothing led to is marked."""
    raced: dict[str, list[Contest]] = {}
    for race in races(transcript):
        raced.setdefault(race.artifact, []).append(Contest(race, fates(race)))
    return [
        artifact_of(transcript, history, tuple(raced.get(name, ())))
        for name, history in histories(transcript).items()
    ]


def artifact_of(
    transcript: Transcript, history: list[Transition], contests: tuple[Contest, ...]
) -> Artifact:
    made = {None, history[0].before, *(each.after for each in history)}
    fate = dict(pair for contest in contests for pair in contest.contenders)
    found = (
        Version(
            change=each,
            actor=transcript.steps[each.step].actor,
            orphan=each.before not in made,
            fate=fate.get(each, ""),
        )
        for each in history
    )
    return Artifact(history[0].artifact, tuple(found), contests)


def fates(race: Race) -> tuple[tuple[Transition, str], ...]:
    """Each contender with what became of it: the record's own word, else what it comes to."""
    known = dict.fromkeys(race.losers, "not accepted") | dict.fromkeys(race.winners, "accepted")
    return tuple((each, each.resolution or known.get(each, "")) for each in race.contenders)


def flags_of(run: Run) -> list[tuple[Kind | None, Gap]]:
    """Changes that the record claims without one, or has without a claim."""
    found = Gap.objects.filter(run=run, kind__in=STATE_GAPS).order_by("step", "pk")
    return [(gaps.KINDS.get(gap.kind), gap) for gap in islice(found, VERSIONS)]

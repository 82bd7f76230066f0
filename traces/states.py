"""What happened to each artifact of a run: who changed it from what to what, and who raced.

Only what state parts record. Two changes race when both start from the same version and
neither can have known of the other, or when one of them says that it met another. Which version
was accepted, and by which rule, is read from what was recorded then or next; never guessed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, pairwise
from typing import Any

from traces.causality import with_memory
from traces.transcript import Part, PartKind, Transcript
from traces.transitions import Race, Transition, called

__all__ = ["Race", "Transition", "histories", "races"]

# Contenders of one race that are compared each with each. More than this is a hot counter.
MOST_COMPARED = 50
# Transitions after a race among which its settlement is looked for.
FAR = 200


def histories(transcript: Transcript) -> dict[str, list[Transition]]:
    """The transitions of each artifact in causal order, artifacts by their first change."""
    found: defaultdict[str, list[Transition]] = defaultdict(list)
    for step, part in transcript.parts_of(PartKind.STATE):
        if part.data.get("artifact"):
            transition = _transition(step.number, part)
            found[transition.artifact].append(transition)
    return dict(found)


def races(transcript: Transcript) -> list[Race]:
    """Every race of the run, by the step of its first contender.

    Where no link is recorded nothing is known to be unaware of anything: only races count that
    a transition tells of itself.
    """
    found: list[Race] = []
    known = histories(transcript)
    linked = any(link.recorded for link in transcript.links)
    contested = {
        artifact: _from_one_version(history) if linked else []
        for artifact, history in known.items()
        if len(history) > 1 or any(each.met_another for each in history)
    }
    ordered = _ordered(transcript, contested.values())
    ids = {step.source_id: step.number for step in transcript.steps} if contested else {}
    for artifact, groups in contested.items():
        history = known[artifact]
        unaware = [race for group in groups for race in _unaware(group, ordered)]
        racing = {step for race in unaware for step in race.steps}
        made = {each.after for each in history} - {None}
        settled = [_with_settlement(race, history, racing, made) for race in unaware]
        found += [*settled, *_told_of(history, settled, ids)]
    return sorted(found, key=lambda race: (race.steps, race.artifact))


def _change(text: str) -> str:
    """The words of a state part, without its facts, of which the artifact is the first."""
    words, apart, whole = text.rpartition("\n\nartifact: ")
    return words if apart else whole


def _transition(step: int, part: Part) -> Transition:
    data = part.data
    against = data.get("against") or ()
    several = against if isinstance(against, list | tuple) else [against]
    return Transition(
        artifact=_name(data["artifact"]),
        step=step,
        before=_name(data.get("before")) or None,
        after=_name(data.get("after")) or None,
        change=_change(part.text),
        accepted=_name(data.get("accepted")),
        rule=_name(data.get("rule")),
        resolution=_name(data.get("resolution")),
        against=tuple(filter(None, map(_name, several))),
        after_unknown=part.capture.get("after", "absent") != "absent",
    )


def _name(given: Any) -> str:
    """A name or a version, also where a format writes an object for it."""
    if isinstance(given, str):
        return given
    if isinstance(given, Mapping):
        keys = ("name", "version", "digest", "id")
        return next((str(given[key]) for key in keys if given.get(key)), "")
    return "" if given is None else str(given)


def _from_one_version(history: list[Transition]) -> list[list[Transition]]:
    """Transitions that start from the same version, or from none, where several do."""
    groups: defaultdict[str | None, list[Transition]] = defaultdict(list)
    for each in history:
        if each.after != each.before:
            groups[each.before].append(each)
    return [group for group in groups.values() if len({each.step for each in group}) > 1]


def _ordered(
    transcript: Transcript, contested: Iterable[list[list[Transition]]]
) -> set[tuple[int, int]]:
    """Of the pairs of steps that must be compared, those with a known order."""
    pairs = {
        (one.step, other.step)
        for groups in contested
        for group in groups
        for one, other in _compared(group)
    }
    return with_memory(transcript).ordered(pairs) if pairs else set()


def _compared(group: list[Transition]) -> Iterator[tuple[Transition, Transition]]:
    return combinations(group, 2) if len(group) <= MOST_COMPARED else pairwise(group)


def _unaware(group: list[Transition], ordered: set[tuple[int, int]]) -> Iterator[Race]:
    """Neighbours in a group that are not ordered, with those that go on from one left out."""
    cluster: list[Transition] = []
    for one in [*group, None]:
        if one and cluster and not _known_order(cluster[-1], one, ordered):
            cluster.append(one)
            continue
        first = cluster if len(cluster) > MOST_COMPARED else _first_of(cluster, ordered)
        if len({each.step for each in first}) > 1:
            yield Race(first[0].artifact, first[0].before, tuple(first))
        cluster = [one] if one else []


def _first_of(cluster: list[Transition], ordered: set[tuple[int, int]]) -> list[Transition]:
    return [
        each for each in cluster if not any((other.step, each.step) in ordered for other in cluster)
    ]


def _known_order(one: Transition, other: Transition, ordered: set[tuple[int, int]]) -> bool:
    return one.step == other.step or (one.step, other.step) in ordered


def _with_settlement(
    race: Race, history: list[Transition], racing: set[int], made: set[str | None]
) -> Race:
    """The race with what was said of it: by contenders, else by who went on from them.

    Nothing is taken from a contender of another race, nor from after a version was named.
    """
    said = [each for each in race.contenders if each.settles]
    if not any(each.stays for each in said):
        for each in _going_on(race, history):
            if each.step in racing:
                break
            if each.settles:
                said.append(each)
                if not made.isdisjoint(called(each.accepted)):
                    break
    return Race(race.artifact, race.before, race.contenders, tuple(said))


def _going_on(race: Race, history: list[Transition]) -> Iterator[Transition]:
    """Later transitions that start from what a contender made, or from what came of that."""
    line = {each.after for each in race.contenders}
    start = bisect_right(history, race.steps[-1], key=lambda each: each.step)
    for each in history[start : start + FAR]:
        if each.before in line:
            line.add(each.after)
            yield each


def _told_of(
    history: list[Transition], known: list[Race], ids: Mapping[str, int]
) -> Iterator[Race]:
    """Races that only a transition's own words tell of: it names another version or step."""
    by_step, by_version = _indexed(history)
    told = {(each.step, each.after) for race in known for each in (*race.contenders, *race.settled)}
    for each in history:
        if not each.met_another or (each.step, each.after) in told:
            continue
        found = [
            *(other for step in each.against for other in by_step.get(ids.get(step), ())),
            *(other for name in called(each.accepted) for other in by_version.get(name, ())),
        ]
        others = {(one.step, one.after): one for one in found if one.step != each.step}
        contenders = tuple(sorted([*others.values(), each], key=lambda one: one.step))
        told |= {(one.step, one.after) for one in contenders}
        yield Race(
            each.artifact,
            each.before,
            contenders,
            tuple(one for one in contenders if one.settles),
        )


Found = Mapping[Any, list[Transition]]


def _indexed(history: list[Transition]) -> tuple[Found, Found]:
    """Transitions by step, and the first that made each version."""
    by_step: defaultdict[int, list[Transition]] = defaultdict(list)
    by_version: dict[str, list[Transition]] = {}
    for each in history:
        by_step[each.step].append(each)
        if each.after:
            by_version.setdefault(each.after, [each])
    return by_step, by_version

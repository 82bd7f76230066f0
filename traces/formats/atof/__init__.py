"""Reads ATOF, the scopes and marks of NVIDIA's agent toolkit: starts and ends, paired by id.

Parents are explicit, so neither the file's order nor the clock decides what belongs to whom.
"""

from __future__ import annotations

from collections.abc import Mapping

from traces.completeness import listed
from traces.formats.atof.pairs import Scope
from traces.formats.atof.scopes import Scopes
from traces.formats.base import Document, Json, ParsedRun, Reading, Refusal, Sample, Unreadable
from traces.formats.records import loose
from traces.formats.steps.building import SENT_AGAIN
from traces.formats.steps.unsayable import unsayable_but
from traces.transcript import Fate, Gap, Transcript

CAPTURE = unsayable_but(
    *("started_at", "ended_at", "actors/parent", "steps/started_at", "steps/ended_at"),
    *("steps/spawned_by", "steps/parts/verification", "system/version"),
    more=("task/id", "outcome", "failures", "steps/handoff_from"),
)
NO_EVENT = "This is no ATOF event: it is no scope and no mark, or has no uuid."


class Atof:
    name = "atof"
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        if any("atof_version" in item or "scope_category" in item for item in sample.objects):
            return "keys atof_version or scope_category"
        return None

    def read(self, document: Document) -> Reading:
        refusals: list[Refusal] = []
        found: dict[str, Scope] = {}
        again: list[tuple[str, str]] = []
        for pointer, value in loose.placed(document):
            if not is_event(value):
                refusals.append(Refusal(pointer or "/", NO_EVENT))
                continue
            uuid = loose.name(value["uuid"])
            if not found.setdefault(uuid, Scope(uuid)).add(value, pointer):
                again.append((uuid, pointer))
        if not found:
            raise Unreadable("There are no ATOF events here.")
        gaps = loose.reading_gaps(document)
        if refusals:
            places = listed([refusal.position for refusal in refusals])
            gaps = (*gaps, Gap("undecodable_step", f"Records that are no events: {places}."))
        runs = [ParsedRun(transcript(root, scopes, again, gaps)) for root, scopes in trees(found)]
        return Reading(tuple(runs), tuple(refusals))


FORMAT = Atof()


def is_event(value: Json) -> bool:
    return (
        isinstance(value, Mapping)
        and bool(loose.name(value.get("uuid")))
        and ("scope_category" in value or value.get("kind") in ("scope", "mark"))
    )


def trees(found: dict[str, Scope]) -> list[tuple[str, dict[str, Scope]]]:
    """The scopes below each root, in order of roots; marks of no scope go with the first."""
    root_of: dict[str, str] = {}
    for uuid in found:
        path = []
        at = uuid
        while at in found and at not in root_of and found[at].parent in found:
            root_of[at] = uuid
            path.append(at)
            at = found[at].parent
        root = root_of.get(at, at) if at not in path else min(path)
        root_of.update(dict.fromkeys((*path, at), root))
    groups: dict[str, dict[str, Scope]] = {}
    for uuid, scope in found.items():
        groups.setdefault(root_of[uuid], {})[uuid] = scope
    roots = sorted(groups, key=lambda each: (found[each].order, each))
    whole = [each for each in roots if not found[each].is_mark] or roots[:1]
    for each in roots:
        if each not in whole:
            groups[whole[0]].update(groups[each])
    return [(each, groups[each]) for each in whole]


def transcript(
    root: str, found: dict[str, Scope], again: list[tuple[str, str]], gaps: tuple[Gap, ...]
) -> Transcript:
    scopes = Scopes(found)
    scopes.read()
    builder = scopes.builder
    for uuid, pointer in again:
        if uuid in found:
            builder.fold(SENT_AGAIN, pointer)
    lost = [each.parent for each in found.values() if each.parent and each.parent not in found]
    if lost:
        names = listed(list(dict.fromkeys(lost)))
        builder.gap("missing_parent", f"Scopes that are not in the record: {names}.")
    if not builder.drafts:
        builder.record("/", Fate.CONTEXT, "no steps")
    top = found[root]
    times = [each for scope in found.values() for each in (scope.at, scope.until) if each]
    known = [each for each in times if each.tzinfo]
    header = Transcript(
        external_id=root,
        source="atof",
        schema="atof",
        actors=(),
        steps=(),
        gaps=gaps,
        task_text=scopes.first_words,
        system={"name": top.name or "atof"},
        started_at=min(known, default=None),
        ended_at=max(known, default=None),
        capture=CAPTURE,
    )
    return builder.transcript(header)

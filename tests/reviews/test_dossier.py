from __future__ import annotations

from datetime import timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from attribution.beside import nothing
from attribution.drawn_steps import Marks
from attribution.models import Analysis
from attribution.place import Place
from reviews import assignment, drafts
from reviews.dossier import Dossier
from reviews.findings import Finding, Proposal
from reviews.models import Case, Category, Contract
from tests.factories import AT, make_project
from tests.reviews.scenes import (
    QUOTE,
    make_candidate,
    make_scene,
    settle,
    sign,
    user,
)
from traces import content
from traces.access import membership_of
from traces.models import Project
from traces.transcript import Actor, ActorKind, Link, LinkKind, Opinion

pytestmark = [pytest.mark.django_db, pytest.mark.database]
LABEL = Opinion("annotator", "1", 0, 1, "planner", "It used v1.")


def open_for(name: str, case: Case) -> Dossier:
    """As a page does: the case read again, by somebody of the project."""
    fresh = Case.objects.with_record().get(pk=case.pk)
    return Dossier(fresh, user(name), membership_of(user(name).pk, case.project.slug))


def drafted(case: Case, **fields: object) -> Dossier:
    """Ada has taken the case, and these are the fields of her draft."""
    slot = assignment.take(case=case, reviewer=user("ada"), at=AT)
    draft = drafts.write(slot_id=slot.pk, token=slot.token, changes={}, at=AT)
    draft.fields = fields
    draft.save()
    return open_for("ada", case)


def test_who_holds_nothing_has_an_empty_desk(case: Case) -> None:
    dossier = open_for("ben", case)
    assert (dossier.slot, dossier.draft, dossier.fields) == (None, None, {})
    assert dossier.finding == Finding()
    assert (dossier.claims, dossier.own_claim, dossier.verdict) == ([], None, None)
    assert (dossier.chosen, dossier.proposal, dossier.explanations) == (None, None, [])
    assert (dossier.suggested_carriers, dossier.contracts, dossier.categories) == ([], [], [])
    assert dossier.marks == Marks(candidates={}, cited={})


def test_a_draft_is_read_only_with_the_lease_and_only_ones_own(case: Case) -> None:
    slot = assignment.take(case=case, reviewer=user("ada"), at=AT)
    drafts.write(slot_id=slot.pk, token=slot.token, changes={"note": "Mine."}, at=AT)
    assignment.take(case=case, reviewer=user("ben"), at=AT)
    assert open_for("ada", case).finding.note == "Mine."
    assert open_for("ben", case).draft is None
    assignment.give_back(slot_id=slot.pk, token=slot.token, at=AT)
    assert open_for("ada", case).draft is None


def test_claims_as_far_as_visibility_goes(case: Case) -> None:
    assignment.take(case=case, reviewer=user("ben"), at=AT)
    adas = sign(case, "ada")
    assert open_for("ben", case).claims == []
    assert open_for("ada", case).claims == [adas]
    bens = sign(case, "ben", at=AT + timedelta(minutes=1))
    dossier = open_for("ada", case)
    assert (dossier.claims, dossier.own_claim) == ([adas, bens], adas)
    assert open_for("lena", case).own_claim is None


def test_the_verdict_is_the_newest(case: Case) -> None:
    adas, bens = sign(case, "ada"), sign(case, "ben", "unresolved")
    case.refresh_from_db()
    first = settle(case, adas)
    second = settle(case, bens, supersedes=first)
    assert open_for("vera", case).verdict == second


def test_opinions_wait_for_ones_own_claim() -> None:
    case = make_scene(signatures=2, opinions=(LABEL,))
    assignment.take(case=case, reviewer=user("ben"), at=AT)
    sign(case, "ada")
    assert open_for("ada", case).opinions == (LABEL,)
    assert [open_for(name, case).opinions for name in ("vera", "ben", "lena")] == [()] * 3
    sign(case, "ben")
    assert [open_for(name, case).opinions for name in ("ben", "lena")] == [(LABEL,)] * 2
    assert open_for("vera", case).opinions == ()


def test_explanations_are_numbered_best_first_with_what_is_known_of_their_source() -> None:
    case = make_scene()
    worse = make_candidate(case.run, score=0.2, step=2, actor="coder")
    best = make_candidate(case.run, attributor="second@1", score=0.9)
    found = open_for("ada", case).explanations
    assert [(e.number, e.candidate, e.role) for e in found] == [
        (1, best, "planner"),
        (2, worse, "coder"),
    ]
    assert {e.measured for e in found} == {"not measured yet: 0 signed cases"}


def test_unfinished_analyses_are_counted(case: Case) -> None:
    Analysis.objects.filter(run=case.run).delete()
    Analysis.objects.create(run=case.run, attributor="slow@1", queued_at=AT)
    progress = open_for("ada", case).progress
    assert (progress.unfinished, progress.total) == (1, 1)


@pytest.mark.parametrize(("kind", "part"), [("agent", "produced"), ("harness", "apparatus")])
def test_the_chosen_candidate_is_a_proposal_to_differ_from(kind: str, part: str) -> None:
    actors = [
        Actor(name, name, ActorKind(kind) if name == "planner" else ActorKind.AGENT)
        for name in ("owner", "planner", "coder", "verifier")
    ]
    case = make_scene(actors=tuple(actors))
    candidate = make_candidate(case.run, part=part)
    dossier = drafted(case, candidate=candidate.pk, decisive_step=1)
    assert dossier.chosen == candidate
    assert dossier.proposal == Proposal(1, "planner", part, kind)
    assert "Say which observation exposed it." in dossier.missing("attributed")


def test_a_candidate_that_is_gone_is_not_chosen(case: Case) -> None:
    dossier = drafted(case, candidate=10**6)
    assert (dossier.chosen, dossier.proposal) == (None, None)


def test_apparatus_and_actors_in_order(case: Case) -> None:
    dossier = drafted(case, task="ruled_out", harness="maybe")
    assert dossier.apparatus == [
        ("evaluator", ""),
        ("environment", ""),
        ("task", "ruled_out"),
        ("harness", ""),
    ]
    assert list(dossier.actor_names) == ["owner", "planner", "coder", "verifier"]
    assert (len(dossier.actor_names), dossier.actor_names[1:3]) == (4, ["planner", "coder"])
    assert [actor.key for actor in dossier.blamable_actors] == list(dossier.actor_names)


@pytest.mark.parametrize(
    ("fields", "suggested"),
    [
        ({}, []),
        ({"decisive_step": 1}, []),
        ({"decisive_step": 1, "exposing_step": 3}, [2]),
        ({"decisive_step": 0, "exposing_step": 3}, [1, 2]),
        ({"decisive_step": 0, "exposing_step": 3, "carriers": [2]}, [1]),
        ({"decisive_step": 3, "exposing_step": 1}, []),
        ({"decisive_step": 0, "exposing_step": 4}, []),
        ({"decisive_step": 10**6, "exposing_step": 2 * 10**6}, []),
    ],
)
def test_carriers_are_suggested_along_recorded_links(
    fields: dict[str, object], suggested: list[int]
) -> None:
    links = tuple(Link(n, n + 1, LinkKind.CONSUMES) for n in range(3))
    assert drafted(make_scene(links=links), **fields).suggested_carriers == suggested


def test_inferred_links_suggest_nothing() -> None:
    links = tuple(Link(n, n + 1, LinkKind.FOLLOWS, "order") for n in range(3))
    case = make_scene(links=links)
    assert drafted(case, decisive_step=1, exposing_step=3).suggested_carriers == []


def make_category(project: Project, key: str, version: int, name: str) -> Category:
    return Category.objects.create(
        project=project, key=key, version=version, name=name, definition="x"
    )


def test_the_newest_version_of_each_category_by_name(case: Case) -> None:
    make_category(case.project, "stale", 1, "A stale name")
    stale = make_category(case.project, "stale", 2, "Stale interface")
    lossy = make_category(case.project, "lossy", 1, "Lossy handoff")
    make_category(make_project("other"), "other", 1, "Of others")
    assert open_for("ada", case).categories == [lossy, stale]


def test_contracts_that_were_in_force(case: Case) -> None:
    given = {"project": case.project, "component": "verifier", "clause": "Checks."}
    Contract.objects.create(key="later", valid_from=AT + timedelta(days=1), **given)
    now = Contract.objects.create(key="now", valid_from=AT - timedelta(days=1), **given)
    assert open_for("ada", case).contracts == [now]


def test_contracts_are_offered_by_role_for_steps_that_are_there(case: Case) -> None:
    given = {"project": case.project, "clause": "Checks.", "valid_from": AT - timedelta(days=1)}
    own = Contract.objects.create(key="own", component="verifier", **given)
    other = Contract.objects.create(key="other", component="coder", **given)
    dossier = drafted(case, misses=[{"step": n, "contract": ""} for n in (3, 4)])
    assert dossier.contracts_for == {3: [("verifier", [own]), ("others", [other])]}


def test_marks_are_those_of_the_draft_and_then_of_the_claim(case: Case) -> None:
    make_candidate(case.run)
    make_candidate(case.run, attributor="second@1")
    quote = {"purpose": "origin", "step": 1, "part": 0, "start": 29, "end": 51}
    dossier = drafted(
        case,
        decisive_step=1,
        exposing_step=3,
        carriers=[2],
        misses=[{"step": 3, "contract": ""}],
        evidence=[quote | {"text": QUOTE.text}],
    )
    assert dossier.marks == Marks(
        decisive=1,
        exposing=3,
        carriers=frozenset({2}),
        missed=frozenset({3}),
        candidates={1: (1, 2)},
        cited={(1, 0): [(29, 51)]},
    )
    assert open_for("ben", case).marks == Marks(candidates={1: (1, 2)}, cited={})
    sign(case, "ada")
    assert open_for("ada", case).marks == Marks(
        decisive=1,
        exposing=3,
        carriers=frozenset({2}),
        candidates={1: (1, 2)},
        cited={(1, 0): [(29, 51)]},
    )


def test_the_run_is_looked_at_with_the_readers_marks_and_no_one_elses(case: Case) -> None:
    dossier = drafted(case, decisive_step=1)
    viewing = dossier.viewing(Place(step=1), nothing())
    assert (viewing.marks, viewing.selected) == (Marks(decisive=1, candidates={}, cited={}), 1)
    side, _ = viewing.sides()
    steps = content.steps_of({case.run_id: [1]})
    assert side.view(steps[case.run_id, 1]).roles == (("first", "first upstream"),)
    assert open_for("ben", case).viewing(Place(), nothing()).marks.decisive is None


def test_what_the_page_read_of_the_record_is_not_read_again(
    case: Case, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    dossier = drafted(case, decisive_step=1)
    viewing = dossier.viewing(Place(), nothing())
    assert viewing.surroundings.actors
    with django_assert_num_queries(0):
        assert dossier.outline is viewing.outline
        assert dossier.surroundings is viewing.surroundings
        assert dossier.actor_of(2).key == "coder"


def test_a_change_is_seen_without_reading_the_record_again(
    case: Case, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    dossier = drafted(case, note="Before.")
    assert (len(dossier.outline), len(dossier.surroundings.actors)) == (4, 4)
    assert dossier.finding.note == "Before."
    dossier.draft.fields = {"note": "After."}
    dossier.draft.save()
    again = dossier.reread()
    with django_assert_num_queries(2):
        assert again.finding.note == "After."
        assert again.outline is dossier.outline
        assert again.surroundings is dossier.surroundings

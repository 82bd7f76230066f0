"""Who sees what, role by role and state by state."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from reviews import assignment
from reviews.models import Case, Claim
from reviews.visibility import may_see_opinions, visible_claims
from tests.factories import AT, make_project, make_user
from tests.reviews.scenes import make_scene, settle, sign, user
from traces.models import Membership, Project

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@dataclass
class Seen:
    claims: set[str]
    opinions: bool


def membership(project: Project, name: str) -> Membership | None:
    return Membership.objects.filter(project=project, user__username=name).first()


def seen_by(name: str, case: Case) -> Seen:
    case.refresh_from_db()
    person, member = make_user(name), membership(case.project, name)
    claims = visible_claims(case, person, member)
    names = {claim.reviewer.username for claim in claims}
    return Seen(names, opinions=may_see_opinions(case, member, signed=name in names))


NOTHING = Seen(set(), opinions=False)


def test_before_anybody_signed_nobody_sees_anything() -> None:
    case = make_scene(signatures=2)
    for name in ("sam", "vera", "ada", "ben", "lena"):
        assert seen_by(name, case) == NOTHING


def test_one_signed_of_two() -> None:
    case = make_scene(signatures=2)
    assignment.take(case=case, reviewer=user("ben"), at=AT)
    sign(case, "ada")
    assert seen_by("sam", case) == NOTHING
    assert seen_by("vera", case) == NOTHING
    assert seen_by("ben", case) == NOTHING
    assert seen_by("ada", case) == Seen({"ada"}, opinions=True)
    assert seen_by("lena", case) == Seen({"ada"}, opinions=False)


def test_a_lead_with_a_place_on_the_case_is_as_blind_as_a_reviewer() -> None:
    case = make_scene(signatures=2)
    assignment.take(case=case, reviewer=user("lena"), at=AT)
    sign(case, "ada")
    assert seen_by("lena", case) == NOTHING
    sign(case, "lena")
    assert seen_by("lena", case) == Seen({"ada", "lena"}, opinions=True)


def test_waiting_for_a_lead() -> None:
    case = make_scene(signatures=2)
    sign(case, "ada")
    sign(case, "ben")
    Membership.objects.create(project=case.project, user=make_user("rita"), role="reviewer")
    both = Seen({"ada", "ben"}, opinions=True)
    assert seen_by("sam", case) == NOTHING
    assert seen_by("vera", case) == NOTHING
    assert seen_by("rita", case) == NOTHING
    assert [seen_by(name, case) for name in ("ada", "ben", "lena")] == [both] * 3


def test_settled_is_open_to_every_member_and_to_no_stranger() -> None:
    case = make_scene(signatures=2)
    claim = sign(case, "ada")
    sign(case, "ben")
    settle(case, claim)
    both = Seen({"ada", "ben"}, opinions=True)
    assert [seen_by(name, case) for name in ("vera", "ada", "ben", "lena")] == [both] * 4
    assert seen_by("sam", case) == NOTHING


def test_a_lead_of_another_project_is_a_stranger() -> None:
    case = make_scene()
    sign(case, "ada")
    make_project("other")
    there = Membership.objects.get(project__slug="other", user__username="lena")
    assert not visible_claims(case, user("lena"), there).exists()
    assert not may_see_opinions(case, there, signed=True)


def test_what_is_seen_is_of_this_case_only() -> None:
    first = make_scene()
    second = make_scene("other")
    sign(first, "ada")
    sign(second, "ada")
    assert [claim.case for claim in visible_claims(first, user("ada"), membership(first.project, "ada"))] == [first]  # noqa: E501 # fmt: skip
    assert Claim.objects.count() == 2

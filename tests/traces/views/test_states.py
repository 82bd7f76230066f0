"""What happened to each artifact: versions in causal order, races, and what nobody made."""

from __future__ import annotations

import re

import pytest
from pytest_django import DjangoAssertNumQueries

from tests.clients import signed_in
from tests.factories import make_project, make_run, make_step, make_transcript, make_user
from traces.models import Project, Run
from traces.transcript import Gap, Link, LinkKind, Part, PartKind, Step

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def change(number: int, actor: str, **data: str) -> Step:
    part = Part(PartKind.STATE, f"change {number}", {"artifact": "slots.py", **data})
    return make_step(number, actor, parts=(part,))


def race() -> Run:
    """Two coders start from v1; the harness takes the later one, by a rule."""
    rule = {"accepted": "v2-b", "rule": "later branch wins"}
    steps = (
        make_step(0, "planner"),
        change(1, "a", before="v1", after="v2-a"),
        change(2, "b", before="v1", after="v2-b"),
        change(3, "harness", before="v2-a", after="v2-b", **rule),
        change(4, "a", before="v9", after="v10"),
    )
    pairs = ((0, 1), (0, 2), (1, 3), (2, 3), (3, 4))
    links = tuple(Link(one, other, LinkKind.CONSUMES) for one, other in pairs)
    return make_run(make_project(), make_transcript(*steps, links=links))


def address(run: Run, slug: str = "demo") -> str:
    return f"/p/{slug}/runs/{run.pk}/states/"


def words_of(run: Run) -> str:
    page = signed_in("vera").get(address(run)).content.decode()
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", page)).replace(" ,", ",").replace(" .", ".")


def test_a_stranger_and_another_project_find_nothing() -> None:
    run = race()
    make_project("other")
    make_user("sam")
    assert signed_in("sam").get(address(run)).status_code == 404
    assert signed_in("lena").get(address(run, "other")).status_code == 404
    assert signed_in("lena").post(address(run)).status_code == 405


def test_without_a_change_it_says_what_to_record() -> None:
    words = words_of(make_run(make_project()))
    assert "No step of this run records a change of state." in words
    assert "the version before and the version after" in words


def test_versions_stand_in_causal_order_with_who_made_them() -> None:
    words = words_of(race())
    rows = [f"#{n} {who} v" for n, who in ((1, "a"), (2, "b"), (3, "harness"), (4, "a"))]
    places = [words.index(row) for row in rows]
    assert places == sorted(places)
    assert "slots.py 4 changes" in words


def test_a_race_names_both_steps_the_accepted_version_and_the_rule() -> None:
    words = words_of(race())
    assert "Race from v1 : #1 v2-a not accepted, #2 v2-b accepted." in words
    assert "Accepted was v2-b; by the rule: later branch wins. Said at #3." in words


def test_the_row_of_a_version_says_what_became_of_it_in_the_same_words() -> None:
    words = words_of(race())
    assert "#1 a v1 v2-a change 1 not accepted #2 b v1 v2-b change 2 accepted #3" in words
    merge = {"before": "v1", "after": "v2", "resolution": "merged", "rule": "both kept"}
    steps = (make_step(0), change(1, "a", before="v1", after="v3"), change(2, "b", **merge))
    links = (Link(0, 1, LinkKind.CONSUMES), Link(0, 2, LinkKind.CONSUMES))
    transcript = make_transcript(*steps, external_id="merging", links=links)
    words = words_of(make_run(Project.objects.get(), transcript))
    assert "#2 v2 merged." in words
    assert "v1 v2 change 2 merged" in words


def test_a_race_that_nobody_settled_says_so() -> None:
    steps = (
        make_step(0, "planner"),
        change(1, "a", before="v1", after="v2-a"),
        change(2, "b", before="v1", after="v2-b"),
    )
    links = (Link(0, 1, LinkKind.CONSUMES), Link(0, 2, LinkKind.CONSUMES))
    words = words_of(make_run(make_project(), make_transcript(*steps, links=links)))
    assert "Which version was accepted is not recorded ; no rule is recorded." in words


def test_a_version_that_nobody_on_record_made_is_marked() -> None:
    words = words_of(race())
    assert words.count("made by nobody on record") == 1
    assert "v9 made by nobody on record" in words


def test_what_was_said_and_what_was_recorded_is_compared() -> None:
    gaps = (Gap("claim_without_change", "Says it changed slots.py.", 0), Gap("no_times", "None."))
    words = words_of(make_run(make_project(), make_transcript(make_step(0), gaps=gaps)))
    assert "Says it changed slots.py." in words
    assert "None." not in words


def test_hostile_artifacts_are_shown_as_text() -> None:
    evil = "<script>alert(1)</script>\u202e"
    data = {"artifact": evil, "before": evil, "after": evil, "accepted": evil, "rule": evil}
    part = Part(PartKind.STATE, evil, data | {"resolution": evil, "against": [evil]})
    run = make_run(make_project(), make_transcript(make_step(0, evil, parts=(part,))))
    page = signed_in("vera").get(address(run)).content.decode()
    assert "<script>alert" not in page
    assert "\u202e" not in page


def test_many_artifacts_come_in_pages() -> None:
    parts = tuple(Part(PartKind.STATE, "", {"artifact": f"file-{n}"}) for n in range(60))
    run = make_run(make_project(), make_transcript(make_step(0, parts=parts)))
    client = signed_in("vera")
    first = client.get(address(run))
    assert (len(first.context["artifacts"]), first.context["next"]) == (50, 50)
    second = client.get(address(run), {"first": "50"})
    assert (len(second.context["artifacts"]), second.context["next"]) == (10, None)


@pytest.mark.parametrize("count", [1, 3])
def test_it_takes_as_many_queries_for_three_artifacts_as_for_one(
    count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    parts = tuple(Part(PartKind.STATE, "", {"artifact": f"file-{n}"}) for n in range(count))
    run = make_run(make_project(), make_transcript(make_step(0, parts=parts)))
    client = signed_in("vera")
    with django_assert_num_queries(9):
        client.get(address(run))

from __future__ import annotations

import numpy as np
import pytest
from django.http import QueryDict

from attribution import rows
from attribution.alignment.aligned import NONE, aligned_rows
from attribution.alignment.alignment import RowKind
from attribution.filters import Filter, Listing, listing
from tests.attribution.scenes import calls, consumes, retry, says, verifies
from tests.factories import make_transcript
from traces.outline import outline, outline_of
from traces.transcript import PartKind, StepKind, StepStatus

# A plan, two tries of a tool of which the first fails, talk of somebody else, and a check.
SCENE = outline_of(
    make_transcript(
        says(0, "plan", "planner"),
        says(1, "chat", "other"),
        says(2, "chat", "other"),
        calls(3, "fetch", "coder", status="timeout"),
        says(4, "chat", "other"),
        calls(5, "fetch", "coder"),
        says(6, "chat", "other"),
        says(7, "chat", "other"),
        says(8, "report", "planner"),
        verifies(9, "tests", "failed", "checker"),
        links=(consumes(0, 3), retry(3, 5), consumes(5, 8), consumes(8, 9)),
    )
)


def wanted(query: str) -> Filter:
    return Filter.from_query(QueryDict(query))


def shown(found: Listing) -> list[str]:
    """The list as people see it: hits, ~grey, +opened steps, and (how many) are folded."""
    lines = []
    for step, grey, hit, folded in zip(
        found.steps.tolist(), found.grey, found.hit, found.folded, strict=True
    ):
        lines += [f"({folded})"] if folded else []
        lines.append(f"{'' if hit else '~' if grey else '+'}{step}")
    return lines + ([f"({found.after})"] if found.after else [])


@pytest.mark.parametrize(
    "query",
    [
        "",
        "part=nonsense&kind=nonsense&status=nonsense",
        "actor=&text=",
        "actor=%00&text=a%00b",
        "part=tool_request%00",
        "text=+++",
        "open=1-5",
    ],
)
def test_what_cannot_be_asked_for_is_no_filter(query: str) -> None:
    assert not wanted(query).active


@pytest.mark.parametrize("stretch", ["5-1", "-", "1", "1-", "-1-2", "²-3", "1-999999999", "a-b"])
def test_a_stretch_that_is_none_opens_nothing(stretch: str) -> None:
    assert wanted(f"open={stretch}").opened == ()


def test_a_filter_is_bounded() -> None:
    many = "&".join(f"actor=a{n}&open={n}-{n}" for n in range(400))
    found = wanted(f"{many}&text={'x' * 10_000}")
    assert len(found.actors) == 40
    assert len(found.opened) == 40
    assert len(found.text) == 400


def test_a_filter_is_read_and_written_as_parameters() -> None:
    query = [
        ("actor", "coder"),
        ("actor", "planner"),
        ("part", "tool_request"),
        ("kind", "tool"),
        ("status", "failed"),
        ("status", "ok"),
        ("text", "no such file"),
        ("open", "2-7"),
    ]
    given = QueryDict(mutable=True)
    for name, value in reversed(query):
        given.appendlist(name, value)
    found = Filter.from_query(given)
    assert found == Filter(
        actors=frozenset({"coder", "planner"}),
        parts=frozenset({PartKind.TOOL_REQUEST}),
        kinds=frozenset({StepKind.TOOL}),
        statuses=frozenset({"failed", StepStatus.OK}),
        text="no such file",
        opened=((2, 7),),
    )
    assert found.query() == query


def test_without_a_filter_everything_is_listed_also_retries() -> None:
    found = listing(SCENE, wanted("open=2-3"))
    assert shown(found) == list("0123456789")
    assert (found.hits, found.greyed, found.opened, found.hidden) == (10, 0, 0, 0)


def test_nobody_of_that_name_hits_nothing() -> None:
    found = listing(SCENE, wanted("actor=nobody"))
    assert shown(found) == ["(10)"]
    assert (found.hits, found.greyed, found.hidden, found.after) == (0, 0, 10, 10)


def test_a_run_without_steps() -> None:
    assert shown(listing(outline([], [], []), wanted("actor=a"))) == []


@pytest.mark.parametrize(
    ("query", "lines"),
    [
        # The check; what it read; the step before of the same actor there is none.
        ("part=verification", ["(8)", "~8", "9"]),
        # The try that failed brings its input and the other try, and what failed at the end.
        ("status=failed", ["~0", "(2)", "3", "(1)", "~5", "(2)", "~8", "9"]),
        ("status=timeout", ["~0", "(2)", "3", "(1)", "~5", "(4)"]),
        # The second try; what it followed, and what read it.
        ("status=retry", ["(3)", "~3", "(1)", "5", "(2)", "~8", "(1)"]),
        # Both of the planner's; the tries it ordered and read, and the check that read it.
        ("actor=planner", ["0", "(2)", "~3", "(1)", "~5", "(2)", "8", "~9"]),
        ("actor=plan", ["0", "(2)", "~3", "(1)", "~5", "(2)", "8", "~9"]),
        ("actor=planner&kind=tool", ["(10)"]),
        ("actor=coder&status=ok", ["(3)", "~3", "(1)", "5", "(2)", "~8", "(1)"]),
        ("kind=tool&kind=verification", ["~0", "(2)", "3", "(1)", "5", "(2)", "~8", "9"]),
        # Opened steps are neither grey nor hits; beyond the end there is nothing to open.
        ("status=timeout&open=1-2&open=9-99", ["~0", "+1", "+2", "3", "(1)", "~5", "(3)", "+9"]),
        # A grey step that is opened stands there with its content.
        ("status=timeout&open=5-5", ["~0", "(2)", "3", "(1)", "+5", "(4)"]),
    ],
)  # fmt: skip
def test_hits_stand_in_place_among_their_neighbours(query: str, lines: list[str]) -> None:
    assert shown(listing(SCENE, wanted(query))) == lines


def test_the_counts_of_a_listing_add_up() -> None:
    found = listing(SCENE, wanted("status=failed&open=1-1"))
    assert (found.hits, found.greyed, found.opened, found.hidden) == (2, 3, 1, 4)


def test_text_is_looked_for_within_what_else_is_asked_for() -> None:
    holds = np.zeros(10, dtype=bool)
    holds[[1, 5]] = True
    assert shown(listing(SCENE, wanted("text=x"), holds)) == [
        "(1)", "1", "~2", "~3", "(1)", "5", "(2)", "~8", "(1)",
    ]  # fmt: skip
    assert listing(SCENE, wanted("text=x&actor=coder"), holds).hits == 1
    assert listing(SCENE, wanted("text=x")).hits == 0


def test_all_attempts_stay_with_one_of_them() -> None:
    chain = outline_of(
        make_transcript(
            *(calls(n, "fetch", f"worker-{n}", status="error") for n in range(4)),
            says(4, "unrelated", "other"),
            calls(5, "fetch", "last"),
            links=(retry(0, 1), retry(1, 2), retry(0, 3), retry(2, 5)),
        )
    )
    assert shown(listing(chain, wanted("actor=last"))) == ["~0", "~1", "~2", "~3", "(1)", "5"]


ALIGNED = aligned_rows(
    [
        (None, 0, RowKind.EXTRA),
        (0, 1, RowKind.MATCHED),
        (None, 2, RowKind.EXTRA),
        (1, None, RowKind.MISSING),
        (None, 3, RowKind.EXTRA),
        (2, 4, RowKind.MATCHED),
        (None, 5, RowKind.EXTRA),
        (3, 6, RowKind.MATCHED),
        (4, None, RowKind.MISSING),
        (5, 7, RowKind.MATCHED),
        (None, 8, RowKind.EXTRA),
        (6, None, RowKind.MISSING),
        (7, None, RowKind.MISSING),
        (8, None, RowKind.MISSING),
        (9, 9, RowKind.MATCHED),
    ]
)


def test_rows_of_a_comparison_follow_the_shown_steps() -> None:
    """Shown are ~0, 3, ~5; a row without a step of ours stays with one of those it touches."""
    both = listing(SCENE, wanted("status=timeout")).over(rows.beside(ALIGNED))
    assert both.source.tolist() == [0, 1, 2, 6, 7, 9, 10]
    assert both.left.tolist() == [NONE, 0, NONE, NONE, 3, 5, NONE]
    assert both.right.tolist() == [0, 1, 2, 5, 6, 7, 8]
    assert both.grey.tolist() == [True, True, True, True, False, True, True]
    assert both.folded.tolist() == [0, 0, 0, 2, 0, 1, 0]
    assert both.after == 4
    assert both.aligned is ALIGNED


def test_rows_of_a_run_alone() -> None:
    alone = listing(SCENE, wanted("status=timeout")).over(rows.alone(10))
    assert alone.left.tolist() == [0, 3, 5]
    assert (alone.folded.tolist(), alone.after) == ([0, 2, 1], 4)


def test_without_a_filter_all_rows_stay() -> None:
    every = rows.beside(ALIGNED)
    assert listing(SCENE, Filter()).over(every) is every


def test_where_nothing_hits_no_row_stays() -> None:
    none = listing(SCENE, wanted("actor=nobody")).over(rows.beside(ALIGNED))
    assert (len(none), none.after) == (0, 10)

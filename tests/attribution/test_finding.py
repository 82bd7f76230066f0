from __future__ import annotations

from typing import Any

import pytest

from attribution import finding
from attribution.finding import find, hits, holding
from attribution.sought import Sought, Unsearchable
from tests.attribution.scenes import calls, says
from tests.factories import make_project, make_run, make_step, make_transcript
from tests.traces.test_payload_store import send
from traces.models import Part, Run
from traces.outlines import outline_of_run
from traces.transcript import Part as Piece
from traces.transcript import PartKind

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def run() -> Run:
    """Step 2 holds "fetch" in its request alone, 3 in its answer alone."""
    steps = (
        says(0, "Fetch the page — now", "planner"),
        says(1, "nothing", "planner"),
        calls(2, "get", url="fetch"),
        calls(3, "get", answer="FETCH failed, fetch again"),
        says(4, "\uff46\uff45\uff54\uff43\uff48", "planner"),
    )
    return make_run(make_project(), make_transcript(*steps))


def found_in(run: Run, words: str) -> list[tuple[int, int, int]]:
    """Step, part and number of places of each text."""
    found = find(run, outline_of_run(run), Sought.of(words))
    return [(held.step, held.part, held.places) for held in found.held]


def test_a_filter_without_words_is_refused(run: Run) -> None:
    with pytest.raises(Unsearchable):
        holding(run, 5, "  ")


def test_another_run_is_not_searched(run: Run) -> None:
    other = make_run(run.project, make_transcript(make_step(0, text="fetch"), external_id="other"))
    assert found_in(other, "fetch") == [(0, 0, 1)]


def test_every_text_that_holds_the_words_is_found(run: Run) -> None:
    """Also in another case and in full-width letters."""
    assert found_in(run, "fetch") == [(0, 0, 1), (2, 0, 1), (3, 1, 2), (4, 0, 1)]
    assert found_in(run, "— NOW") == [(0, 0, 1)]
    assert found_in(run, "%") == []
    assert found_in(run, "_") == []


def test_of_a_run_without_steps_nothing_is_found(run: Run) -> None:
    found = find(run, outline_of_run(run), Sought.of("absent"))
    assert (found.total, found.steps) == (0, [])
    assert found.near(0, "") is None
    assert found.beside(3, "next") is None


def test_places_are_numbered_over_all_texts(run: Run) -> None:
    sought = Sought.of("fetch")
    found = find(run, outline_of_run(run), sought)
    told = hits(run, found, sought, range(5))
    assert [(hit.place, hit.step, hit.part, hit.start, hit.end) for hit in told] == [
        (0, 0, 0, 0, 5),
        (1, 2, 0, 9, 14),
        (2, 3, 1, 0, 5),
        (3, 3, 1, 14, 19),
        (4, 4, 0, 0, 5),
    ]
    assert "".join(piece.text for piece in told[3].excerpt) == "FETCH failed, fetch again"
    assert [piece.text for piece in told[3].excerpt if piece.cited] == ["fetch"]


def test_an_excerpt_says_where_it_is_cut() -> None:
    text = "a" * 200 + " needle " + "b" * 200
    run = make_run(make_project(), make_transcript(make_step(0, text=text)))
    sought = Sought.of("needle")
    (hit,) = hits(run, find(run, outline_of_run(run), sought), sought, [0])
    assert "".join(piece.text for piece in hit.excerpt) == "a" * 59 + " needle " + "b" * 139
    assert hit.cut == (True, True)


def test_a_filter_looks_in_parts_of_its_kinds(run: Run) -> None:
    assert holding(run, 5, "fetch").steps.tolist() == [True, False, True, True, True]
    requests = holding(run, 5, "fetch", [PartKind.TOOL_REQUEST])
    assert requests.steps.tolist() == [False, False, True, False, False]
    assert requests.unread == 0


def test_a_filter_answers_anew_for_a_run_that_is_read_anew(
    run: Run, django_assert_num_queries: Any
) -> None:
    assert holding(run, 5, "fetch").steps[0]
    with django_assert_num_queries(0):
        assert holding(run, 5, "fetch").steps[0]
    Part.objects.filter(run=run, step=0).update(text="gone")
    run.revision += 1
    assert not holding(run, 5, "fetch").steps[0]


def test_few_answers_are_kept(run: Run) -> None:
    for n in range(40):
        holding(run, 5, f"word {n}")
    assert len(finding._ANSWERS) == finding.KEPT


def test_a_filter_looks_in_payloads() -> None:
    middle = "\n".join(f"row {n}" for n in range(20_000)).replace("row 9999\n", "needle\n")
    send(make_project(), "What is it?", middle, "It is that.")
    run = Run.objects.get()
    assert holding(run, 3, "needle").steps.tolist() == [False, True, False]
    assert not holding(run, 3, "needle", [PartKind.ERROR]).steps.any()


def test_beyond_a_budget_texts_are_searched_as_written(monkeypatch, run: Run) -> None:
    monkeypatch.setattr(finding, "FOREIGN", 0)
    found = find(run, outline_of_run(run), Sought.of("fetch"))
    assert [held.step for held in found.held] == [0, 2, 3]
    assert found.as_written == 2


def test_of_a_run_beyond_all_bounds_the_begin_is_searched(monkeypatch, run: Run) -> None:
    sizes = outline_of_run(run).size
    monkeypatch.setattr(finding, "MOST", int(sizes[:3].sum()))
    found = find(run, outline_of_run(run), Sought.of("fetch"))
    assert [held.step for held in found.held] == [0, 2]
    assert (found.searched, found.steps_in_all) == (3, 5)


def test_very_many_steps_are_named_one_for_each_column(monkeypatch) -> None:
    monkeypatch.setattr(finding, "NAMED", 4)
    parts = (Piece(PartKind.MESSAGE, "word"),)
    run = make_run(make_project(), make_transcript(*(make_step(n, parts=parts) for n in range(8))))
    found = find(run, outline_of_run(run), Sought.of("word"))
    assert len(found.steps) == 8
    assert found.named == [0, 2, 4, 6]

"""Labels that do not fit their run: told without telling the label."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.factories import make_step
from traces.formats.steps.labels import label_gaps, quotes_of, step_of
from traces.transcript import Opinion, Step

STEPS = (
    make_step(0, "planner", "Book the berth at noon."),
    make_step(1, "coder-2", "Berth  7\nwas refused: 409."),
)
FITS = Opinion("raters", "1", 0, 1, "coder-2", "SECRET", {"quote": "refused: 409"})


def kinds(*opinions: Opinion, steps: tuple[Step, ...] = STEPS, **options: object) -> list[str]:
    return [gap.kind for gap in label_gaps(opinions, steps, **options)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"step": None, "native_step": "9"}, "label_out_of_range"),
        ({"step": None, "native_step": "two"}, "label_out_of_range"),
        ({"actor": "planner"}, "label_mismatch"),
        ({"actor": "coder"}, "label_mismatch"),
        ({"data": {"quote": "refused: 410"}}, "label_quote_missing"),
        ({"data": {"evidence": ["refused: 409", "never said"]}}, "label_quote_missing"),
        ({"data": {"quote": "noon. Berth"}}, "label_quote_missing"),
    ],
)
def test_a_misfit_is_one_gap_of_the_run_that_tells_nothing_of_the_label(
    changes: dict[str, object], kind: str
) -> None:
    (gap,) = label_gaps([replace(FITS, **changes)], STEPS)  # type: ignore[arg-type]
    assert (gap.kind, gap.step) == (kind, None)
    for told in ("SECRET", "409", "410", "never", "planner", "coder", "9", "two"):
        assert told not in gap.detail


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"actor": ""},
        {"step": None, "native_step": "", "actor": "planner"},
        {"data": {"quote": "Berth 7 was"}},
        {"data": {"evidence": "noon"}},
        {"data": {"evidence": ["", "  ", 7, None]}},
        {"data": {"quote": {"text": "elsewhere"}}},
    ],
)
def test_a_label_that_claims_nothing_wrong_is_no_gap(changes: dict[str, object]) -> None:
    assert kinds(replace(FITS, **changes)) == []  # type: ignore[arg-type]


def test_an_actor_may_be_named_by_its_role() -> None:
    assert kinds(replace(FITS, actor="coder"), roles={"coder-2": "coder"}) == []
    assert kinds(replace(FITS, actor="coder"), roles={"planner": "coder"}) == ["label_mismatch"]


def test_text_that_was_moved_out_of_the_steps_is_searched_too() -> None:
    moved = replace(FITS, data={"quote": "far behind"})
    assert kinds(moved, more_text=["x" * 999 + "far  behind"]) == []


def test_many_labels_of_one_fault_are_one_gap() -> None:
    far = replace(FITS, step=None, native_step="9")
    assert kinds(far, far, replace(FITS, actor="planner"), far) == [
        "label_out_of_range",
        "label_mismatch",
    ]


def test_a_run_without_steps_has_no_quote() -> None:
    assert kinds(replace(FITS, step=None), steps=()) == [
        "label_out_of_range",
        "label_quote_missing",
    ]


@pytest.mark.parametrize(
    ("native", "base", "number"),
    [
        ("0", 0, 0),
        ("1", 1, 0),
        ("2", 1, 1),
        ("2", 0, None),
        ("0", 1, None),
        ("-1", 0, None),
        ("", 0, None),
        ("²", 0, None),
        ("span-b", 0, 1),
        # All digits, and an id all the same.
        ("1234567890123456", 0, 0),
        ("span", 0, None),
    ],
)
def test_the_step_is_found_by_index_or_by_the_id_of_its_source(
    native: str, base: int, number: int | None
) -> None:
    by_id = {"1234567890123456": 0, "span-b": 1}
    opinion = replace(FITS, native_step=native, base=base)
    assert step_of(opinion, by_id, step_count=2) == number


def test_quotes_are_texts_and_nothing_else() -> None:
    data = {"quote": "a", "evidence": ["b", {"c": 1}, " "], "other": "d"}
    assert quotes_of(replace(FITS, data=data)) == ["a", "b"]

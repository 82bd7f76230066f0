"""Values that are made to cost a page much: they cost little, and are still shown."""

from __future__ import annotations

import json
import time

import pytest

from attribution.rendering import tables
from attribution.rendering.branches import branch
from attribution.rendering.code import highlighted
from attribution.rendering.cutting import ALL, PAGE
from attribution.rendering.structure import MOST_VALUES, NotJson, parsed
from attribution.rendering.tree import LONGEST
from attribution.rendering.value import Wish, value_of


def test_json_of_too_many_values_is_shown_as_text() -> None:
    text = "[" + "[]," * MOST_VALUES + "[]]"
    with pytest.raises(NotJson):
        parsed(text)
    assert value_of(text, Wish(budget=PAGE)).kind == "plain"
    assert len(parsed("[" + "0," * (MOST_VALUES - 2) + "0]")) == MOST_VALUES - 1


def test_a_name_of_a_million_characters_is_cut_and_leads_nowhere() -> None:
    text = json.dumps({"k" * 1_000_000: [[1]], "short": [[1]]})
    html = value_of(text, Wish(mode="json", budget=PAGE, address="/x/")).html
    assert len(html) < 10_000
    assert html.count('class="branch"') == 1
    assert "path=/short" in html


def test_only_paths_that_fit_an_address_are_linked() -> None:
    deep = '{"a":' * 600 + "[[1]]" + "}" * 600
    near, far = "/a" * (LONGEST // 2 - 1), "/a" * (LONGEST // 2)
    assert 'class="branch"' in branch(deep, near, 0, "/x/")
    assert 'class="branch"' not in branch(deep, far, 0, "/x/")


def test_colouring_ends_in_time_where_nothing_is_coloured() -> None:
    text = ("a " * 490 + "\n") * 18
    began = time.process_time()
    assert highlighted(text, "java", 600) == text
    assert time.process_time() - began < 2


def test_of_a_table_of_objects_all_rows_are_counted_and_few_are_kept() -> None:
    table = tables.of_objects([{"a": n, "b": "x"} for n in range(50_000)])
    assert table is not None
    assert (table.total, len(table.rows)) == (50_000, tables.KEPT)
    _, left = tables.drawn(table, ALL)
    assert left >= 50_000 - tables.KEPT

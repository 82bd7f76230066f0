from __future__ import annotations

import json
from dataclasses import replace

from reviews.management.commands.bench import document, missed, table
from traces.bench.figures import Figure

FAST = Figure("fast", 5.0, "ms", most=10)
SLOW = Figure("slow", 20.0, "ms", most=10)
MANY = Figure("many", 0.25, "of the limit", least=0.2)
FEW = Figure("few", 0.1, "of the limit", least=0.2)
SMALL = Figure("small", 5.0, "ms", most=10, of_full_size=False)
PLAIN = Figure("plain", 12_345.6, "steps")


def test_a_target_is_met_at_its_edge_and_missed_beyond_it() -> None:
    assert [FAST.met, SLOW.met, MANY.met, FEW.met, PLAIN.met] == [True, False, True, False, None]
    assert Figure("edge", 10, "ms", most=10).met is True
    assert Figure("edge", 0.2, "ratio", least=0.2).met is True


def test_a_target_for_more_than_was_measured_is_neither_met_nor_missed() -> None:
    assert (SMALL.met, SMALL.target, missed([("one", SMALL)])) == (None, "<= 10", [])


def test_a_target_says_which_way_it_goes() -> None:
    assert [FAST.target, MANY.target, PLAIN.target] == ["<= 10", ">= 0.2", ""]


def test_only_figures_with_a_target_are_missed() -> None:
    measured = [("one", figure) for figure in (FAST, SLOW, MANY, FEW, PLAIN)]
    assert missed(measured) == ["slow", "few"]


def test_the_document_says_all_of_each_figure_and_how_to_measure_it_again() -> None:
    told = json.loads(json.dumps(document([("ingest", FEW)], quick=True)))
    assert told == {
        "quick": True,
        "figures": [
            {
                "bench": "ingest",
                "name": "few",
                "of": "",
                "value": 0.1,
                "unit": "of the limit",
                "target": ">= 0.2",
                "met": False,
                "command": "manage.py bench ingest --quick",
            }
        ],
    }


def test_the_table_is_for_people() -> None:
    lines = table([("ingest", PLAIN), ("ingest", FEW), ("values", SMALL)]).splitlines()
    assert lines[0].split() == ["Bench", "Figure", "Value", "Unit", "Target", "Met"]
    assert lines[1].split() == ["ingest", "plain", "12,346", "steps"]
    assert lines[3].split()[-3:] == ["<=", "10", "–"]
    assert lines[2].split()[-3:] == [">=", "0.2", "NO"]


def test_what_is_measured_of_several_things_stands_in_a_column_each() -> None:
    kept = [replace(FAST, of="one"), replace(SLOW, name="fast", of="two")]
    measured = [("browse", figure) for figure in (*kept, replace(PLAIN, of="two"))]
    lines = table(measured).splitlines()
    assert lines[0].split() == ["Figure", "one", "two", "Unit", "Target", "Met"]
    assert lines[1].split() == ["fast", "5.000", "20.000!", "ms", "<=", "10", "NO"]
    assert lines[2].split() == ["plain", "12,346", "steps"]
    both = table([("ingest", FEW), *measured]).splitlines()
    assert (both[0].split()[0], both[1].split()[0], both[2:]) == ("Bench", "ingest", lines)

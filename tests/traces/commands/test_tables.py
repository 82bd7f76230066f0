"""The table of `manage.py ingest`: it fits a terminal, and says shortly what the receipt has."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.utils import timezone

from tests.factories import make_project
from traces import ingest
from traces.management.tables import named, shortened, table
from traces.models import Receipt
from traces.outcomes import Outcome, outcome_of


def test_a_name_that_is_no_file_below_a_folder_stays() -> None:
    assert named("/data/a.json", ["/data/a.json"]) == "/data/a.json"
    assert named("/database/a.json", ["/data"]) == "/database/a.json"
    assert named("", [""]) == ""


def test_files_are_named_below_the_folder_that_was_named() -> None:
    assert named("/data/x/a.json", ["/data/"]) == "x/a.json"
    assert named("x/a.json", ["."]) == "x/a.json"
    assert named("/one/data/a.json", ["/one/data", "/two"]) == "data/a.json"


@pytest.mark.parametrize("most", [7, 8, 9, 20])
def test_long_names_lose_their_middle(most: int) -> None:
    short = shortened("abcdefghijklmnopqrstuvwxyz", most)
    assert len(short) == most
    assert short.startswith("ab")
    assert short.endswith("wxyz")
    assert "…" in short
    assert shortened("abcdefg", 7) == "abcdefg"


def test_a_file_of_a_group_is_told_with_its_main_one() -> None:
    part = Outcome("/data/b.txt", "part", "of /data/deep/a.json, run r-1")
    lines = table([part], ["/data"], width=80).splitlines()
    assert lines[1].split() == ["b.txt", "part:", "of", "a.json", "0", "0", "0"]


@pytest.mark.django_db
@pytest.mark.database
def test_eighty_columns_are_enough_and_an_excerpt_is_one_line(tmp_path: Path) -> None:
    content = b'{"ships": "' + b"Many words of a ship. " * 40 + b'"}'
    path = f"{tmp_path}/{'deep/' * 30}a.json"
    receipt = ingest.ingest(
        project=make_project(), content=content, filename=path, via=Receipt.Via.COMMAND,
        by=None, at=timezone.now(), wanted_format="",
    )  # fmt: skip
    outcome = outcome_of(path, receipt)
    shown = table([outcome], [str(tmp_path)], width=80)

    assert max(map(len, shown.splitlines())) <= 80
    assert [line.strip() for line in shown.splitlines() if "ships" in line] == [
        'It begins: {"ships": "Man…'
    ]
    assert "deep/a.json" in shown
    # Whole in the JSON answer and on the receipt.
    assert receipt.excerpt.count("Many words") > 1
    assert receipt.excerpt in outcome.plain()["reason"]

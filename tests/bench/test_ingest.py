"""What the bench of ingest says of a few small runs: every part of the way, and sums that agree."""

from __future__ import annotations

import pytest

from traces.bench import database, ingest

pytestmark = pytest.mark.database


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("shape", "name"), [((2, 5, 1), "2 x 5"), ((4, 5, 2), "4 x 5, 2 a file")])
def test_every_part_of_the_way_is_measured(shape: tuple[int, int, int], name: str) -> None:
    figures = {each.name: each.value for each in ingest.of_shape(*shape, database.server())}
    whole, bare = figures[f"{name}: whole"], figures[f"{name}: bare COPY"]
    assert figures[f"{name}: per core"] == pytest.approx(whole / bare, rel=0.001)
    parsed, written = figures[f"{name}: only parsed"], figures[f"{name}: only written"]
    assert 1 / whole == pytest.approx(1 / parsed + 1 / written, rel=0.001)
    assert 0 < figures[f"{name}: storing the bytes"] < 1

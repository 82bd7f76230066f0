"""However long and strange a run is, the map stays small and quick to draw."""

from __future__ import annotations

import re
from time import process_time
from types import SimpleNamespace

import numpy as np
import pytest
from django.template.loader import render_to_string

from attribution.drawn_steps import Marks
from attribution.minimap import Minimap, Strip, draw, lit_of
from attribution.place import Place
from tests.attribution.minimap.runs import run_of
from traces.outline import STATUSES, Outline
from traces.transcript import LinkKind, StepStatus

SIZE = 50_000
# CPU seconds, some times what it takes.
PATIENCE = 0.15


def strange(case: str) -> Outline:
    chance = np.random.default_rng(7)
    steps = np.arange(90 if case == "huge names" else SIZE)
    links = np.array(
        [np.maximum(0, steps[1:] - 1 - chance.integers(0, 40, len(steps) - 1)), steps[1:]]
    )
    acting = {
        "one actor": steps * 0,
        "5,000 actors": chance.integers(0, 5_000, len(steps)),
        "huge names": chance.integers(0, 40, len(steps)),
        "all is handed over": chance.integers(0, 41, len(steps)),
    }.get(case, chance.integers(0, 7, len(steps)))
    bad = np.full(len(steps), STATUSES.index(StepStatus.ERROR), dtype=np.uint8)
    return run_of(
        acting,
        links=links,
        relation=LinkKind.HANDOFF if case == "all is handed over" else LinkKind.CONSUMES,
        name="'\u202e&" * 50_000 if case == "huge names" else "agent",
        verdict=chance.integers(0, 4, len(steps)).astype(np.uint8),
        attempt=chance.integers(0, 3, len(steps)).astype(np.int32),
        **({"status": bad} if case == "50,000 errors" else {}),
    )


def crowded(run: Outline) -> Minimap:
    size = len(run)
    many = range(0, size, max(1, size // 100))
    marks = Marks(
        decisive=0,
        exposing=size - 1,
        carriers=frozenset(many),
        missed=frozenset(many),
        considered=frozenset(many),
        candidates={step: (n + 1,) for n, step in enumerate(many)},
        cited={(step, 0): [(0, 1)] for step in many},
    )
    found = [Strip("“x”", range(0, size, 2), 0)]
    lit = lit_of(run, size // 2)
    kept = f"with={'0' * 36}&"
    return draw(
        run, marks, gaps=range(20_000), selected=size // 2, lit=lit, strips=found, kept=kept
    )


@pytest.mark.parametrize(
    "case",
    ["one actor", "5,000 actors", "50,000 errors", "huge names", "all is handed over"],
)
def test_the_map_is_small_and_quick(case: str) -> None:
    run = strange(case)
    taken = []
    for _ in range(3):
        begin = process_time()
        drawing = crowded(run)
        taken.append(process_time() - begin)
    assert min(taken) < PATIENCE
    project = SimpleNamespace(slug="demo")
    shown = SimpleNamespace(pk="00000000-0000-0000-0000-000000000000", project=project)
    place = Place(given=(("with", "0" * 36),))
    html = render_to_string(
        "attribution/_minimap.html", {"map": drawing, "run": shown, "place": place}
    )
    assert len(re.findall(r"<[a-z]", html)) <= 500
    assert len(html.encode()) <= 44_000
    svg = html[html.index("<svg class") : html.index("<figcaption>")]
    assert len(svg.encode()) <= 40_000
    assert drawing.more_signs > 0

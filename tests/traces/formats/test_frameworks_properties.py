"""What every format must keep to, for those that cannot tell the common story."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.traces.formats import (
    test_a2a,
    test_agentops,
    test_magentic_one,
    test_mcp,
    test_otel_local,
)
from tests.traces.formats.agentrx import test_agentrx, test_trajectory
from tests.traces.formats.autogen import test_autogen, test_replay, test_state
from tests.traces.formats.frameworks import as_lines
from tests.traces.formats.mast import test_labels, test_mast
from tests.traces.formats.test_properties import CUTS, STRANGE, foreseen, taken, with_strange
from traces.formats import intake, registry
from traces.formats.intake import Intake

MODES = {"modes": ["FM-1.1"], "labels": {"t": {"present": ["FM-1.1"], "notes": "Bad."}}}
STATE = test_state.team(
    clerk={"agent_state": test_state.context(test_state.USER, test_state.CALLS)},
    boss={"message_thread": [test_autogen.ASKED, test_autogen.TOLD], "facts": "Sent.", "task": "x"},
)
DOCUMENTS: dict[str, list[Any]] = {
    "a2a": [test_a2a.update(task=test_a2a.task()), test_a2a.task()],
    "agentops": [[test_agentops.record("a"), test_agentops.record("b")]],
    "agentrx": [[test_agentrx.sheet(), test_agentrx.sheet(trajectory_id="t-2")]],
    "agentrx_trajectory": [
        test_trajectory.run(test_trajectory.step(1, ("a", test_trajectory.FOUND)))
    ],
    "autogen_replay": [[test_replay.exchange("a", test_replay.user("b"))]],
    "autogen_state": [STATE],
    "magentic_one": [test_magentic_one.TALK],
    "mast": [[test_mast.record(test_mast.CHAT, annotations=[test_mast.MODE])]],
    "mast_labels": [[test_labels.report("s1", "s2"), MODES]],
    "mcp": [
        test_mcp.wrapped(test_mcp.OUT, **test_mcp.call(1)),
        test_mcp.wrapped(test_mcp.BACK, **test_mcp.result(1, "here")),
    ],
    "otel_local": [test_otel_local.run()],
}


@pytest.fixture(scope="module", autouse=True)
def _formats_are_loaded() -> None:
    registry.formats()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_each_is_read_as_its_own_and_twice_the_same(name: str) -> None:
    content = as_lines(DOCUMENTS[name])
    first, second = intake.take(content), intake.take(content)

    assert first == second
    assert first.runs or first.labels
    assert {run.format for run in first.runs} <= {f"{name}@1"}
    assert first.refusals == ()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_cut_file_is_a_partial_import_or_refused(name: str) -> None:
    content = as_lines(DOCUMENTS[name])
    for end in range(1, len(content), max(1, len(content) // CUTS)):
        result = taken(content[:end])

        assert foreseen(result), end
        if isinstance(result, Intake):
            kinds = {gap.kind for run in result.runs for gap in run.transcript.gaps}
            whole = content[:end].endswith((b"}", b"]", b"\n"))
            assert result.refusals or "damaged" in kinds or whole, end


@pytest.mark.parametrize("name", DOCUMENTS)
@settings(deadline=None)
@given(chance=st.randoms(use_true_random=False), strange=st.sampled_from(STRANGE))
def test_strange_values_anywhere_cost_no_more_than_their_record(
    name: str, chance: random.Random, strange: Any
) -> None:
    values = json.loads(json.dumps(DOCUMENTS[name]))
    index = chance.randrange(len(values))
    values[index] = with_strange(values[index], strange, chance)

    assert foreseen(taken(as_lines(values)))

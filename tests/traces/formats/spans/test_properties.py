"""Whatever spans come: nothing is lost, nothing is raised, and their order means nothing."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.traces.formats import otlp_documents as docs
from traces.formats.base import Unreadable

TEXTS = st.sampled_from(["", "go", "found", '{"a": 1}', "go on"])
IDS = st.sampled_from(["", "c1", "c2"])
CALLS = st.tuples(IDS, st.sampled_from(["find", "transfer_to_b"]), st.sampled_from([{}, {"x": 1}]))
SAID = st.builds(lambda text, calls: docs.model(text, *calls), TEXTS, st.lists(CALLS, max_size=2))
HEARD = st.lists(
    st.one_of(st.builds(docs.user, TEXTS), SAID, st.builds(docs.answer, IDS, TEXTS)), max_size=4
)
NUMBERS, TIMES = st.integers(1, 6), st.integers(0, 8)


@st.composite
def spans(draw: st.DrawFn) -> dict[str, Any]:
    """A span of any kind, with any parent, at any time."""
    make = draw(st.sampled_from([docs.agent, docs.chat, docs.tool, docs.span]))
    at = draw(TIMES)
    more: dict[str, Any] = {"parent": draw(st.integers(0, 8)), "at": at, "to": at + draw(TIMES)}
    if draw(st.integers(0, 4)) == 0:
        more |= docs.failed(draw(TEXTS))
    number = draw(NUMBERS)
    if make is docs.agent:
        return docs.agent(number, draw(st.sampled_from(["a", "b"])), **more)
    if make is docs.chat:
        heard, said = draw(st.none() | HEARD), draw(st.none() | st.lists(SAID, max_size=1))
        return docs.chat(number, heard=heard, said=said, **more)
    if make is docs.tool:
        say = {"gen_ai.tool.call.id": draw(IDS), "gen_ai.tool.call.result": draw(TEXTS)}
        mode = {"gen_ai.transfer.mode": "pass_control", "gen_ai.transfer.target.name": "b"}
        say |= mode if draw(st.booleans()) else {}
        return docs.tool(number, "find", say=say, **more)
    kinds = ["CHAIN", "AGENT", "LLM", "TOOL", "GUARDRAIL", "EVALUATOR", "NONE"]
    say = {"openinference.span.kind": draw(st.sampled_from(kinds)), "output.value": draw(TEXTS)}
    return docs.span(number, say=say if draw(st.booleans()) else {"x": "y"}, **more)


@given(listed=st.lists(spans(), max_size=9), chance=st.randoms(use_true_random=False))
def test_nothing_is_lost_and_order_means_nothing(listed: list[Any], chance: random.Random) -> None:
    try:
        run = docs.run(*listed)
    except Unreadable:
        return
    known = {place for step in run.steps for place in (step.pointer, *step.also_from)}
    known |= {record.pointer for record in run.records}
    places = {f"/resourceSpans/0/scopeSpans/0/spans/{n}" for n in range(len(listed))}
    assert places <= known
    assert {step.actor for step in run.steps} <= run.actor_by_key.keys()
    assert all(link.source < link.target for link in run.links)
    ids = [step.source_id for step in run.steps]
    assert len(ids) == len(set(ids))

    shuffled = list(listed)
    chance.shuffle(shuffled)
    other = docs.run(*shuffled)
    assert [step.source_id for step in other.steps] == ids
    assert [step.parts for step in other.steps] == [step.parts for step in run.steps]
    assert [step.actor for step in other.steps] == [step.actor for step in run.steps]
    assert (other.links, other.actors, other.gaps) == (run.links, run.actors, run.gaps)
    assert (other.folded, other.unread) == (run.folded, run.unread)

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.factories import make_step, make_transcript
from tests.patience import seconds_of
from tests.traces.formats.native_runs import kinds, native_run, native_step, transcript_of
from traces.causality import StepGraph, could_see, with_memory
from traces.transcript import Actor, ActorKind, Link, LinkKind

# 0 -> 1 -> 3 -> 4 and 0 -> 2 -> 3, with 5 apart.
DIAMOND = [(0, 1), (1, 3), (0, 2), (2, 3), (3, 4)]


def graph(*edges: tuple[int, int]) -> StepGraph:
    return StepGraph(Link(a, b, LinkKind.CONSUMES) for a, b in edges)


def test_ancestors_and_descendants_of_a_diamond():
    assert graph(*DIAMOND).ancestors(3) == {0, 1, 2}
    assert graph(*DIAMOND).descendants(1) == {3, 4}
    assert graph(*DIAMOND).ancestors(0) == set()
    assert graph(*DIAMOND).descendants(5) == set()


def test_between_holds_every_path_and_not_the_ends():
    assert graph(*DIAMOND).between(0, 4) == [1, 2, 3]
    assert graph(*DIAMOND).between(1, 2) == []


def test_inferred_links_are_left_out_where_proof_is_asked():
    links = [Link(0, 1, LinkKind.FOLLOWS, rule="same actor"), Link(1, 2, LinkKind.CONSUMES)]
    assert StepGraph(links).descendants(0) == {1, 2}
    assert StepGraph(links).recorded_only().descendants(0) == set()


def test_what_is_concurrent_has_no_path_either_way():
    g = graph(*DIAMOND)
    assert g.concurrent(1, 2)
    assert g.concurrent(2, 1)
    assert not g.concurrent(0, 4)
    assert not g.concurrent(3, 3)
    assert g.happens_before(0, 4)
    assert not g.happens_before(4, 0)


def test_a_recorded_way_beats_a_shorter_guess():
    guess = Link(0, 3, LinkKind.FOLLOWS, rule="same actor")
    recorded = [Link(0, 1, LinkKind.CONSUMES), Link(1, 3, LinkKind.HANDOFF)]
    assert StepGraph([guess, *recorded]).path(0, 3) == tuple(recorded)
    assert StepGraph([guess]).path(0, 3) == (guess,)
    assert StepGraph([guess]).path(3, 0) is None
    assert StepGraph([guess]).path(3, 3) == ()


def test_an_actor_sees_what_it_did_and_got_before():
    steps = [make_step(n, actor) for n, actor in enumerate(["docs", "coder", "other", "coder"])]
    links = (Link(0, 1, LinkKind.CONSUMES),)
    assert could_see(make_transcript(*steps, links=links), 3) == {0, 1}
    assert could_see(make_transcript(*steps, links=links), 0) == set()


edges = st.sets(
    st.tuples(st.integers(0, 30), st.integers(0, 30)).filter(lambda e: e[0] < e[1]), max_size=60
)


@given(edges)
def test_ancestors_mirror_descendants(pairs):
    g = graph(*pairs)
    for step in range(31):
        assert all(step in g.descendants(other) for other in g.ancestors(step))


@given(edges, st.integers(0, 30))
def test_reach_is_closed_and_forward(pairs, step):
    g = graph(*pairs)
    reached = g.descendants(step)
    assert all(other > step for other in reached)
    assert all(b in reached for a, b in pairs if a in reached or a == step)


@given(edges, st.integers(0, 30), st.integers(0, 30))
def test_paths_exist_exactly_where_steps_are_reachable(pairs, first, last):
    g = graph(*pairs)
    path = g.path(first, last)
    assert (path is not None) == (first == last or g.happens_before(first, last))
    for a, b in zip(path or (), (path or ())[1:], strict=False):
        assert a.target == b.source


@given(st.permutations(range(6)), st.lists(st.sampled_from(DIAMOND), unique=True))
def test_the_order_in_which_links_arrive_changes_nothing(order, some):
    links = [Link(a, b, LinkKind.CONSUMES) for a, b in some]
    mixed = [links[i] for i in order if i < len(links)]
    for step in range(5):
        assert StepGraph(links).descendants(step) == StepGraph(mixed).descendants(step)


def test_fifty_thousand_steps_are_no_trouble():
    chain = [Link(n, n + 1, LinkKind.CONSUMES) for n in range(50_000)]
    skips = [Link(n, n + 7, LinkKind.HANDOFF) for n in range(0, 49_993, 3)]
    g = StepGraph([*chain, *skips])
    assert len(g.ancestors(50_000)) == 50_000
    assert len(g.path(0, 50_000) or ()) < 50_000


@given(edges, st.integers(0, 30), st.integers(0, 30))
def test_pairs_are_ordered_as_steps_are_reachable(pairs, one, other):
    g = graph(*pairs)
    wanted = [(one, other), (other, one), (0, one), (one, 30)]
    assert g.ordered(wanted) == {(a, b) for a, b in wanted if b in g.descendants(a)}


@given(edges, st.data())
def test_a_forks_branches_stand_between_it_and_its_join(pairs, data):
    g = graph(*pairs)
    fork, join = sorted(data.draw(st.tuples(st.integers(0, 30), st.integers(0, 30))))
    inside = [n for n in g.descendants(fork) if join in g.descendants(n)]
    assert sorted(inside) == g.between(fork, join)
    assert all(fork < n < join for n in inside)


def test_a_fork_and_its_join_by_hand():
    links = [Link(0, 1, LinkKind.SPAWN), Link(0, 2, LinkKind.SPAWN)]
    links += [Link(1, 3, LinkKind.CONSUMES), Link(3, 4, LinkKind.JOIN), Link(2, 4, LinkKind.JOIN)]
    g = StepGraph(links)
    assert g.between(0, 4) == [1, 2, 3]
    assert g.concurrent(2, 3)


def test_more_pairs_than_fit_in_one_walk_are_ordered():
    g = graph(*((n, n + 1) for n in range(4_000)))
    pairs = [(n, n + 1) for n in range(4_000)] + [(4_000, n) for n in range(9)]
    assert g.ordered(pairs) == set(pairs[:4_000])


def test_an_actor_on_the_way_remembers_what_it_saw():
    steps = [make_step(n, actor) for n, actor in enumerate(["docs", "planner", "planner", "coder"])]
    links = (Link(0, 1, LinkKind.CONSUMES), Link(2, 3, LinkKind.HANDOFF))
    assert could_see(make_transcript(*steps, links=links), 3) == {0, 1, 2}


def test_a_tool_on_the_way_is_no_memory():
    steps = [make_step(n, actor) for n, actor in enumerate(["ann", "shell", "shell", "coder"])]
    actors = tuple(
        Actor(name, name, ActorKind.TOOL if name == "shell" else ActorKind.AGENT)
        for name in ("ann", "shell", "coder")
    )
    links = (Link(0, 1, LinkKind.CONSUMES), Link(2, 3, LinkKind.CONSUMES))
    run = make_transcript(*steps, links=links, actors=actors)
    assert could_see(run, 3) == {2}
    assert with_memory(run).concurrent(1, 2)


arrivals = st.lists(
    st.tuples(st.integers(0, 5), st.lists(st.integers(0, 11), max_size=3, unique=True)),
    min_size=1,
    max_size=12,
)


@settings(deadline=None)
@given(arrivals, st.randoms(use_true_random=False))
def test_steps_in_any_order_with_any_rings_give_one_acyclic_run(given_steps, chance):
    steps = [
        native_step(n, sequence=sequence, inputs=[f"s{i}" for i in inputs if i < len(given_steps)])
        for n, (sequence, inputs) in enumerate(given_steps)
    ]
    run = transcript_of(native_run(*steps))
    chance.shuffle(steps)
    again = transcript_of(native_run(*steps))
    assert (again.links, again.gaps) == (run.links, run.gaps)
    assert [s.source_id for s in again.steps] == [s.source_id for s in run.steps]
    assert all(link.source < link.target for link in run.links)
    lost = sum(i < len(steps) for _, inputs in given_steps for i in inputs) - sum(
        link.recorded for link in run.links
    )
    assert ("cycle" in kinds(run)) == (lost > 0)


def test_clocks_order_only_what_nothing_else_orders():
    early, late = "2026-11-24T09:00:00Z", "2026-11-24T10:00:00Z"
    linked = transcript_of(
        native_run(
            native_step(1, sequence=1, started_at=late),
            native_step(2, sequence=1, started_at=early, inputs=["s1"]),
            native_step(3, sequence=1, started_at=early),
        )
    )
    assert [step.source_id for step in linked.steps] == ["s3", "s1", "s2"]
    numbered = transcript_of(
        native_run(native_step(1, started_at=late), native_step(2, started_at=early))
    )
    assert [step.source_id for step in numbered.steps] == ["s1", "s2"]
    assert not any(link.recorded for link in numbered.links)


def test_every_question_about_fifty_thousand_steps_takes_less_than_a_second():
    count = 50_000
    steps = [make_step(n, f"a{n % 20}") for n in range(count)]
    links = [Link(n, n + 1, LinkKind.CONSUMES) for n in range(count - 1)]
    links += [Link(n, n + 7, LinkKind.HANDOFF) for n in range(0, count - 7, 3)]
    run, g = make_transcript(*steps, links=tuple(links)), StepGraph(links)
    questions = {
        "ancestors": lambda: g.ancestors(count - 1),
        "descendants": lambda: g.descendants(0),
        "concurrent": lambda: g.concurrent(1, count - 1),
        "path": lambda: g.path(0, count - 1),
        "could see": lambda: could_see(run, count - 1),
    }
    for name, question in questions.items():
        assert seconds_of(question) < 1, name

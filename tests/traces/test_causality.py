from hypothesis import given
from hypothesis import strategies as st

from tests.factories import make_step, make_transcript
from traces.causality import StepGraph, could_see
from traces.transcript import Link, LinkKind

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

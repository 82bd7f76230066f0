from hypothesis import given
from hypothesis import strategies as st

from traces.causality import StepGraph
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

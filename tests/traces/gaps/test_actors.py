from typing import Any

import pytest

from tests.factories import make_step, make_transcript
from tests.traces.gaps.pieces import found
from traces.gaps.actors import on_rings
from traces.transcript import Actor, ActorKind, Transcript


def of_actors(**fields: dict[str, Any]) -> Transcript:
    actors = [Actor(key, key, ActorKind.AGENT, **more) for key, more in fields.items()]
    return make_transcript(make_step(0, "a"), actors=tuple(actors))


@pytest.mark.parametrize("name", ["parent", "replaces"])
def test_an_actor_that_comes_of_nobody_on_record_is_found(name: str) -> None:
    assert found(of_actors(a={name: "gone"}), "missing_parent") == [None]
    assert found(of_actors(a={name: "b"}, b={}), "missing_parent") == []


@pytest.mark.parametrize("name", ["parent", "replaces"])
def test_actors_that_come_of_themselves_are_found(name: str) -> None:
    assert found(of_actors(a={name: "a"}), "actor_conflict") == [None]
    assert found(of_actors(a={name: "b"}, b={name: "a"}), "actor_conflict") == [None]
    assert found(of_actors(a={name: "b"}, b={}), "actor_conflict") == []


def test_only_who_is_on_a_ring_is_named() -> None:
    before = {"x": "a", "a": "b", "b": "c", "c": "a", "y": "x", "z": None, "w": "gone", "s": "s"}
    assert sorted(on_rings(before)) == ["a", "b", "c", "s"]

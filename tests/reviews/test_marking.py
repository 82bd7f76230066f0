from __future__ import annotations

from reviews.marking import MOST_ACTORS, blamable_actors
from tests.factories import make_step, make_transcript
from traces.transcript import Actor, ActorKind, Transcript

PLANNER = Actor("planner", "planner", ActorKind.AGENT)


def run_of(*actors: Actor) -> Transcript:
    """A run in which only the planner and the shell act."""
    return make_transcript(make_step(0, "planner"), make_step(1, "shell"), actors=actors)


def keys(run: Transcript, chosen: str = "") -> list[str]:
    acting = {step.actor for step in run.steps}
    return [actor.key for actor in blamable_actors(run.actors, acting, chosen)]


def test_who_acted_or_is_an_agent_can_be_blamed() -> None:
    shell = Actor("shell", "shell", ActorKind.TOOL)
    silent = Actor("silent", "silent", ActorKind.AGENT)
    unused = Actor("unused", "unused", ActorKind.TOOL)
    run = run_of(unused, PLANNER, shell, silent)
    assert keys(run) == ["planner", "shell", "silent"]
    assert keys(run, "nobody") == ["planner", "shell", "silent"]


def test_of_very_many_the_first_are_offered_and_who_is_chosen_already() -> None:
    many = [Actor(f"a{n}", "a", ActorKind.AGENT) for n in range(1000)]
    run = run_of(PLANNER, *many)
    assert keys(run) == ["planner", *(f"a{n}" for n in range(MOST_ACTORS - 1))]
    assert keys(run, "a5") == keys(run)
    assert keys(run, "a999") == [*keys(run), "a999"]

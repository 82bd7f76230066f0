from __future__ import annotations

import pytest
from django.urls import reverse

from tests.clients import signed_in
from tests.factories import make_project, make_run, make_step, make_transcript, make_user
from tests.traces.test_payload_store import MEMORY, TEXT, send
from traces import payload_store
from traces.models import Project, Run
from traces.transcript import Actor, ActorKind, Link, LinkKind, Part, PartKind

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def address() -> str:
    steps = (make_step(0, "docs", "status: RETIRED"), make_step(1, "planner", "It is retired."))
    run = make_run(make_project(), make_transcript(*steps))
    return reverse("attribution:values", args=["demo", run.pk])


def test_strangers_do_not_see_that_there_is_a_run(address: str) -> None:
    make_user("sam")
    assert signed_in("sam").get(address, {"text": "retired"}).status_code == 404


@pytest.mark.parametrize("text", ["", "x", "y" * 3000])
def test_what_cannot_be_looked_for_is_said(address: str, text: str) -> None:
    page = signed_in("vera").get(address, {"text": text})
    assert page.status_code == 200
    assert "Select between 2 and 2000 characters." in page.content.decode()


def test_the_earliest_step_is_named_first(address: str) -> None:
    page = signed_in("vera").get(address, {"text": "retired"}).content.decode()
    assert "in 2 steps, first at #0" in page
    assert page.index("#0 docs") < page.index("#1 planner")
    assert "in another spelling" in page


def test_a_script_gets_the_piece_alone(address: str) -> None:
    answer = signed_in("vera").get(address, {"text": "nothing"}, headers={"X-Inquest": "fragments"})
    assert answer["X-Inquest"] == "fragments"
    assert answer.content.decode().startswith('<section id="values"')
    assert "nowhere in this run" in answer.content.decode()


def test_the_steps_are_ticks_under_the_map(address: str) -> None:
    answer = signed_in("vera").get(address, {"text": "retired"}, headers={"X-Inquest": "fragments"})
    page = answer.content.decode()
    strip = page[page.index('<svg id="map-strip"') :]
    assert 'data-steps="0,1"' in strip
    assert "“retired”: first at #0, 2 steps" in strip
    assert 'href="?step=0#s0"' in strip
    whole = signed_in("vera").get(address, {"text": "retired"}).content.decode()
    assert f'href="{address.replace("values/", "")}?step=0#s0"' in whole


def test_the_queries_do_not_grow(address: str, django_assert_max_num_queries) -> None:
    client = signed_in("vera")
    with django_assert_max_num_queries(12):
        client.get(address, {"text": "retired"})


def test_what_is_not_before_the_selected_step_is_marked(address: str) -> None:
    """3 reads from 1, which reads from 0; 4 may follow on it, and 2 stands apart."""
    texts = ("is retired", "retired", "retired?", "retired.", "so: retired")
    links = (
        Link(0, 1, LinkKind.CONSUMES),
        Link(1, 3, LinkKind.CONSUMES),
        Link(3, 4, LinkKind.FOLLOWS, "order"),
    )
    steps = (make_step(n, "abcde"[n], text=text) for n, text in enumerate(texts))
    run = make_run(
        Project.objects.get(), make_transcript(*steps, links=links, external_id="linked")
    )
    linked = reverse("attribution:values", args=["demo", run.pk])
    answer = signed_in("vera").get(linked, {"text": "retired", "step": "3"})
    relations = [(row["number"], row["relation"]) for row in answer.context["steps"]]
    assert relations == [
        (0, "before"),
        (1, "before"),
        (2, "concurrent"),
        (3, "here"),
        (4, "perhaps_after"),
    ]
    page = answer.content.decode()
    assert page.count("not causally before #3") == 1
    assert "the selected step" in page
    assert "after #3 by memory or guess" in page


def test_what_an_actor_remembers_reached_its_step(address: str) -> None:
    """The page of step 2 says that it could see 0 and 1: so must this one."""
    steps = (
        make_step(0, "a", "QZX-7781"),
        make_step(1, "b", "QZX-7781"),
        make_step(2, "a", "QZX-7781"),
    )
    links = (Link(1, 2, LinkKind.CONSUMES),)
    run = make_run(Project.objects.get(), make_transcript(*steps, links=links, external_id="own"))
    own = reverse("attribution:values", args=["demo", run.pk])
    answer = signed_in("vera").get(own, {"text": "QZX-7781", "step": "2"})
    relations = [row["relation"] for row in answer.context["steps"]]
    assert relations == ["perhaps_before", "before", "here"]
    assert "before #2 by memory or guess" in answer.content.decode()


@pytest.mark.parametrize("step", ["", "-1", "9", "x", "²", "99999999999"])
def test_without_a_step_of_the_run_nothing_is_said_of_order(address: str, step: str) -> None:
    answer = signed_in("vera").get(address, {"text": "retired", "step": step})
    assert {row["relation"] for row in answer.context["steps"]} == {""}


def test_what_the_environment_put_in_was_observed() -> None:
    actors = (Actor("world", "world", ActorKind.ENVIRONMENT), Actor("a", "a", ActorKind.AGENT))
    steps = (
        make_step(0, "world", parts=(Part(PartKind.INPUT, "value 7,250"),)),
        make_step(1, "a", parts=(Part(PartKind.INPUT, "value 7250"),)),
    )
    run = make_run(make_project(), make_transcript(*steps, actors=actors))
    found = reverse("attribution:values", args=["demo", run.pk])
    answer = signed_in("vera").get(found, {"text": "7250"})
    assert [row["observed"] for row in answer.context["steps"]] == [True, False]


def test_the_whole_of_a_moved_text_is_searched() -> None:
    middle = "\n".join(f"row {n}" for n in range(20_000)).replace("row 9999\n", "answer 123,456\n")
    send(make_project(), "What is it?", middle, "It is 123456.")
    run = Run.objects.get()
    answer = signed_in("vera").get(
        reverse("attribution:values", args=["demo", run.pk]), {"text": "123456"}
    )
    first, second = answer.context["steps"]
    assert (first["payload"], first["exact"], second["payload"]) == (True, False, False)
    assert "in a payload" in answer.content.decode()
    assert answer.context["unread"] == 0


def test_payloads_that_cannot_be_read_are_counted(settings) -> None:
    settings.STORAGES = {**settings.STORAGES, **MEMORY}
    project = make_project()
    send(project, "found " + TEXT)
    run = Run.objects.get()
    payload_store.outside().delete(
        payload_store.name_of(project.pk, run.payload_uses.get().payload.sha256)
    )
    answer = signed_in("vera").get(
        reverse("attribution:values", args=["demo", run.pk]), {"text": "found"}
    )
    assert (answer.context["count"], answer.context["unread"]) == (1, 1)
    assert "1 payload could not be searched whole" in answer.content.decode()

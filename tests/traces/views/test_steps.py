"""One step as an auditor sees it."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from tests.clients import signed_in
from tests.factories import make_project, make_run, make_step, make_transcript, make_user
from tests.traces.audited import audited_run, huge_run
from tests.traces.test_payload_store import SHA, TEXT, send
from traces.models import Run
from traces.transcript import Gap, Link, LinkKind, Part, PartKind

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def address(run: Run, number: object, slug: str = "demo") -> str:
    return f"/p/{slug}/runs/{run.pk}/steps/{number}/"


def words_of(run: Run, number: int, **query: object) -> str:
    page = signed_in("vera").get(address(run, number), query).content.decode()
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", page)).replace(" ,", ",").replace(" .", ".")


def test_who_is_not_signed_in_is_sent_to_sign_in() -> None:
    run = audited_run()
    assert Client().get(address(run, 0)).url == f"/accounts/login/?next={address(run, 0)}"


def test_a_stranger_and_another_project_find_nothing() -> None:
    run = audited_run()
    make_project("other")
    make_user("sam")
    assert signed_in("sam").get(address(run, 0)).status_code == 404
    assert signed_in("lena").get(address(run, 0, "other")).status_code == 404
    assert signed_in("lena").get(f"/p/demo/runs/{uuid4()}/steps/0/").status_code == 404
    assert signed_in("lena").post(address(run, 0)).status_code == 405


@pytest.mark.parametrize("number", ["3", "99999999999999999999", "-1", "x", "²"])
def test_a_step_that_is_none_is_not_found(number: str) -> None:
    assert signed_in("lena").get(address(audited_run(), number)).status_code == 404


def test_who_acted_and_what_the_record_does_not_say_of_them() -> None:
    words = words_of(audited_run(), 2)
    for told in (
        "Step #2 coder, message", "Actor coder-2", "Replaces coder-1", "Model withheld",
        "Instance not captured", "Recorded not in schema", "Read from not recorded in",
    ):  # fmt: skip
        assert told in words, told
    assert "May plan" in words_of(Run.objects.get(), 0)


def test_attempts_are_told_from_both_ends() -> None:
    run = audited_run()
    again = words_of(run, 2)
    assert "Repeats #1. Ordered by harness." in again
    for words in (again, words_of(run, 1)):
        assert "#1 : attempt not numbered ( error ) #2 : attempt 2, ordered" in words
        assert "ordered because: rate limit" in words


def test_attempts_without_a_number_get_none() -> None:
    steps = (make_step(0), make_step(1))
    links = (Link(0, 1, LinkKind.RETRY_OF),)
    words = words_of(make_run(make_project(), make_transcript(*steps, links=links)), 1)
    assert words.count("attempt not numbered") == 2
    assert "attempt 1" not in words


def test_a_payload_is_told_with_the_length_of_the_whole() -> None:
    receipt = send(make_project(), TEXT)
    run = Run.objects.get(pk=receipt.made[0])
    words = words_of(run, 0)
    assert f"Payload: text/plain; charset=utf-8, {len(TEXT):,} bytes, sha256 {SHA[:12]}" in words
    assert re.search(f"Download {len(TEXT)} [0-9]+ here", words)
    page = signed_in("vera").get(address(run, 0)).content.decode()
    assert f'href="/p/demo/runs/{run.pk}/payloads/{SHA}/" download' in page


def test_a_payload_that_was_only_named_cannot_be_fetched() -> None:
    named = {"payloads": [{"sha256": "<b>\u202e", "media_type": "<i>", "size": "x"}, "no"]}
    step = make_step(0, parts=(Part(PartKind.MESSAGE, "short", named),))
    run = make_run(make_project(), make_transcript(step))
    words = words_of(run, 0)
    assert "&lt;i&gt;, size unknown, sha256 &lt;b&gt;⟨U+202E⟩ the bytes were not sent 5" in words


def test_an_attempt_that_names_no_other_is_told() -> None:
    step = make_step(0, attempt=3)
    words = words_of(make_run(make_project(), make_transcript(step)), 0)
    assert "attempt 3, no reason given ; what it repeats is not linked" in words


def test_inferred_inputs_are_marked_with_their_rule() -> None:
    run = audited_run()
    page = signed_in("vera").get(address(run, 2)).content.decode()
    assert '<tr class="guess">' in page
    assert "inferred: guessed" in page
    words = words_of(run, 2)
    assert "#1 coder-1 message retry of recorded" in words
    assert "can have led here ancestors, by any link 2 0 – 1" in words


def test_what_came_earlier_and_could_not_be_seen() -> None:
    steps = (make_step(0, "owner"), make_step(1, "a"), make_step(2, "b"))
    links = (Link(0, 1, LinkKind.CONSUMES), Link(0, 2, LinkKind.CONSUMES))
    words = words_of(make_run(make_project(), make_transcript(*steps, links=links)), 2)
    assert "it could see ancestors, and what its actor did or got before 1 0 " in words
    assert "it could not see though they came earlier: concurrent 1 1 " in words


def test_the_path_to_another_step_shows_each_link() -> None:
    words = words_of(audited_run(), 0, to="2")
    assert "From #0 to #2: 2 links, all recorded." in words
    assert words.index("#1 coder-1 message consumes recorded") < words.index("Content")


def test_a_path_with_a_guess_is_no_proof() -> None:
    steps = (make_step(0), make_step(1, "b"))
    link = Link(0, 1, LinkKind.FOLLOWS, "order")
    words = words_of(make_run(make_project(), make_transcript(*steps, links=(link,))), 1, to="#0")
    assert "1 link, 1 inferred, so this is no proof" in words


@pytest.mark.parametrize(
    ("to", "answer"),
    [
        ("0", "That is this step itself."),
        ("1", "No link leads from #0 to #1, recorded or inferred"),
        ("2", "Give a step number from 0 to 1."),
        ("x", "Give a step number from 0 to 1."),
        ("9" * 5000, "Give a step number from 0 to 1."),
        ("²", "Give a step number from 0 to 1."),
    ],
)
def test_other_questions_get_an_answer(to: str, answer: str) -> None:
    run = make_run(make_project(), make_transcript(make_step(0, "a"), make_step(1, "b")))
    assert answer in words_of(run, 0, to=to)


def test_gaps_and_states_of_the_step_are_told() -> None:
    words = words_of(audited_run(), 1)
    assert "Step without content : Nothing here." in words
    assert "started_at not captured" in words


def test_long_and_hostile_content_is_cut_and_marked() -> None:
    text = "<script>alert(1)</script>\u202e" + "x" * 1000
    parts = (Part(PartKind.TOOL_RESPONSE, text), Part(PartKind.MESSAGE, ""))
    gap = Gap("<b>", "<script>alert(2)</script>", 0)
    step = make_step(0, "<script>", parts=parts, attempt=2, attempt_reason="<script>alert(3)")
    run = make_run(make_project(), make_transcript(step, gaps=(gap,)))
    page = signed_in("vera").get(address(run, 0)).content.decode()
    assert "<script>alert" not in page
    assert "\u202e" not in page
    assert len(page) < 20_000
    assert "no text" in page


def test_the_page_of_a_step_in_a_very_long_run_is_small() -> None:
    run = huge_run(20_000, kinds=2, gaps=10)
    client = signed_in("vera")
    with CaptureQueriesContext(
        connection,
    ) as queries:
        page = client.get(address(run, 10_000), {"to": 0})
    assert len(page.content) < 40_000
    assert len(queries) == 10
    assert "9970 more links" in page.content.decode()


@pytest.mark.parametrize("count", [1, 3])
def test_it_takes_as_many_queries_for_three_steps_as_for_one(
    count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    steps = [make_step(n, f"actor-{n}") for n in range(count)]
    links = tuple(Link(n, n + 1, LinkKind.CONSUMES) for n in range(count - 1))
    run = make_run(make_project(), make_transcript(*steps, links=links))
    client = signed_in("vera")
    with django_assert_num_queries(10):
        client.get(address(run, 0))

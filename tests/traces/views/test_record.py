"""What a record cannot show: members only, everything told, bounded however long the run is."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from tests.clients import ids_of, signed_in
from tests.factories import AT, make_project, make_run, make_step, make_transcript, make_user
from tests.traces.audited import PAYLOAD, audited_run, huge_run, redact
from tests.traces.test_replacing import ADDRESS as MAIL_ADDRESS
from tests.traces.test_replacing import MAIL, apply, put, send
from traces.models import Quarantine, RawDocument, Run
from traces.transcript import Actor, ActorKind, Gap, Outcome

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def address(run: Run, slug: str = "demo") -> str:
    return f"/p/{slug}/runs/{run.pk}/record/"


def page_of(run: Run, name: str = "vera") -> str:
    page = signed_in(name).get(address(run)).content.decode()
    return re.sub(r"\s+", " ", page)


def words_of(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", page)).replace(" ,", ",")


def test_who_is_not_signed_in_is_sent_to_sign_in() -> None:
    run = audited_run()
    assert Client().get(address(run)).url == f"/accounts/login/?next={address(run)}"


def test_a_stranger_and_another_project_find_nothing() -> None:
    run = audited_run()
    make_project("other")
    make_user("sam")
    for tail in ("", "gaps/?kind=no_times"):
        assert signed_in("sam").get(address(run) + tail).status_code == 404
        assert signed_in("lena").get(address(run, "other") + tail).status_code == 404
    assert signed_in("lena").get(f"/p/demo/runs/{uuid4()}/record/").status_code == 404
    assert signed_in("lena").post(address(run)).status_code == 405


def test_a_run_set_aside_for_personal_data_opens_for_leads_only() -> None:
    run = audited_run()
    Quarantine.objects.create(
        run=run, status="in_force", reason="personal_data", owner=make_user("lena"), decided_at=AT
    )
    assert signed_in("ada").get(address(run)).status_code == 403
    assert signed_in("lena").get(address(run)).status_code == 200


def test_gaps_say_what_they_mean_and_where_they_are() -> None:
    page = page_of(audited_run())
    assert {"gaps", "capture", "withheld", "actors", "relations", "identity"} <= ids_of(
        page.encode()
    )
    assert "gap-no_times" in ids_of(page.encode())
    for words in (
        "Step without content", "Switch content capture on for every step.", "Nothing here.",
        '<a href="../?step=1#s1">#1</a>', "No step has a time.",
    ):  # fmt: skip
        assert words in page, words


def test_a_kind_that_nobody_explains_shows_its_own_words() -> None:
    gaps = (Gap("new kind/é", "Unheard <b>of</b>\u202e."),)
    run = make_run(make_project(), make_transcript(make_step(0), gaps=gaps))
    page = page_of(run)
    assert "Unheard &lt;b&gt;of&lt;/b&gt;⟨U+202E⟩." in page
    assert "new kind/é" in page


def test_without_a_gap_the_page_says_so() -> None:
    page = page_of(make_run(make_project(), make_transcript(make_step(0))))
    for words in (
        "No gap was found.",
        "Nothing was withheld. What is missing was not captured, or is damaged",
        "The record names no parent run", "Nobody says it; the outcome is failed.",
        "None: all content sits in the steps.",
    ):  # fmt: skip
        assert words in page, words


def test_states_are_counted_per_field_and_told_apart() -> None:
    words = words_of(page_of(audited_run()))
    assert "run closed_at not in schema 1 1" in words
    assert "actors model withheld 1 4" in words
    assert "steps recorded_at not in schema 3 3" in words
    assert "steps started_at not captured 1 3 1 " in words
    for state in ("absent", "not captured", "not in schema", "withheld", "damaged"):
        assert f"{state} It " in words or f"{state} The " in words, state


def test_fields_in_the_same_state_share_a_row() -> None:
    capture = {"steps/a": "not_in_schema", "steps/b": "not_in_schema"}
    run = make_run(make_project(), make_transcript(make_step(0), capture=capture))
    assert "steps a, b not in schema 1 1" in words_of(page_of(run))


def test_instances_of_a_role_are_kept_apart_and_no_cell_is_empty() -> None:
    page = page_of(audited_run())
    table = page.split('id="actors"')[1].split("</table>")[0]
    words = words_of(table)
    assert "coder agent, 2 instances coder-1 c/1" in words
    assert "coder-2 instance not captured replaces coder-1 withheld" in words
    assert "planner p/1 large-7 sha256:c0ffee plan not captured 1 0 0" in words
    assert "idle instance not captured" in words
    assert "0 no step" in words
    assert table.count("<td></td>") == 1  # the role's name stands above


def test_the_expected_answer_is_withheld_and_never_shown() -> None:
    for name in ("vera", "lena"):
        page = page_of(audited_run() if name == "vera" else Run.objects.get(), name)
        assert "They are withheld from reviewers" in page
        assert "THE ANSWER" not in page


def test_what_the_source_withheld_is_counted_and_listed() -> None:
    page = page_of(audited_run())
    # The expected answer, and the model of one of four actors.
    assert "<b>2</b> withheld" in page
    words = words_of(page.split('id="withheld"')[1].split("</table>")[0])
    assert "actors model 1 4" in words
    assert "Nothing was withheld" not in page


def test_what_a_structure_says_it_withheld_is_counted_too() -> None:
    system = {"name": "harbour", "capture": {"version": "withheld", "prompt": "absent"}}
    capture = {"task_id": "withheld", "steps/tool": "withheld", "initial_state": "withheld"}
    steps = (make_step(0, capture={"started_at": "withheld"}), make_step(1))
    transcript = make_transcript(*steps, system=system, capture=capture)
    page = page_of(make_run(make_project(), transcript))
    # A field of the system, two of the run, one of both steps, one of a single step.
    assert "<b>6</b> withheld" in page
    words = words_of(page.split('id="withheld"')[1].split("</table>")[0])
    for row in (
        "run System version 1 1", "run task_id 1 1", "run initial_state 1 1", "steps tool 2 2",
        "steps started_at 1 2 0",
    ):  # fmt: skip
        assert row in words, row
    assert "prompt" not in words


def test_what_was_taken_out_has_its_receipt() -> None:
    run = audited_run()
    redact(run)
    words = words_of(page_of(run))
    assert "by version 3 of the project's policy" in words.replace("&#x27;", "'")
    assert "emails EMAIL redact steps/text 2 [EMAIL-3] 17 characters, 2 times f00df00d" in words
    assert "Nothing was withheld" not in words


def replaced_run() -> tuple[Run, Run]:
    """A run whose document was stored before the policy that was applied to it, and the copy's."""
    project = make_project()
    send(project, f"write to {MAIL_ADDRESS}")
    put(project, MAIL)
    apply(RawDocument.objects.get())
    old = Run.objects.get(quarantines__status="in_force")
    return old, Run.objects.exclude(pk=old.pk).get()


def test_a_policy_applied_later_is_told_apart_from_one_at_the_door() -> None:
    _, new = replaced_run()
    words = words_of(page_of(new)).replace("&#x27;", "'")
    assert "Version 1 of the project's policy was applied later, to what was stored" in words
    assert "at the door" not in words


def test_what_came_through_the_door_says_so() -> None:
    project = make_project()
    put(project, MAIL)
    send(project, f"write to {MAIL_ADDRESS}")
    words = words_of(page_of(Run.objects.get()))
    assert "Taken out of the document at the door by version 1" in words
    assert "the original is not kept" in words


def test_the_original_of_a_copy_is_linked_for_leads() -> None:
    old, new = replaced_run()
    link = f'href="/p/demo/documents/{old.document.sha256}/"'
    for name, linked in (("vera", False), ("lena", True)):
        page = page_of(new, name)
        assert "still stored beside the redacted copy" in page
        assert (link in page) is linked


def test_a_replacement_names_the_run_it_replaces() -> None:
    old, new = replaced_run()
    client = signed_in("vera")
    for place in (address(new), f"/p/demo/runs/{new.pk}/"):
        page = client.get(place).content.decode()
        assert f'replaces <a href="/p/demo/runs/{old.pk}/">{old.external_id}</a>' in page
    Quarantine.objects.update(status="dismissed")
    assert "replaces <a" not in client.get(address(new)).content.decode()


def test_payloads_are_listed_with_their_steps() -> None:
    page = page_of(audited_run())
    assert f'href="/p/demo/runs/{Run.objects.get().pk}/payloads/{PAYLOAD}/"' in page
    assert "text/plain 68.4" in words_of(page).replace("\xa0", " ")


def test_relatives_are_linked_and_this_run_is_among_its_attempts() -> None:
    project = make_project()
    retry = {"parent_run": "first", "parent_relation": "retry"}
    first = make_run(project, make_transcript(make_step(0), external_id="first"))
    second = make_run(
        project, make_transcript(make_step(0), external_id="second", attempt=2, **retry)
    )
    third = make_run(
        project,
        make_transcript(
            make_step(0), external_id="third", attempt=3, outcome=Outcome.SUCCEEDED, **retry
        ),
    )
    page = page_of(third)
    for run in (first, second):
        assert f'href="{address(run)}"' in page
    words = words_of(page.split('id="relations"')[1].split("</table>")[0])
    assert "parent first" in words
    assert "same parent second retry 2 no reason given failed" in words
    assert "this run third retry 3" in words


def test_digests_of_what_is_stored_and_of_what_was_sent() -> None:
    run = audited_run()
    page = page_of(run)
    assert run.sha256 in page
    assert run.document.sha256 in page
    assert "the same: nothing was taken out before it was stored" in page
    assert "System configuration coder</dt><dd>sha256:beef" in page


def test_hostile_names_are_shown_as_text() -> None:
    evil = "<script>alert(1)</script>\u202e"
    actors = (Actor(evil, evil, ActorKind.AGENT, model=evil, authority=(evil,)),)
    transcript = make_transcript(
        make_step(0, evil), actors=actors, system={evil: evil}, capture={evil: "absent"},
        external_id=evil, parent_run=evil, attempt_reason=evil, gaps=(Gap(evil, evil),),
    )  # fmt: skip
    page = page_of(make_run(make_project(), transcript))
    assert "<script>alert" not in page
    assert "\u202e" not in page
    assert "&amp;lt;" not in page


def test_many_gaps_of_a_kind_are_folded_and_all_are_reachable() -> None:
    run = huge_run(400, kinds=1, gaps=130)
    client = signed_in("vera")
    page = client.get(address(run)).content.decode()
    assert "110 more steps" in page
    assert "and 80 beyond" in page
    seen: set[str] = set()
    following = f"{address(run)}gaps/?kind=kind_0"
    while following:
        answer = client.get(following)
        seen |= set(re.findall(r"It refers to s(\d+)\.", answer.content.decode()))
        past = answer.context["next"]
        following = f"{address(run)}gaps/?kind=kind_0&past={past}" if past else ""
    assert len(seen) == 130


def test_gaps_come_in_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("traces.views.record.GAPS_ON_PAGE", 3)
    run = huge_run(400, kinds=1, gaps=7)
    client, past, sizes = signed_in("vera"), "", []
    while past is not None:
        answer = client.get(f"{address(run)}gaps/", {"kind": "kind_0", "past": past})
        sizes.append(len(answer.context["gaps"]))
        past = answer.context["next"]
    assert sizes == [3, 3, 1]


@pytest.mark.parametrize("query", ["?kind=nothing", "?kind=%00x", "?kind=no_times&past=x²"])
def test_gaps_of_no_kind_are_none(query: str) -> None:
    run = audited_run()
    assert signed_in("vera").get(f"{address(run)}gaps/{query}").status_code == 200


@pytest.mark.parametrize("query", ["", "?kind=", "?kind=%00"])
def test_gaps_without_a_kind_lead_to_the_record(query: str) -> None:
    run = audited_run()
    answer = signed_in("vera").get(f"{address(run)}gaps/{query}")
    assert (answer.status_code, answer["Location"]) == (302, address(run))


def test_where_no_state_is_told_there_is_no_legend() -> None:
    page = page_of(make_run(make_project(), make_transcript(make_step(0))))
    assert "The record states of no field why it is empty" in page
    assert 'class="columns"' not in page


def test_the_page_of_a_very_long_run_is_small(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    run = huge_run(50_000, kinds=40, gaps=100_000)
    client = signed_in("lena")
    with django_assert_max_num_queries(12):
        content = client.get(address(run)).content
    assert len(content) <= 300_000
    assert "steps started_at not captured 25000 50000" in words_of(content.decode())


@pytest.mark.parametrize("count", [1, 3])
def test_it_takes_as_many_queries_for_three_gaps_as_for_one(
    count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    gaps = tuple(Gap(f"kind_{n}", "gone", 0) for n in range(count))
    run = make_run(make_project(), make_transcript(make_step(0), gaps=gaps))
    client = signed_in("vera")
    with django_assert_num_queries(11):
        client.get(address(run))

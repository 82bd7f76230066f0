"""Raw records: who may not see them first, then what became of each, and each as it stands."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from tests.clients import signed_in
from tests.factories import AT, make_project, make_run, make_step, make_transcript, make_user
from tests.traces.formats.native_runs import native_run, native_step
from tests.traces.formats.test_whowhen import algorithm_generated
from tests.traces.listed import listed
from tests.traces.test_replacing import ADDRESS, MAIL, put
from traces import ingest
from traces.models import Project, Quarantine, Receipt, Run
from traces.transcript import Fate, RawRecord

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def address(run: Run, tail: str = "raw/", slug: str = "demo") -> str:
    return f"/p/{slug}/runs/{run.pk}/{tail}"


def words_of(content: bytes) -> str:
    page = re.sub("<[^>]+>", " ", content.decode())
    return re.sub(r"\s+", " ", page).replace("&quot;", '"')


def take(project: Project, value: Any) -> Run:
    receipt = ingest.ingest(
        project=project,
        content=json.dumps(value).encode(),
        filename="a.json",
        via=Receipt.Via.API,
        by=None,
        at=AT,
    )
    return Run.objects.get(pk=receipt.made[0])


@pytest.mark.parametrize("tail", ["raw/", "record/raw/"])
def test_strangers_and_other_projects_find_nothing(tail: str) -> None:
    run = take(make_project(), native_run())
    make_project("other")
    make_user("sam")
    assert Client().get(address(run, tail)).status_code == 302
    assert signed_in("sam").get(address(run, tail)).status_code == 404
    assert signed_in("lena").get(address(run, tail, "other")).status_code == 404
    assert signed_in("lena").post(address(run, tail)).status_code == 405


@pytest.mark.parametrize(("name", "status"), [("vera", 403), ("ada", 403), ("lena", 200)])
def test_a_record_beside_labels_is_for_leads_as_its_document_is(name: str, status: int) -> None:
    run = take(make_project(), algorithm_generated())
    for pointer in ("/history/0", "/mistake_reason"):
        assert signed_in(name).get(address(run), {"at": pointer}).status_code == status


@pytest.mark.parametrize(("name", "status"), [("ada", 403), ("lena", 200)])
def test_a_run_closed_for_personal_data_is_for_leads(name: str, status: int) -> None:
    run = take(make_project(), native_run())
    Quarantine.objects.create(
        run=run, status="in_force", reason="personal_data", owner=make_user("lena"), decided_at=AT
    )
    for tail in ("raw/", "record/raw/"):
        assert signed_in(name).get(address(run, tail)).status_code == status


@pytest.mark.parametrize("pointer", ["/steps/99", "line 4", "nonsense", "/" * 5000])
def test_a_pointer_to_nothing_is_a_sentence(pointer: str) -> None:
    answer = signed_in("vera").get(address(take(make_project(), native_run())), {"at": pointer})
    assert answer.status_code == 404
    assert b"The pointer leads nowhere in the stored document." in answer.content


def test_a_step_leads_to_the_record_it_was_read_from() -> None:
    hostile = "<script>alert(1)</script>\u202e"
    steps = [native_step(1), native_step(2, {"type": "message", "text": hostile})]
    run = take(make_project(), native_run(*steps))
    client = signed_in("vera")
    page = client.get(address(run, "steps/1/")).content.decode()
    (link,) = re.findall(r'href="([^"]*/raw/[^"]*)"', page)
    assert link == address(run, "raw/?at=%2Fsteps%2F1")
    content = client.get(link).content.decode()
    assert "<script>alert" not in content
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in content
    assert ">U+202E</span>" in content
    assert '"id": "s2"' in words_of(content.encode())
    assert '"id": "s1"' not in words_of(content.encode())


def test_what_is_withheld_is_a_placeholder_in_the_record_too() -> None:
    project = make_project()
    put(project, MAIL)
    step = native_step(1, {"type": "message", "text": f"Write to {ADDRESS}."})
    run = take(project, native_run(step))
    content = signed_in("vera").get(address(run), {"at": "/steps/0"}).content
    assert b"[EMAIL-1]" in content
    assert ADDRESS.encode() not in content


def test_a_long_record_is_cut_and_says_so() -> None:
    step = native_step(1, {"type": "message", "text": "x" * 60_000})
    run = take(make_project(), native_run(step))
    content = signed_in("vera").get(address(run), {"at": "/steps/0"}).content
    assert len(content) < 40_000
    assert re.search(r"and 40\d\d\d more characters", content.decode())


def test_a_step_tells_all_records_it_stands_on() -> None:
    run = make_run(make_project(), listed())
    page = signed_in("vera").get(address(run, "steps/1/")).content.decode()
    assert re.findall(r"raw/\?at=([^\"]*)", page) == ["line%202%2Fmessage", "line%203"]


def test_what_became_of_records_is_on_the_page_of_the_record() -> None:
    run = make_run(make_project(), listed())
    content = signed_in("vera").get(address(run, "record/")).content
    words = words_of(content)
    for told in (
        "3 records became the 2 steps.", "8 raw records", "container 1 It holds other",
        "unmapped 3 Nothing here knows what it means: only the raw document has it."
        " telemetry 2 , (no name) 1",
        "folded 1 It says again", "4 sent again 1 split", "9 usage/cost 2 id",
    ):  # fmt: skip
        assert told in words, told
    assert "not listed by this format" not in words


def test_a_format_that_lists_nothing_is_not_said_to_have_lost_nothing() -> None:
    run = make_run(make_project(), make_transcript(make_step(0)))
    words = words_of(signed_in("vera").get(address(run, "record/")).content)
    raw = words.split("what became of each record of the source")[1].split("Identity")[0]
    assert "Which records the steps were read from is not listed by this format." in raw
    assert "Records that are no steps are not listed by this format." in raw
    assert "Nothing came twice" not in raw
    assert "None" not in raw
    content = signed_in("vera").get(address(run, "record/raw/")).content
    assert b"format lists no records that are no steps" in content


def test_the_list_is_filtered_by_fate() -> None:
    run = make_run(make_project(), listed())
    client = signed_in("vera")

    def shown(**query: str) -> list[str]:
        content = client.get(address(run, "record/raw/"), query).content.decode()
        return re.findall(r"raw/\?at=line%20(\d)", content)

    assert shown() == ["4", "5", "6", "7", "8"]
    assert shown(fate="unmapped") == ["5", "7", "8"]
    assert shown(fate="context") == []
    assert shown(fate="nonsense") == shown(past="x") == shown()


def test_a_long_list_is_paged_by_place() -> None:
    records = tuple(RawRecord(f"/{n}", Fate.UNMAPPED, "x" * 200) for n in range(450))
    run = make_run(make_project(), make_transcript(records=records))
    client = signed_in("vera")
    pages, query = [], "?fate=unmapped"
    while query:
        content = client.get(address(run, "record/raw/") + query).content.decode()
        pages.append(re.findall(r"raw/\?at=%2F(\d+)", content))
        found = re.search(r'href="(\?[^"]*past=[^"]*)">Next', content)
        query = found[1].replace("&amp;", "&") if found else ""
    assert [len(page) for page in pages] == [200, 200, 50]
    assert [int(each) for page in pages for each in page] == list(range(450))


@pytest.mark.parametrize("count", [1, 3])
def test_queries(count: int, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    records = tuple(RawRecord(f"/{n}", Fate.UNMAPPED) for n in range(count))
    run = make_run(make_project(), make_transcript(records=records))
    client = signed_in("vera")
    with django_assert_num_queries(6):
        client.get(address(run, "record/raw/"))

"""What becomes of cases, leases and drafts when their run is read anew."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from reviews import assignment, drafts, quoting
from reviews.models import Case, Draft, Slot
from tests.clients import address, signed_in, told
from tests.factories import AT, make_project
from tests.reviews.scenes import case_of, make_candidate, make_policy, sign, user
from tests.traces.diaries import Diary, diary, installed
from tests.traces.test_renewing import take
from traces import audit, reading
from traces.models import AuditEntry, Project, Receipt, Run

pytestmark = [pytest.mark.django_db, pytest.mark.database]

TEXT = "The v1 interface is simpler. Use POST /v1/invoices."
DAYS = ("mon", "owner", "Go."), ("tue", "planner", TEXT), ("wed", "verifier", "410 Gone")
FINDING: dict[str, Any] = {"exposing_step": 2, "carriers": ()}


@pytest.fixture
def mapper(monkeypatch: pytest.MonkeyPatch) -> Iterator[Diary]:
    with installed(monkeypatch) as format_:
        yield format_


class Desk:
    """Ada at work on the case of a diary: her draft names the planner at #1."""

    def __init__(self, project: Project) -> None:
        make_policy(project)
        take(project, diary(*DAYS))
        self.project, self.case = project, case_of(Run.objects.get())
        self.slot: Slot = assignment.take(case=self.case, reviewer=user("ada"), at=AT)
        held = {"slot_id": self.slot.pk, "token": self.slot.token, "at": AT}
        run = reading.transcript_of(self.case.run)
        for number, purpose in ((1, "decisive"), (2, "exposing"), (0, "alternative")):
            step = run.steps[number]
            drafts.mark(step=step, actor=run.actor_of(step), purpose=purpose, **held)
        drafts.cite(quote=quoting.exact_quote(run.steps[1], 0, 29, 51), **held)
        drafts.write(changes={"note": "Wrong version."}, **held)

    def again(self, **fields: Any) -> Receipt:
        return take(self.project, diary(*DAYS, **fields))

    @property
    def fields(self) -> dict[str, Any]:
        return Draft.objects.get().fields


@pytest.fixture
def desk(mapper: Diary) -> Desk:
    return Desk(make_project())


def test_a_better_mapper_keeps_what_the_reviewer_marked(desk: Desk, mapper: Diary) -> None:
    mapper.version = "2"
    desk.again()
    fields = desk.fields
    assert (fields["decisive_step"], fields["exposing_step"]) == (2, 3)
    assert [row["step"] for row in fields["alternatives"]] == [1]
    (quote,) = fields["evidence"]
    assert (quote["step"], quote["purpose"]) == (2, "origin")
    text = reading.transcript_of(Run.objects.get()).steps[2].parts[quote["part"]].text
    assert text[quote["start"] : quote["end"]] == quote["text"] == "Use POST /v1/invoices."
    assert fields["note"] == "Wrong version."
    assert fields["renewed"] == {"revision": 1, "at": AT.isoformat(), "lost": []}
    case = Case.objects.get()
    assert (case.pk, case.failure.exposed_by) == (desk.case.pk, 3)


def test_marks_that_are_lost_are_told_until_they_are_seen(desk: Desk, mapper: Diary) -> None:
    mapper.version = "2"
    mapper.edits = {"tue": "Use v2."}
    desk.again()
    assert desk.fields["evidence"] == []
    assert desk.fields["decisive_step"] == 2
    client = signed_in("ada")
    page = client.get(desk.case.get_absolute_url()).content.decode()
    assert "The run was read anew" in page
    assert "Use POST /v1/invoices." in page
    slot = Slot.objects.get()
    client.post(address("write-draft", desk.case), {"token": slot.token, "seen": "yes"})
    page = client.get(desk.case.get_absolute_url()).content.decode()
    assert "The run was read anew" not in page


def test_a_page_of_the_earlier_reading_marks_nothing(desk: Desk, mapper: Diary) -> None:
    mapper.version = "2"
    desk.again()
    before = desk.fields
    with pytest.raises(assignment.NotYourLease):
        drafts.unmark(
            slot_id=desk.slot.pk, token=str(desk.slot.token), step=2, purpose="decisive", at=AT
        )
    # Also once the page's token is the new one: changes may wait in a browser for long.
    client, slot = signed_in("ada"), Slot.objects.get()
    sent = {"token": slot.token, "step": 0, "purpose": "decisive", "reading": 0}
    response = client.post(address("mark", desk.case), sent)
    assert told(response)[-1].startswith("The run was read anew since this page was drawn")
    assert desk.fields == before
    client.post(address("mark", desk.case), sent | {"reading": 1})
    assert desk.fields["decisive_step"] == 0


def test_more_at_the_end_leaves_pages_open(desk: Desk) -> None:
    take(desk.project, diary(*DAYS, ("thu", "owner", "Oh.")))
    slot = Slot.objects.get()
    assert slot.token == desk.slot.token
    assert desk.fields["decisive_step"] == 1
    assert desk.fields["renewed"]["revision"] == 1


def test_that_marks_were_carried_is_recorded(desk: Desk, mapper: Diary) -> None:
    mapper.version = "2"
    desk.again()
    entry = AuditEntry.objects.get(action="case.marks_carried")
    assert entry.data == {"revision": 1, "lost": 0}
    assert list(audit.faults()) == []


def test_a_candidate_of_the_earlier_reading_is_no_longer_chosen(desk: Desk) -> None:
    candidate = make_candidate(desk.case.run)
    actor = reading.transcript_of(desk.case.run).actor_by_key["planner"]
    drafts.start_from(
        slot_id=desk.slot.pk, token=str(desk.slot.token), candidate=candidate, actor=actor, at=AT
    )
    take(desk.project, diary(*DAYS, ("thu", "owner", "Oh.")))
    assert desk.fields["candidate"] == ""
    assert [each["what"] for each in desk.fields["renewed"]["lost"]] == [
        "candidate you started from"
    ]


def test_a_run_with_a_signed_claim_stays_as_it_was_judged(desk: Desk, mapper: Diary) -> None:
    sign(desk.case, "ada", **FINDING)
    before = reading.transcript_of(Run.objects.get())
    late = take(desk.project, diary(*DAYS, ("thu", "owner", "Oh.")))
    mapper.version = "2"
    again = desk.again()
    run = Run.objects.get()
    assert reading.transcript_of(run).steps == before.steps
    assert (run.revision, run.gaps.filter(kind="late_records").count()) == (0, 1)
    assert late.notes[0].endswith("a claim on it is signed.")
    assert again.notes == [
        "d-1 stays as the earlier reader (diary@1) read it: a claim on it is signed."
    ]


def test_a_claim_unresolved_keeps_the_run_as_well(desk: Desk) -> None:
    sign(desk.case, "ada", "unresolved")
    take(desk.project, diary(*DAYS, ("thu", "owner", "Oh.")))
    assert Run.objects.get().revision == 0


def test_a_failure_that_more_shows_gets_its_case(mapper: Diary) -> None:
    project = make_project()
    make_policy(project)
    take(project, diary(*DAYS, failed=False))
    assert not Case.objects.exists()
    take(project, diary(*DAYS))
    assert case_of(Run.objects.get()).status == Case.Status.OPEN

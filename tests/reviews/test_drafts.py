from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection

from attribution.models import Candidate
from reviews import adjudication, assignment, drafts, quoting
from reviews.assignment import NotYourLease
from reviews.models import Draft, Slot
from tests.factories import AT
from tests.reviews.scenes import QUOTE, finding, make_candidate, make_scene, user
from traces import reading
from traces.transcript import Actor, ActorKind, Transcript


class Desk:
    """Ada at work on the scene's case: each method is one change, its answer the fields then."""

    def __init__(self) -> None:
        self.case = make_scene()
        self.slot: Slot = assignment.take(case=self.case, reviewer=user("ada"), at=AT)
        self.transcript: Transcript = reading.transcript_of(self.case.run)

    def do(self, verb: Callable[..., Draft], **given: Any) -> dict[str, Any]:
        arguments = {"slot_id": self.slot.pk, "token": self.slot.token, "at": AT} | given
        return verb(**arguments).fields

    def write(self, **changes: Any) -> dict[str, Any]:
        return self.do(drafts.write, changes=changes)

    def mark(self, number: int, purpose: str) -> dict[str, Any]:
        step = self.transcript.steps[number]
        actor = self.transcript.actor_of(step)
        return self.do(drafts.mark, step=step, actor=actor, purpose=purpose)

    def unmark(self, number: int, purpose: str) -> dict[str, Any]:
        return self.do(drafts.unmark, step=number, purpose=purpose)

    def cite(self, number: int, start: int, end: int) -> dict[str, Any]:
        quote = quoting.exact_quote(self.transcript.steps[number], 0, start, end)
        return self.do(drafts.cite, quote=quote)

    def start_from(self, candidate: Candidate) -> dict[str, Any]:
        actor = self.transcript.actor_by_key[candidate.actor]
        return self.do(drafts.start_from, candidate=candidate, actor=actor)


@pytest.fixture
def desk(db: None) -> Desk:
    return Desk()


def purposes(fields: dict[str, Any]) -> list[tuple[int, str]]:
    return [(quote["step"], quote["purpose"]) for quote in fields["evidence"]]


@pytest.mark.database
@pytest.mark.parametrize(
    ("verb", "given"),
    [
        (drafts.write, {"changes": {"note": "x"}}),
        (drafts.annotate, {"list_name": "misses", "step": 1, "value": "1"}),
        (drafts.unmark, {"step": 1, "purpose": "decisive"}),
        (drafts.cite, {"quote": QUOTE}),
        (drafts.uncite, {"anchor": (1, 0, 29, 51)}),
        (drafts.set_candidate_aside, {}),
    ],
)
def test_a_change_needs_the_token_of_a_lease_that_is_not_answered(
    desk: Desk, verb: Callable[..., Draft], given: dict[str, Any]
) -> None:
    for token in (uuid4(), "", "no token"):
        with pytest.raises(NotYourLease, match="Your lease ended"):
            desk.do(verb, token=token, **given)
    adjudication.sign_claim(
        case=desk.case,
        reviewer=user("ada"),
        token=desk.slot.token or "",
        finding=finding(),
        outcome="attributed",
        at=AT,
    )
    with pytest.raises(NotYourLease, match="You have signed this claim"):
        desk.do(verb, **given)
    assert not Draft.objects.exists()


@pytest.mark.database
def test_fields_are_merged_and_each_change_is_a_revision(desk: Desk) -> None:
    desk.write(note="First.", confidence="low")
    desk.write(state_change="plan: v1", confidence="high")
    draft = Draft.objects.get()
    assert draft.fields == {
        "note": "First.",
        "confidence": "high",
        "state_change": "plan: v1",
        "evidence": [],
    }
    assert (draft.revision, draft.reviewer, draft.case) == (2, user("ada"), desk.case)


@pytest.mark.database
def test_a_stale_page_adds_to_what_another_tab_wrote(desk: Desk) -> None:
    """Both tabs were opened on an empty draft; each sends only what it touched."""
    desk.write(note="From one tab.")
    desk.mark(1, "decisive")
    desk.write(state_change="From the other tab.")
    fields = desk.mark(3, "exposing")
    assert (fields["note"], fields["state_change"]) == ("From one tab.", "From the other tab.")
    assert (fields["decisive_step"], fields["exposing_step"]) == (1, 3)


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_writers_at_the_same_moment_lose_nothing() -> None:
    desk = Desk()

    def write_many(name: str) -> None:
        try:
            for number in range(10):
                desk.write(**{name: f"{number}"})
                desk.mark(1 if name == "note" else 3, "carrier")
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(write_many, ("note", "state_change", "missing_observation")))
    draft = Draft.objects.get()
    assert draft.revision == 60
    assert draft.fields == {
        "note": "9",
        "state_change": "9",
        "missing_observation": "9",
        "carriers": [1, 3],
        "evidence": [],
    }


@pytest.mark.database
def test_only_known_fields_are_written(desk: Desk) -> None:
    fields = desk.write(
        csrfmiddlewaretoken="x", decisive_step=1, evidence=[{}], reviewer=7, note="kept"
    )
    assert fields == {"note": "kept", "evidence": []}


@pytest.mark.database
def test_what_postgres_cannot_hold_is_left_out_and_line_ends_are_plain(desk: Desk) -> None:
    fields = desk.write(note="a\0b\ud800c\r\nd", category="1" * 5000, phase="⁵")
    assert fields["note"] == "abc\nd"
    desk.mark(2, "alternative")
    fields = desk.do(
        drafts.annotate, list_name="alternatives", step=2, value="late\0\udfff\r\nreader"
    )
    assert fields["alternatives"] == [{"step": 2, "rejected_because": "late\nreader"}]


@pytest.mark.database
def test_a_long_text_is_kept_whole(desk: Desk) -> None:
    text = "é" * 100_000
    assert desk.write(note=text)["note"] == text
    assert Draft.objects.get().fields["note"] == text


@pytest.mark.database
def test_the_decisive_step_names_its_actor(desk: Desk) -> None:
    fields = desk.mark(1, "decisive")
    assert (fields["decisive_step"], fields["responsible"]) == (1, "actor")
    assert fields["actor"] == "planner"
    fields = desk.mark(2, "decisive")
    assert (fields["decisive_step"], fields["actor"]) == (2, "coder")


@pytest.mark.database
def test_a_blamed_coordination_rule_outlives_another_decisive_step(desk: Desk) -> None:
    desk.mark(1, "decisive")
    desk.write(responsible="coordination_rule", actor="")
    fields = desk.mark(2, "decisive")
    assert (fields["responsible"], fields["actor"]) == ("coordination_rule", "")


@pytest.mark.parametrize(
    ("kind", "blamed"),
    [
        (ActorKind.AGENT, {"responsible": "actor", "actor": "a"}),
        (ActorKind.TOOL, {"responsible": "actor", "actor": "a"}),
        (ActorKind.HUMAN, {"responsible": "actor", "actor": "a"}),
        (ActorKind.HARNESS, {"responsible": "harness", "actor": ""}),
        (ActorKind.EVALUATOR, {"responsible": "evaluator", "actor": ""}),
        (ActorKind.ENVIRONMENT, {"responsible": "environment", "actor": ""}),
    ],
)
def test_the_apparatus_is_blamed_as_such(kind: ActorKind, blamed: dict[str, str]) -> None:
    assert drafts.blame(Actor(key="a", role="a", kind=kind)) == blamed


@pytest.mark.database
def test_a_step_has_one_place_in_the_chain(desk: Desk) -> None:
    desk.mark(1, "decisive")
    desk.mark(2, "carrier")
    desk.mark(3, "carrier")
    fields = desk.mark(3, "exposing")
    assert (fields["carriers"], fields["exposing_step"]) == ([2], 3)
    fields = desk.mark(1, "carrier")
    assert (fields["decisive_step"], fields["carriers"]) == ("", [1, 2])
    fields = desk.mark(3, "decisive")
    assert (fields["decisive_step"], fields["exposing_step"]) == (3, "")


@pytest.mark.database
@pytest.mark.parametrize("purpose", drafts.MARKS)
def test_a_mark_that_arrives_twice_is_one_mark(desk: Desk, purpose: str) -> None:
    once = desk.mark(1, purpose)
    assert desk.mark(1, purpose) == once
    empty = desk.unmark(1, purpose)
    assert desk.unmark(1, purpose) == empty


@pytest.mark.database
def test_a_decisive_mark_that_arrives_late_keeps_who_was_blamed_since(desk: Desk) -> None:
    desk.mark(1, "decisive")
    desk.write(responsible="task", actor="")
    fields = desk.mark(1, "decisive")
    assert (fields["responsible"], fields["actor"]) == ("task", "")


@pytest.mark.database
def test_taking_back_a_mark_the_step_no_longer_has_changes_nothing(desk: Desk) -> None:
    desk.mark(1, "decisive")
    before = desk.mark(1, "exposing")
    assert desk.unmark(1, "decisive") == before
    assert desk.unmark(2, "missed")["exposing_step"] == 1


@pytest.mark.database
def test_misses_and_alternatives_stand_beside_the_chain_and_are_completed(desk: Desk) -> None:
    desk.mark(2, "missed")
    desk.mark(2, "alternative")
    fields = desk.mark(2, "carrier")
    assert fields["misses"] == [{"step": 2, "contract": ""}]
    assert fields["alternatives"] == [{"step": 2, "rejected_because": ""}]
    desk.do(drafts.annotate, list_name="misses", step=2, value="7")
    fields = desk.do(drafts.annotate, list_name="alternatives", step=2, value="It came later.")
    assert fields["misses"] == [{"step": 2, "contract": "7"}]
    # Marked again, a row keeps what was written into it.
    assert desk.mark(2, "missed")["misses"] == [{"step": 2, "contract": "7"}]
    fields = desk.unmark(2, "missed")
    assert fields["misses"] == []
    assert fields["alternatives"] == [{"step": 2, "rejected_because": "It came later."}]


@pytest.mark.database
def test_annotating_a_row_that_is_not_there_changes_nothing(desk: Desk) -> None:
    before = desk.mark(2, "missed")
    assert desk.do(drafts.annotate, list_name="misses", step=3, value="7") == before


@pytest.mark.database
def test_quotes_follow_the_place_of_their_step(desk: Desk) -> None:
    assert purposes(desk.cite(1, 29, 51)) == [(1, "note")]
    assert purposes(desk.mark(1, "decisive")) == [(1, "origin")]
    assert purposes(desk.mark(1, "exposing")) == [(1, "exposure")]
    assert purposes(desk.mark(1, "carrier")) == [(1, "carrier")]
    assert purposes(desk.unmark(1, "carrier")) == [(1, "note")]
    assert purposes(desk.mark(1, "alternative")) == [(1, "alternative")]
    # The chain comes before what else was considered.
    assert purposes(desk.mark(1, "decisive")) == [(1, "origin")]
    assert purposes(desk.cite(3, 0, 3)) == [(1, "origin"), (3, "note")]


@pytest.mark.database
def test_the_same_range_cited_twice_is_one_quote(desk: Desk) -> None:
    once = desk.cite(1, 29, 51)
    assert desk.cite(1, 29, 51) == once
    row = {"step": 1, "part": 0, "start": 29, "end": 51, "text": QUOTE.text}
    assert once["evidence"] == [{"purpose": "note", **row}]
    assert len(desk.cite(1, 29, 50)["evidence"]) == 2


@pytest.mark.database
def test_a_quote_is_taken_back_by_its_place(desk: Desk) -> None:
    desk.cite(1, 29, 51)
    kept = desk.cite(1, 0, 10)
    assert len(desk.do(drafts.uncite, anchor=(1, 0, 29, 50))["evidence"]) == 2
    after = desk.do(drafts.uncite, anchor=[1, 0, 29, 51])
    assert after["evidence"] == kept["evidence"][1:]
    assert desk.do(drafts.uncite, anchor=[1, 0, 29, 51]) == after


@pytest.mark.database
def test_starting_from_a_candidate_takes_its_step_actor_and_quotes(desk: Desk) -> None:
    desk.write(note="Mine.", state_change="plan: v1")
    desk.cite(3, 0, 3)
    candidate = make_candidate(desk.case.run)
    fields = desk.start_from(candidate)
    assert (fields["candidate"], fields["decisive_step"]) == (candidate.pk, 1)
    assert (fields["responsible"], fields["actor"]) == ("actor", "planner")
    assert purposes(fields) == [(3, "note"), (1, "origin")]
    assert (fields["note"], fields["state_change"]) == ("Mine.", "plan: v1")
    assert fields["misses"] == []
    assert desk.start_from(candidate) == fields


@pytest.mark.database
def test_a_missed_candidate_is_a_miss_to_complete(desk: Desk) -> None:
    candidate = make_candidate(desk.case.run, step=3, actor="verifier", part="missed")
    fields = desk.start_from(candidate)
    assert fields["misses"] == [{"step": 3, "contract": ""}]
    assert fields["decisive_step"] == 3


@pytest.mark.database
@pytest.mark.parametrize("purpose", ["carrier", "exposing"])
def test_the_step_of_a_candidate_leaves_its_other_place(desk: Desk, purpose: str) -> None:
    desk.mark(1, purpose)
    fields = desk.start_from(make_candidate(desk.case.run))
    assert fields["decisive_step"] == 1
    assert fields["carriers"] == []
    assert fields.get("exposing_step", "") == ""


@pytest.mark.database
def test_a_candidate_set_aside_leaves_what_it_brought(desk: Desk) -> None:
    before = desk.start_from(make_candidate(desk.case.run))
    after = desk.do(drafts.set_candidate_aside)
    assert after == before | {"candidate": ""}

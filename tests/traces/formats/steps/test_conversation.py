"""What is said in turn becomes steps: calls find their answers, and nothing is said twice."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from traces.formats.chat.message import Answer, Call, Message
from traces.formats.steps.building import Builder
from traces.formats.steps.conversation import RESULT_AGAIN, Conversation, Place
from traces.transcript import (
    ActorKind,
    Link,
    LinkKind,
    Part,
    PartKind,
    StepKind,
    StepStatus,
    Transcript,
)

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def place(number: int) -> Place:
    return Place(str(number), (number,), f"/{number}")


def text(words: str, kind: PartKind = PartKind.MESSAGE) -> tuple[Part, ...]:
    return (Part(kind, words),)


def asks(*ids: str, name: str = "find") -> Message:
    return Message("assistant", calls=tuple(Call(each, name, "{}") for each in ids))


def answers(call: str, words: str = "found", name: str = "") -> Message:
    return Message("tool", answers=(Answer(call, name, words),))


def told(*messages: Message, rule: str = "a rule") -> Transcript:
    builder = Builder()
    talk = Conversation(builder, "agent", rule)
    for number, message in enumerate(messages):
        talk.say(message, place(number))
    talk.note_reused()
    return builder.transcript(Transcript("run-1", "test", (), ()))


def texts(transcript: Transcript) -> list[list[str]]:
    return [[part.text for part in step.parts] for step in transcript.steps]


def gaps(transcript: Transcript) -> list[tuple[str, int | None]]:
    return [(gap.kind, gap.step) for gap in transcript.gaps]


def test_an_answer_that_nobody_asked_for_is_a_step_of_the_tool() -> None:
    transcript = told(answers("c9", name="find"))
    (step,) = transcript.steps
    assert (step.kind, step.tool, step.actor) == (StepKind.TOOL, "find", "find")
    assert transcript.actor_of(step).kind is ActorKind.TOOL


def test_an_answer_to_a_call_of_another_id_is_no_answer_to_it() -> None:
    assert texts(told(asks("c1"), answers("c2"))) == [[""], ["{}"], ["found"]]


def test_arguments_that_are_no_json_are_a_gap_of_the_call() -> None:
    message = Message("assistant", calls=(Call("c1", "f", "{a:"), Call("c2", "f", "{}")))
    assert gaps(told(message)) == [("malformed_arguments", 1)]


def test_pieces_that_nobody_knows_are_a_gap_and_pictures_are_not() -> None:
    odd = Part(PartKind.INPUT, "{}", {"type": "hologram", "raw": True})
    picture = Part(PartKind.INPUT, "{}", {"type": "image_url", "raw": True})
    assert gaps(told(Message("user", parts=(odd, picture)))) == [("unknown_part", 0)]
    answer = Answer("", "f", "{}", data={"pieces": [{}, dict(odd.data)]})
    assert gaps(told(Message("tool", answers=(answer,)))) == [("unknown_part", 0)]


def test_a_call_is_a_step_that_consumes_what_the_model_said() -> None:
    transcript = told(
        Message("user", parts=text("Hi", PartKind.INPUT)),
        asks("c1", "c2"),
        answers("c2", "two"),
        answers("c1", "one"),
        Message("assistant", parts=text("Done.")),
    )
    assert texts(transcript) == [["Hi"], [""], ["{}", "one"], ["{}", "two"], ["Done."]]
    assert [step.kind for step in transcript.steps] == [
        *(StepKind.INPUT, StepKind.DECISION, StepKind.TOOL, StepKind.TOOL, StepKind.MESSAGE)
    ]
    assert set(transcript.links) == {
        Link(0, 1, LinkKind.FOLLOWS, "a rule"),
        Link(1, 2, LinkKind.CONSUMES),
        Link(1, 3, LinkKind.CONSUMES),
        Link(2, 4, LinkKind.FOLLOWS, "a rule"),
        Link(3, 4, LinkKind.FOLLOWS, "a rule"),
    }
    assert transcript.steps[1].parts[0].capture == {"text": "absent"}
    assert transcript.steps[2].also_from == ("/3",)


def test_where_the_source_says_what_follows_what_links_are_recorded() -> None:
    said = Message("assistant", parts=text("A"))
    assert told(said, said, rule="").links == (Link(0, 1, LinkKind.CONSUMES),)


def test_an_id_used_again_goes_to_the_last_call_before_its_answer() -> None:
    transcript = told(asks("c0"), answers("c0", "one"), asks("c0"), answers("c0", "two"))
    assert texts(transcript)[1::2] == [["{}", "one"], ["{}", "two"]]
    assert gaps(transcript) == [("reused_call_id", None)]


def test_the_same_answer_again_is_folded_and_another_is_kept() -> None:
    transcript = told(asks("c1"), answers("c1"), answers("c1"), answers("c1", "else"))
    assert texts(transcript) == [[""], ["{}", "found"], ["else"]]
    assert transcript.folded == {RESULT_AGAIN: 1}


@pytest.mark.parametrize("name", ["find", ""])
def test_answers_without_ids_go_to_the_calls_in_their_order(name: str) -> None:
    transcript = told(asks("", ""), answers("", "one", name), answers("", "two", name))
    assert texts(transcript) == [[""], ["{}", "one"], ["{}", "two"]]


def test_an_answer_that_has_only_a_name_finds_a_call_with_an_id() -> None:
    assert texts(told(asks("c1"), answers("", name="find"))) == [[""], ["{}", "found"]]


def test_without_ids_a_call_that_was_left_open_gets_no_answer_of_a_later_one() -> None:
    transcript = told(asks(""), asks(""), answers("", name="find"))
    assert texts(transcript) == [[""], ["{}"], [""], ["{}", "found"]]


def test_what_the_vendor_ran_is_answered_in_the_message_that_asks_for_it() -> None:
    both = Message("assistant", calls=(Call("c1", "search"),), answers=(Answer("c1", "", "A"),))
    assert texts(told(both)) == [[""], ["", "A"]]


def test_results_and_words_of_a_user_are_an_answer_and_a_step() -> None:
    user = Message("user", parts=text("And?", PartKind.INPUT), answers=(Answer("c1", "", "A"),))
    assert texts(told(asks("c1"), user)) == [[""], ["{}", "A"], ["And?"]]


def test_calls_of_a_user_are_steps_of_the_user() -> None:
    user = Message("user", parts=text("I look.", PartKind.INPUT), calls=(Call("c1", "look", "{}"),))
    transcript = told(user, answers("c1"))
    assert [(step.actor, step.kind) for step in transcript.steps] == [
        ("user", StepKind.INPUT),
        ("user", StepKind.TOOL),
    ]
    assert texts(transcript)[1] == ["{}", "found"]


def test_speakers_are_actors_by_role_and_name() -> None:
    transcript = told(
        Message("system", parts=text("Be good.", PartKind.INPUT)),
        Message("user", name="maren", parts=text("Hi", PartKind.INPUT)),
        Message("assistant", parts=text("A")),
        Message("critic", parts=text("Bad.", PartKind.INPUT)),
    )
    assert {actor.key: actor.kind for actor in transcript.actors} == {
        "system": ActorKind.HARNESS,
        "maren": ActorKind.HUMAN,
        "agent": ActorKind.AGENT,
        "critic": ActorKind.AGENT,
    }
    assert transcript.steps[3].parts[0].kind is PartKind.MESSAGE


def test_what_else_is_known_of_a_message_is_data_of_its_first_part() -> None:
    (step,) = told(Message("assistant", finish="stop", rest={"usage": 1})).steps
    assert step.parts[0].data == {"finish": "stop", "message": {"usage": 1}}


def test_how_it_went_and_when_it_ended_are_the_answers() -> None:
    builder = Builder()
    talk = Conversation(builder, "agent")
    end = NOON + timedelta(seconds=2)
    talk.say(asks("c1"), Place("0", (0,), "", NOON, end))
    talk.answer(Answer("c1", "", "A", failed=True), Place("1", (1,), "", NOON, NOON))
    decided, called = builder.transcript(Transcript("run-1", "test", (), ())).steps
    assert (decided.started_at, decided.ended_at) == (NOON, end)
    assert (called.started_at, called.ended_at) == (end, NOON)
    assert called.status is StepStatus.ERROR


def test_the_same_message_read_twice_is_one_step() -> None:
    builder = Builder()
    talk = Conversation(builder, "agent")
    for _ in range(2):
        talk.say(asks("c1"), place(0))
        talk.say(answers("c1"), place(1))
    transcript = builder.transcript(Transcript("run-1", "test", (), ()))
    assert texts(transcript) == [[""], ["{}", "found"]]


def test_many_calls_that_nobody_answers_take_no_more_time_each() -> None:
    transcript = told(asks(*[""] * 20_000), *[answers("", str(n)) for n in range(20_000)])
    assert texts(transcript)[20_000] == ["{}", "19999"]

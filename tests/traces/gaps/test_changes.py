from tests.factories import make_step, make_transcript
from tests.traces.gaps.pieces import answers, asks, found, says, state
from traces.transcript import Link, LinkKind, StepKind


def test_a_claim_that_no_state_shows_is_found() -> None:
    transcript = make_transcript(
        make_step(0, parts=(says(claims=[{"artifact": "app", "version": "2"}]),)),
        make_step(1, parts=(state("app", "1", "2"),)),
        make_step(2, parts=(says(claims=[{"artifact": "app", "version": "3"}]),)),
        make_step(3, parts=(says(claims=[{"artifact": "app"}]),)),
        make_step(4, parts=(says(claims=[{"artifact": "docs"}]),)),
        make_step(5, kind=StepKind.STATE, parts=(says("Written."),)),
    )
    assert found(transcript, "claim_without_change") == [2, 4, 5]


def test_a_side_effect_that_no_state_shows_is_found() -> None:
    made = [{"name": "app", "version": "2"}]
    transcript = make_transcript(
        make_step(0, parts=(answers("a", artifacts=made, side_effects="branch moved"),)),
        make_step(1, parts=(answers("b", artifacts=made),)),
        make_step(2, parts=(answers("c", artifacts=made, side_effects="none"),)),
    )
    assert found(transcript, "claim_without_change") == [0]


def test_a_state_meets_a_claim_only_of_whom_it_can_come() -> None:
    """Of step 1 comes 2, and of 4 nothing; the state in step 0 was another's before that."""
    claims = says(claims=[{"artifact": "app"}])
    versioned = says(claims=[{"artifact": "docs", "version": "2"}])
    transcript = make_transcript(
        make_step(0, "bob", parts=(state("app", "1", "2"), state("docs", "1", "2"))),
        make_step(1, "ann", parts=(claims, versioned)),
        make_step(2, "cid", parts=(state("app", "2", "3"),)),
        make_step(3, "eve", parts=(versioned,)),
        make_step(4, "dan", parts=(claims,)),
        links=(Link(0, 1, LinkKind.CONSUMES), Link(1, 2, LinkKind.CONSUMES)),
    )
    assert found(transcript, "claim_without_change") == [3, 4]


def test_a_rejected_state_meets_no_claim() -> None:
    transcript = make_transcript(
        make_step(0, parts=(says(claims=[{"artifact": "app", "version": "2"}]),)),
        make_step(1, parts=(state("app", "1", "2", resolution="rejected"),)),
    )
    assert found(transcript, "claim_without_change") == [0]


def test_a_tool_that_saw_version_and_digest_claims_nothing() -> None:
    made = [{"name": "app", "version": "2", "digest": "sha256:1"}]
    step = make_step(0, parts=(answers("a", artifacts=made, side_effects="branch moved"),))
    assert found(make_transcript(step), "claim_without_change") == []


def test_words_of_a_version_do_not_name_its_artifact() -> None:
    changed = state("config/prod.yaml", "git:a1", "git:b2")
    step = make_step(0, parts=(asks("a", "git status"), answers("a", "clean"), changed))
    assert found(make_transcript(step), "change_without_claim") == [0]


def test_a_change_that_nothing_else_in_the_step_names_is_found() -> None:
    test = (asks("a", '{"cmd": "pytest tests/dock"}'), answers("a", "12 passed"))
    transcript = make_transcript(
        make_step(0, parts=(*test, state("config/limits.toml", "1", "2"))),
        make_step(1, parts=(*test, state("tests/dock/cache", "1", "2"))),
        make_step(2, parts=(*test, state("limits.toml", "2", "3", "pytest rewrote its limits"))),
        make_step(3, parts=(state("limits.toml", "3", "4"),)),
        make_step(4, kind=StepKind.STATE, parts=(says(), state("limits.toml", "4", "5"))),
    )
    assert found(transcript, "change_without_claim") == [0]


def test_a_version_that_nobody_made_breaks_the_chain() -> None:
    transcript = make_transcript(
        make_step(0, parts=(state("app", "1", "2"),)),
        make_step(1, parts=(state("app", "3", "4"),)),
        make_step(2, parts=(state("app", "2", "5"),)),
        make_step(3, parts=(state("docs", "9", None),)),
        make_step(4, parts=(state("docs", "11", "12"),)),
        make_step(5, parts=(state("app", "5", "5", accepted="6 (by hand)"),)),
        make_step(6, parts=(state("app", "6", "7"),)),
    )
    assert found(transcript, "broken_state_chain") == [1, 4]

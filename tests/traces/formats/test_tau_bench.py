"""Runs of tau-bench and tau2: what a check says decides, what was expected is withheld."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.real import FORMATS, needs_files
from traces.formats import intake
from traces.formats.base import Unreadable
from traces.transcript import ActorKind, Outcome, PartKind, StepKind, StepStatus, Transcript

REAL = FORMATS / "tau-bench"
USER = {"role": "user", "content": "Where is A-7?"}
END = {"role": "assistant", "content": "Gone."}


def tau(**more: Any) -> dict[str, Any]:
    return {"task_id": 3, "trial": 0, "reward": 1.0, "info": {}, "traj": [USER, END], **more}


def read(*values: Any) -> list[Transcript]:
    content = json.dumps(list(values)).encode()
    return [run.transcript for run in intake.take(content, wanted="tau_bench").runs]


def simulation(messages: list[Any] | None = None, **more: Any) -> dict[str, Any]:
    said = [USER, END] if messages is None else messages
    return {"id": "sim-1", "task_id": "t1", "trial": 1, "messages": said, **more}


def tau2(*simulations: Any, **more: Any) -> Transcript:
    (run,) = read({"tasks": [], "simulations": list(simulations), **more})
    return run


def test_values_that_are_no_runs_are_refused_and_the_others_kept() -> None:
    content = json.dumps([tau(), 7, {"traj": 1, "reward": 0}]).encode()
    result = intake.take(content)
    assert [refusal.position for refusal in result.refusals] == ["/1", "/2"]
    assert len(result.runs) == 1


def test_simulations_without_messages_are_refused() -> None:
    content = json.dumps({"tasks": [], "simulations": [7, simulation()]}).encode()
    result = intake.take(content)
    assert [refusal.position for refusal in result.refusals] == ["/simulations/0"]
    assert [run.pointer for run in result.runs] == ["/simulations/1"]


def test_no_runs_are_refused() -> None:
    with pytest.raises(Unreadable, match="no runs"):
        intake.take(b'{"simulations": [], "tasks": []}')


def test_conversations_printed_for_prompts_are_refused_as_such() -> None:
    printed = {"messages_display": "user: Where is A-7?\nassistant: None\ntool: gone"}
    lines = "\n".join(json.dumps(printed) for _ in range(2)).encode()
    with pytest.raises(Unreadable, match="shown in prompts"):
        intake.take(lines)
    result = intake.take(json.dumps([printed, tau()]).encode())
    assert [refusal.position for refusal in result.refusals] == ["/0"]
    assert len(result.runs) == 1


@pytest.mark.parametrize(
    ("reward", "outcome"),
    [
        (1.0, Outcome.SUCCEEDED),
        (1, Outcome.SUCCEEDED),
        (0.0, Outcome.FAILED),
        (0.5, Outcome.FAILED),
        (None, Outcome.UNKNOWN),
        ("1", Outcome.UNKNOWN),
        (True, Outcome.UNKNOWN),
    ],
)
def test_the_reward_is_the_outcome(reward: Any, outcome: Outcome) -> None:
    assert read(tau(reward=reward))[0].outcome is outcome


def test_what_was_expected_is_withheld_and_reaches_nothing_else() -> None:
    task = {"instruction": "Ask.", "actions": [{"name": "zebra"}], "outputs": ["zebra"]}
    checks = {"reward": 0.0, "info": {"outputs": {"zebra": False}}}
    (run,) = read(tau(reward=0.0, info={"task": task, "reward_info": checks, "source": "user"}))
    assert run.task_text == "Ask."
    assert "zebra" in str(run.withheld)
    shown = [run.steps, run.gaps, run.failures, run.reports, run.system, run.suspicions]
    assert "zebra" not in str(shown)


def test_the_simulated_user_is_an_actor_of_its_own_and_no_human() -> None:
    (run,) = read(tau())
    assert {actor.key: actor.kind for actor in run.actors} == {
        "assistant": ActorKind.AGENT,
        "user": ActorKind.AGENT,
    }
    assert [(step.actor, step.kind) for step in run.steps] == [
        ("user", StepKind.MESSAGE),
        ("assistant", StepKind.MESSAGE),
    ]


@pytest.mark.parametrize(
    ("task", "trial", "attempt"), [(3, 0, 1), (3, 2, 3), (3, 3, None), (0, 0, 1)]
)
def test_the_trial_is_an_attempt_unless_it_is_the_number_of_the_task(
    task: int, trial: int, attempt: int | None
) -> None:
    (run,) = read(tau(task_id=task, trial=trial))
    assert (run.task_id, run.attempt) == (str(task), attempt)


def test_a_call_of_tau2_may_be_the_users_and_says_whether_it_failed() -> None:
    call = {"id": "c1", "name": "look", "arguments": {"at": "A-7"}, "requestor": "user"}
    answer = {"role": "tool", "id": "c1", "content": "none", "requestor": "user", "error": True}
    run = tau2(simulation([{**USER, "tool_calls": [call]}, answer, END]))
    step = run.steps[1]
    assert (step.actor, step.tool, step.status) == ("user", "look", StepStatus.ERROR)
    assert [part.text for part in step.parts] == ['{"at":"A-7"}', "none"]


def test_messages_of_tau2_are_ordered_by_their_turns() -> None:
    turns = [{**END, "turn_idx": 1}, {**USER, "turn_idx": 0}]
    run = tau2(simulation(turns))
    assert [(step.text, step.pointer) for step in run.steps] == [
        ("Where is A-7?", "/messages/1"),
        ("Gone.", "/messages/0"),
    ]


def test_several_answers_in_one_message_go_to_their_calls() -> None:
    calls = [{"id": name, "name": "look", "arguments": {}} for name in ("c1", "c2")]
    answers = [{"role": "tool", "id": name, "content": name} for name in ("c2", "c1")]
    run = tau2(
        simulation([{**END, "tool_calls": calls}, {"role": "tool", "tool_messages": answers}])
    )
    assert [step.parts[-1].text for step in run.steps[1:]] == ["c1", "c2"]


def test_checks_by_programs_are_verifications_and_judgements_by_models_opinions() -> None:
    reward = {
        "reward": 0.0,
        "reward_basis": ["DB", "COMMUNICATE", "NL_ASSERTION"],
        "db_check": {"db_match": False},
        "communicate_checks": [{"info": "zebra", "met": True}],
        "action_checks": [{"action": {"name": "zebra"}, "action_match": False}],
        "nl_assertions": [{"nl_assertion": "zebra", "met": False, "justification": "zebra!"}],
    }
    run = tau2(simulation(reward_info=reward, review={"summary": "zebra?"}))
    checks = run.steps_with(PartKind.VERIFICATION)
    assert [(run.actor_of(s).kind, s.parts[0].data["verdict"]) for s in checks] == [
        (ActorKind.EVALUATOR, "failed"),
        (ActorKind.EVALUATOR, "passed"),
    ]
    assert [opinion.reason for opinion in run.opinions] == ["zebra!", "zebra?"]
    assert run.outcome is Outcome.FAILED
    assert "zebra" not in str([run.steps, run.gaps, run.failures, run.reports, run.suspicions])


def test_where_a_model_had_a_say_a_good_reward_is_no_proof() -> None:
    reward = {"reward": 1.0, "reward_basis": ["NL_ASSERTION"], "db_check": {"db_match": True}}
    run = tau2(simulation(reward_info=reward, termination_reason="user_stop"))
    assert run.outcome is Outcome.UNKNOWN
    assert [(report.value, report.by) for report in run.reports] == [("user_stop", "framework")]


def test_the_task_of_a_simulation_is_found_by_its_id() -> None:
    scenario = {"instructions": {"reason_for_call": "Ask.", "known_info": "A-7"}}
    task = {"id": "t1", "user_scenario": scenario, "evaluation_criteria": {"actions": ["zebra"]}}
    (run,) = read({"tasks": [task], "simulations": [simulation()]})
    assert run.task_text == "Ask.\nA-7"
    assert run.withheld["task"]["evaluation_criteria"] == {"actions": ["zebra"]}
    assert run.attempt == 2


@needs_files
@pytest.mark.parametrize(
    ("name", "rewards", "messages"),
    [
        ("gpt-4o-airline.same-task-4-trials.excerpt.json", "01000", [32, 24, 26, 24, 46]),
        ("tau-retail-failed.excerpt.json", "000", [32, 26, 30]),
        ("tb_airline.json", "0", None),
    ],
)
def test_real_files(name: str, rewards: str, messages: list[int] | None) -> None:
    content = (REAL / name).read_bytes()
    runs = intake.take(content).runs
    failed = {"0": Outcome.FAILED, "1": Outcome.SUCCEEDED}
    assert [run.transcript.outcome for run in runs] == [failed[each] for each in rewards]
    for run, count in zip(runs, messages or (), strict=False):
        pointers = {p for s in run.transcript.steps for p in (s.pointer, *s.also_from)}
        assert pointers == {f"/traj/{number}" for number in range(count)}


@needs_files
def test_trials_of_one_task_are_attempts() -> None:
    name = "gpt-4o-airline.same-task-4-trials.excerpt.json"
    runs = [run.transcript for run in intake.take((REAL / name).read_bytes()).runs]
    assert [(run.task_id, run.attempt) for run in runs] == [
        *(("0", 1), ("6", 1), ("0", 2), ("0", 3), ("0", 4))
    ]
    assert len({run.external_id for run in runs}) == 5


@needs_files
def test_texts_for_prompts_are_no_runs() -> None:
    with pytest.raises(Unreadable, match="shown in prompts"):
        intake.take((REAL / "MockAirlineDomainEnv-few_shot.jsonl").read_bytes())

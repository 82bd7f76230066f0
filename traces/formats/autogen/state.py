"""Reads what AutoGen's `save_state` dumps of a team or an agent, and bare model contexts.

The thread of a team has ids and times; the context of each agent repeats it and has the calls
of its own. Magentic-One keeps its facts and its plan nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from traces.formats.autogen.contexts import Contexts, is_context
from traces.formats.autogen.messages import Team, header, is_message
from traces.formats.base import Document, Json, ParsedRun, Reading, Refusal, Sample, Unreadable
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.steps.building import Builder, Draft
from traces.formats.steps.unsayable import unsayable_but
from traces.transcript import Fate, Gap, LinkKind, Part, StepKind, Transcript

CAPTURE = unsayable_but(
    *("steps/started_at", "steps/ended_at", "steps/parts/state"),
    more=("task/id", "outcome", "failures", "system/models"),
)
LEDGER = ("facts", "plan", "n_rounds", "n_stalls", "current_turn", "previous_speaker")
END = 2**40
NO_STATE = "This is no state of AutoGen: it has no agent_states and no messages."


class AutoGenState:
    name = "autogen_state"
    version = "1"

    def recognise(self, sample: Sample) -> str | None:
        for item in sample.objects:
            if isinstance(item.get("agent_states"), Mapping):
                return "key agent_states"
            if loose.text(item.get("type")).endswith("State") and "llm_context" in item:
                return "a type of state, and key llm_context"
            if is_context(item.get("messages")) and "response" not in item:
                return "key messages, with AutoGen model messages"
        return None

    def read(self, document: Document) -> Reading:
        runs, refusals = [], []
        for pointer, value, gaps in document.values():
            run = transcript(loose.mapping(value), pointer, gaps)
            if run:
                runs.append(ParsedRun(run, pointer))
            else:
                refusals.append(Refusal(pointer or "/", NO_STATE))
        if not runs:
            raise Unreadable("There is no state of AutoGen here.")
        return Reading(tuple(runs), tuple(refusals))


FORMAT = AutoGenState()


def transcript(value: Object, pointer: str, gaps: tuple[Gap, ...]) -> Transcript | None:
    builder = Builder()
    states = list(states_of(value, pointer))
    team = Team(builder)
    tasks = [loose.text(state.get("task")) for _, _, state in states]
    for key in ("message_thread", "message_buffer"):
        for _, at, state in states:
            read_thread(team, state.get(key), f"{at}/{key}")
    team.finish()
    contexts = Contexts(builder, list(builder.drafts.values()))
    for name, at, state in states:
        inner = loose.items(loose.at(state, "llm_context", "messages"))
        contexts.read(name, inner, f"{at}/llm_context/messages")
        contexts.read(name, loose.items(state.get("messages")), f"{at}/messages")
        ledger(builder, name, at, state)
        builder.record(at or "/", Fate.CONTEXT, loose.text(state.get("type")) or "state")
    if not builder.drafts:
        return None
    content = [draft_content(draft) for draft in builder.drafts.values()]
    run = header(builder, gaps, "autogen_state", CAPTURE, content)
    if task := next(filter(None, tasks), ""):
        run = replace(run, task_text=task)
    return builder.transcript(run)


def draft_content(draft: Draft) -> list[str]:
    return [draft.actor, *(part.text for part in draft.parts)]


def states_of(value: Object, pointer: str, name: str = "") -> Iterator[tuple[str, str, Object]]:
    """The states of agents, in teams within teams too, each with the name of its agent."""
    waiting = [(name, pointer, value)]
    while waiting:
        who, at, state = waiting.pop()
        inner = state.get("agent_state")
        nested = {**state, **inner} if isinstance(inner, Mapping) else state
        yield who, at, nested
        agents = loose.mapping(nested.get("agent_states"))
        waiting.extend(
            (key, f"{at}/agent_states/{key}", loose.mapping(each))
            for key, each in reversed(list(agents.items()))
        )


def read_thread(team: Team, thread: Json, pointer: str) -> None:
    for index, message in enumerate(loose.items(thread)):
        place = f"{pointer}/{index}"
        if is_message(message):
            team.add(message, place, (len(team.builder.drafts), "", index))
        else:
            team.builder.record(place, Fate.UNMAPPED, "no message")
            team.builder.gap("kept_in_raw_only", f"No message: {place}.")


def ledger(builder: Builder, name: str, pointer: str, state: Object) -> None:
    """What an orchestrator had noted when the state was saved, which no message says."""
    parts: list[Part] = [
        loose.state(key, change=loose.shown(state[key]))
        for key in LEDGER
        if state.get(key) not in (None, "", 0, [])
    ]
    if not parts:
        return
    order: tuple[Any, ...] = (END, name, 0)
    actor = builder.actor(name or "team", capture={"instance": "not_in_schema"})
    draft = builder.add(
        Draft(f"{pointer}/ledger", actor, StepKind.STATE, parts, order, pointer or "/")
    )
    before = [each for each in builder.drafts.values() if each.actor == actor and each is not draft]
    if before:
        last = max(before, key=lambda each: each.order)
        builder.link(last.id, draft.id, LinkKind.FOLLOWS, "previous step of the same actor")

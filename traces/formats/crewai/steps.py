"""What the events of a crew tell, as steps: prompts, model calls, tools, guardrails.

Few events have call ids. A tool use is of the model call that asked for the same tool with the
same arguments, in the same execution of the agent; that is a guess and marked as one. Its step is
named by that call, as it was while the call was all there was.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field, replace

from traces.formats.chat.message import Call
from traces.formats.chat.reading import opened
from traces.formats.crewai.events import EXECUTIONS, TOOL, Event, Tree
from traces.formats.crewai.threads import Threads
from traces.formats.crewai.words import answered, canonical, result_of, verification
from traces.formats.records import loose
from traces.formats.steps.building import Builder, Draft
from traces.transcript import ActorKind, Fate, LinkKind, Part, PartKind, StepKind, StepStatus

SAME_CALL = "same tool and arguments in one execution"
ENDS = ("_completed", "_finished", "_failed", "_error")
STORES = ("memory_", "knowledge_")
IN_PROMPT = "its output stands in the prompt"
# Outputs that are looked for in the prompts after them.
MOST = 20
CHECKED = "what was said last before the check"
SAID_AGAIN = ("agent_logs_", "tool_failure_detected", "llm_stream_chunk", "llm_thinking_chunk")
CONTAINERS = ("crew_", "task_", "agent_execution_", "lite_agent_", "flow_", "method_execution_")
CONTEXT = ("default_env", "agent_evaluation_", "mcp_connection_", "reasoning_", "agent_reasoning_")


@dataclass(slots=True)
class Crew:
    """One kickoff while its events are read in the order of their sequence."""

    builder: Builder
    tree: Tree
    threads: Threads
    keys: dict[str, str] = field(default_factory=dict)
    ended: dict[str, Event] = field(default_factory=dict)
    asked: dict[tuple[str, str, str], deque[tuple[Draft, str]]] = field(default_factory=dict)
    rejected: dict[str, tuple[Draft, str, int]] = field(default_factory=dict)
    tried: dict[tuple[str, str, str], Draft] = field(default_factory=dict)
    outputs: deque[tuple[str, Draft]] = field(default_factory=lambda: deque(maxlen=MOST))
    unknown: Counter[str] = field(default_factory=Counter)

    def read(self, events: list[Event]) -> None:
        for each in events:
            start = each.named("started_event_id")
            if start in self.tree.by_id and each.type.endswith(ENDS):
                self.ended.setdefault(start, each)
        for each in events:
            self.add(each)
        self.unanswered()
        if self.unknown:
            kinds = ", ".join(f"{kind} ({n})" for kind, n in sorted(self.unknown.items()))
            self.builder.gap("kept_in_raw_only", f"Events of kinds not known: {kinds}.")

    def add(self, one: Event) -> None:
        start = one.named("started_event_id")
        paired = self.ended.get(start) is one
        if one.type in EXECUTIONS:
            self.prompt(one)
        elif one.type.startswith("llm_call_"):
            self.model_call(one, paired=paired)
        elif one.type.startswith(("tool_usage_", *STORES)) and one.type != "tool_usage_in_progress":
            self.tool(one, paired=paired)
        elif "guardrail" in one.type:
            self.check(one)
        elif one.type in ("task_failed", "agent_execution_error", "lite_agent_execution_error"):
            self.error(one)
        elif one.type.startswith("human_"):
            self.human(one)
        else:
            self.beside(one)

    def beside(self, one: Event) -> None:
        """Events that are no steps: what holds others, what says things again, and the rest."""
        if one.type.startswith(SAID_AGAIN):
            inside = self.threads.last.get(self.threads.execution(one))
            self.builder.fold(f"{one.type} events", one.pointer, inside)
        elif one.type.startswith(CONTAINERS):
            source = self.threads.last.get(self.threads.execution(one))
            if one.type == "agent_execution_completed" and source:
                self.outputs.append((loose.text(one.value.get("output")), source))
            self.builder.record(one.pointer, Fate.CONTAINER, one.type)
        elif one.type.startswith(CONTEXT):
            self.builder.record(one.pointer, Fate.CONTEXT, one.type)
        else:
            self.unknown[one.type] += 1
            self.builder.record(one.pointer, Fate.UNMAPPED, one.type)

    def actor(self, one: Event, model: str = "") -> str:
        """The agent: each execution is an instance of its own, and has what siblings say of it."""
        found = self.tree.nearest(one, EXECUTIONS)
        start = found.value if found else {}
        role = one.named("agent_role") or loose.text(loose.at(start, "agent", "role"))
        role = role or loose.text(start.get("agent_role")) or "agent"
        role = loose.text(loose.at(start, "agent_info", "role")) or role
        if not found:
            capture = {"instance": "not_captured"}
            return self.builder.actor(role, model=model or None, capture=capture)
        tool = self.tree.above(found, TOOL)
        caller = self.keys.get(self.threads.execution(tool)) if tool else None
        key = self.keys.setdefault(found.id, f"{role}@{found.id}")
        return self.builder.actor(
            key, role=role, instance=found.id, model=model or None, parent=caller
        )

    def draft(
        self, one: Event, actor: str, kind: StepKind, parts: list[Part], id_: str = ""
    ) -> Draft:
        end = self.ended.get(one.id)
        draft = self.builder.add(
            Draft(
                id=id_ or one.id,
                actor=actor,
                kind=kind,
                parts=parts,
                order=one.order,
                pointer=one.pointer,
                started_at=one.at,
                ended_at=end.at if end else None,
            )
        )
        if end:
            draft.read_from(end.pointer)
        return draft

    def prompt(self, one: Event) -> None:
        """What the agent is told to do, which the crew put together."""
        text = loose.text(one.value.get("task_prompt")) or loose.shown(one.value.get("messages"))
        crew = self.builder.actor("crew", ActorKind.HARNESS)
        parts = [Part(PartKind.INPUT, text, {}, {} if text else {"text": "not_captured"})]
        draft = self.draft(one, crew, StepKind.INPUT, parts)
        draft.ended_at = None
        self.actor(one)
        for output, source in self.outputs:
            if output and output in text:
                self.builder.link(source.id, draft.id, LinkKind.CONSUMES, IN_PROMPT)
        self.threads.open(one, draft)

    def model_call(self, one: Event, *, paired: bool) -> None:
        if paired:
            return
        end = self.ended.get(one.id) or (one if one.type != "llm_call_started" else None)
        actor = self.actor(one, one.named("model"))
        said = answered(end.value.get("response") if end else None)
        silent = [Part(PartKind.MESSAGE, "", {}, {"text": "not_captured"})]
        parts = list(said.parts) or silent
        draft = self.draft(one, actor, StepKind.DECISION if said.calls else StepKind.MESSAGE, parts)
        if end and end.type == "llm_call_failed":
            draft.parts = [Part(PartKind.ERROR, loose.shown(end.value.get("error")))]
            draft.kind, draft.status = StepKind.ERROR, StepStatus.ERROR
        execution = self.threads.execution(one)
        for index, call in enumerate(said.calls, start=1):
            key = (execution, call.name, canonical(call.arguments))
            self.asked.setdefault(key, deque()).append((draft, f"{draft.id}.{index}"))
        self.again(one, draft)
        self.threads.place(draft, execution)

    def again(self, one: Event, draft: Draft) -> None:
        """A model call after a guardrail refused what the one before had said."""
        refused = self.rejected.pop(one.named("task_id") or self.threads.execution(one), None)
        if refused:
            before, reason, count = refused
            self.builder.link(before.id, draft.id, LinkKind.RETRY_OF)
            draft.attempt, draft.attempt_reason, draft.attempt_by = count + 1, reason, "guardrail"

    def tool(self, one: Event, *, paired: bool) -> None:
        if paired:
            return
        end = self.ended.get(one.id) or (one if one.type.endswith(ENDS) else None)
        name = one.named("tool_name") or one.type.rsplit("_", 1)[0]
        arguments = one.value.get("tool_args", one.value.get("query", one.value.get("value")))
        call = Call("", name, opened(arguments) if arguments is not None else "")
        actor, execution = self.actor(one), self.threads.execution(one)
        key = (execution, name, canonical(call.arguments))
        waiting = self.asked.get(key)
        decided, id_ = waiting.popleft() if waiting else (None, one.id)
        draft = self.draft(one, actor, StepKind.TOOL, [call.part()], id_)
        draft.tool, self.threads.tools[one.id] = name, draft.id
        if end:
            draft.parts.append(Part(PartKind.TOOL_RESPONSE, result_of(end)))
            failed = end.type.endswith(("_error", "_failed"))
            draft.status = StepStatus.ERROR if failed else StepStatus.OK
        self.attempt(one, draft, key)
        if decided:
            self.builder.link(decided.id, draft.id, LinkKind.CONSUMES, SAME_CALL)
        self.threads.beside_others(draft, execution, linked=decided is not None)

    def attempt(self, one: Event, draft: Draft, key: tuple[str, str, str]) -> None:
        """A tool used again after an error, where the event says which attempt it is."""
        number = loose.number(one.value.get("run_attempts")) or 0
        before = self.tried.get(key)
        if number > 0 and before and before.status is StepStatus.ERROR:
            self.builder.link(before.id, draft.id, LinkKind.RETRY_OF)
            draft.attempt, draft.attempt_reason = number + 1, before.parts[-1].text[:500]
        self.tried[key] = draft

    def check(self, one: Event) -> None:
        """What a guardrail says of what an agent said last. A refusal makes it try again."""
        if one.type.endswith("_started"):
            self.builder.record(one.pointer, Fate.CONTAINER, one.type)
            return
        part = verification(one, self.tree.by_id.get(one.named("started_event_id")))
        actor = self.builder.actor("guardrail", ActorKind.EVALUATOR)
        draft = self.draft(one, actor, StepKind.VERIFICATION, [part])
        checked = self.threads.last.get(self.threads.execution(one)) or self.threads.latest
        if checked:
            self.builder.link(checked.id, draft.id, LinkKind.CONSUMES, CHECKED)
            if part.data["verdict"] == "failed":
                count = loose.number(one.value.get("retry_count")) or 0
                key = one.named("task_id") or self.threads.execution(one)
                self.rejected[key] = (checked, loose.text(part.data.get("observed")), count + 1)

    def error(self, one: Event) -> None:
        text = loose.shown(one.value.get("error"))
        draft = self.draft(one, self.actor(one), StepKind.ERROR, [Part(PartKind.ERROR, text)])
        draft.status = StepStatus.ERROR
        self.threads.place(draft, self.threads.execution(one))

    def human(self, one: Event) -> None:
        text = loose.shown(one.value.get("feedback", one.value.get("message")))
        if one.type.endswith(("_requested", "_started")):
            self.builder.record(one.pointer, Fate.CONTEXT, one.type)
            return
        person = self.builder.actor("human", ActorKind.HUMAN)
        draft = self.draft(one, person, StepKind.INPUT, [Part(PartKind.INPUT, text)])
        self.threads.place(draft, self.threads.execution(one))

    def unanswered(self) -> None:
        """Calls that no event tells of being made."""
        for (_, name, arguments), waiting in self.asked.items():
            for decided, id_ in waiting:
                draft = replace(
                    decided,
                    id=id_,
                    kind=StepKind.TOOL,
                    parts=[Call("", name, arguments).part()],
                    tool=name,
                    also_from=[],
                    started_at=None,
                    ended_at=None,
                    status=StepStatus.NOT_CAPTURED,
                )
                self.builder.add(draft)
                self.builder.link(decided.id, draft.id, LinkKind.CONSUMES)

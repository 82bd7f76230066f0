"""The scopes of one ATOF run as steps: model calls, tool calls, checks, and who acts in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from traces.facts import fact_lines, with_facts
from traces.formats.atof.pairs import Scope, text_of
from traces.formats.chat.message import Call
from traces.formats.chat.reading import messages
from traces.formats.records import loose
from traces.formats.steps.building import Builder, Draft
from traces.formats.steps.ordering import seconds
from traces.transcript import ActorKind, Fate, LinkKind, Part, PartKind, StepKind, StepStatus

SAME_SCOPE = "previous step in the same agent's scope"
SAID_AGAIN = "an agent's answer that its last model call gave"
CHECKS = frozenset({"guardrail", "evaluator"})


@dataclass(slots=True)
class Scopes:
    """All scopes of a run. What holds others and is no call acts as an agent."""

    found: dict[str, Scope]
    builder: Builder = field(default_factory=Builder)
    holders: set[str] = field(default_factory=set)
    agents: dict[str, str] = field(default_factory=dict)
    calls: dict[str, Draft] = field(default_factory=dict)
    ends: dict[str, list[Draft]] = field(default_factory=dict)
    said: dict[str, Draft] = field(default_factory=dict)
    started: dict[str, list[str]] = field(default_factory=dict)
    words: set[str] = field(default_factory=set)
    first_words: str = ""

    def read(self) -> None:
        self.holders = {each.parent for each in self.found.values() if not each.is_mark}
        for scope in sorted(self.found.values(), key=lambda each: (each.order, each.uuid)):
            agent = self.agent_of(scope)
            if self.is_agent(scope):
                self.begin(scope, agent)
            elif scope.is_mark or scope.category in CHECKS:
                self.mark(scope, agent)
            elif scope.category == "llm":
                self.model_call(scope, agent)
            elif scope.category in ("", "unknown"):
                self.opaque(scope, agent)
            else:
                self.tool(scope, agent)
        ends = [each for each in self.found.values() if self.is_agent(each)]
        for scope in sorted(ends, key=lambda each: (seconds(each.until), each.uuid)):
            self.finish(scope)

    def is_agent(self, scope: Scope) -> bool:
        plain = scope.category in ("agent", "workflow")
        return plain or (scope.category in ("", "unknown") and scope.uuid in self.holders)

    def agent_of(self, scope: Scope) -> str:
        """The scope of the agent that this is inside of, found once for each."""
        path: dict[str, None] = {}
        at = scope.parent
        while at in self.found and at not in self.agents and at not in path:
            path[at] = None
            if self.is_agent(self.found[at]):
                break
            at = self.found[at].parent
        holder = (
            at if at in self.found and self.is_agent(self.found[at]) else self.agents.get(at, "")
        )
        self.agents.update(dict.fromkeys((each for each in path if each != holder), holder))
        return holder

    def actor(self, agent: str, model: str = "") -> str:
        scope = self.found.get(agent)
        if scope is None:
            capture = {"instance": "not_captured"}
            return self.builder.actor("agent", model=model or None, capture=capture)
        outer = self.agent_of(scope)
        return self.builder.actor(
            key_of(scope),
            role=scope.name or "agent",
            instance=agent,
            model=model or None,
            parent=key_of(self.found[outer]) if outer and outer != agent else None,
        )

    def step(
        self, scope: Scope, agent: str, kind: StepKind, parts: list[Part], actor: str = ""
    ) -> Draft:
        draft = Draft(
            id=scope.uuid,
            actor=actor or self.actor(agent),
            kind=kind,
            parts=parts,
            order=scope.order,
            pointer=scope.pointers[0],
            also_from=scope.pointers[1:],
            started_at=scope.at,
            ended_at=scope.until,
        )
        return self.builder.add(draft)

    def place(self, draft: Draft, agent: str) -> None:
        for end in self.ends.get(agent, ()):
            self.builder.link(end.id, draft.id, LinkKind.FOLLOWS, SAME_SCOPE)
        for before in self.started.pop(agent, ()):
            self.builder.link(before, draft.id, LinkKind.SPAWN)
        self.ends[agent] = [draft]

    def begin(self, scope: Scope, outer: str) -> None:
        """An agent begins with what it is asked. One inside another is started by it."""
        asked = text_of(scope.data(end=False))
        self.actor(scope.uuid)
        before = [end.id for end in self.ends.get(outer, ())]
        if scope.parent in self.found and not self.is_agent(self.found[scope.parent]):
            before = [scope.parent]
        self.started[scope.uuid] = before
        if outer and not asked:
            for pointer in scope.pointers:
                self.builder.record(pointer, Fate.CONTAINER, scope.name)
            return
        caller = self.actor(outer) if outer else self.builder.actor("user", ActorKind.HUMAN)
        capture = {} if asked else {"text": "not_captured"}
        parts = [Part(PartKind.INPUT, asked, {}, capture)]
        self.place(self.step(scope, scope.uuid, StepKind.INPUT, parts, caller), scope.uuid)
        self.first_words = self.first_words or asked

    def finish(self, scope: Scope) -> None:
        """What an agent answers in the end, which is mostly what a call inside it said last."""
        answer = text_of(scope.data(end=True))
        draft = self.said.get(scope.uuid)
        if answer and answer in self.words:
            self.builder.fold(SAID_AGAIN)
        elif answer:
            parts = [Part(PartKind.MESSAGE, answer)]
            end = Scope(f"{scope.uuid}/end", None, scope.end, scope.pointers[-1:])
            draft = self.step(end, scope.uuid, StepKind.MESSAGE, parts)
            draft.started_at = None
            self.place(draft, scope.uuid)
        outer = self.agent_of(scope)
        if draft and outer in self.ends and outer != scope.uuid:
            later = [each for each in self.ends[outer] if each.order > draft.order]
            for each in later:
                self.builder.link(draft.id, each.id, LinkKind.JOIN, "next step of the caller")

    def model_call(self, scope: Scope, agent: str) -> None:
        profile = loose.mapping(scope.first.get("category_profile"))
        model = loose.text(profile.get("model_name")) or scope.name
        actor = self.actor(agent, model)
        data = scope.data(end=True)
        given = {"role": "assistant", **data} if isinstance(data, Mapping) else data
        said = next(iter(messages([given], "assistant")), None) if data is not None else None
        calls = said.calls if said else ()
        # An answer with an empty text says that there was none.
        empty = isinstance(data, Mapping) and data.get("content", 0) in ("", None)
        silent = [Part(PartKind.MESSAGE, "", {}, {"text": "absent" if empty else "not_captured"})]
        parts = list(said.parts) if said and said.parts else silent
        kind = StepKind.DECISION if calls else StepKind.MESSAGE
        draft = self.step(scope, agent, kind, parts, actor)
        self.place(draft, agent)
        for call in calls:
            if call.id:
                self.calls[call.id] = draft
        self.said[agent] = draft
        self.words.update(part.text for part in parts if part.text)
        self.trouble(scope, draft)

    def tool(self, scope: Scope, agent: str) -> None:
        """A tool, or whatever else is called: a retriever, an embedder, a function."""
        profile = loose.mapping(scope.first.get("category_profile"))
        id_ = loose.name(profile.get("tool_call_id"))
        given = scope.data(end=False)
        call = Call(id_, scope.name or scope.category, "" if given is None else given)
        draft = self.step(scope, agent, StepKind.TOOL, [call.part()])
        draft.tool = call.name
        if scope.end is not None:
            told = {"call": id_} if id_ else {}
            draft.parts.append(
                Part(PartKind.TOOL_RESPONSE, loose.shown(scope.data(end=True)), told)
            )
        if decided := self.calls.get(id_):
            self.builder.link(decided.id, draft.id, LinkKind.CONSUMES)
            ends = [each for each in self.ends.get(agent, ()) if each is not decided]
            self.ends[agent] = [*ends, draft] if len(ends) < 100 else [draft]
        else:
            self.place(draft, agent)
        self.trouble(scope, draft)

    def trouble(self, scope: Scope, draft: Draft) -> None:
        """ATOF has no field for a failure: only what stands in the data tells."""
        data = loose.mapping(scope.data(end=True))
        if data.get("error"):
            draft.status = StepStatus.ERROR

    def opaque(self, scope: Scope, agent: str) -> None:
        """A scope of which nobody says what it is: what went in, and what came out."""
        asked, said = (text_of(scope.data(end=end)) for end in (False, True))
        parts = [Part(PartKind.INPUT, asked)] if asked else []
        capture = {} if said else {"text": "not_captured"}
        parts.append(Part(PartKind.MESSAGE, said, {"scope": scope.name}, capture))
        self.place(self.step(scope, agent, StepKind.MESSAGE, parts), agent)

    def mark(self, scope: Scope, agent: str) -> None:
        data = loose.mapping(scope.data(end=scope.end is not None))
        passed = data.get("passed")
        if scope.category not in CHECKS and not isinstance(passed, bool):
            for pointer in scope.pointers:
                self.builder.record(pointer, Fate.CONTEXT, scope.name or "mark")
            return
        verdict = {True: "passed", False: "failed"}[passed] if isinstance(passed, bool) else ""
        facts = {"check": loose.text(data.get("check")) or scope.name, "verdict": verdict}
        told = {name: value for name, value in facts.items() if value}
        rest = {name: value for name, value in data.items() if name not in ("check", "passed")}
        text = with_facts(loose.shown(rest) if rest else "", fact_lines(told))
        actor = self.builder.actor(scope.name or "guardrail", ActorKind.EVALUATOR)
        part = Part(PartKind.VERIFICATION, text, told)
        draft = self.step(scope, agent, StepKind.VERIFICATION, [part], actor)
        self.place(draft, agent)


def key_of(scope: Scope) -> str:
    return f"{scope.name or 'agent'}@{scope.uuid}"

"""The records of Claude Code's stream-json in turn: messages, results, notes and the end."""

from __future__ import annotations

from dataclasses import dataclass, field

from traces.formats.chat import single
from traces.formats.claude.spawns import MAIN, UNKNOWN_ROLE
from traces.formats.claude.talk import HUMAN, STRUCTURED, Talk, is_interruption, is_rejection
from traces.formats.records.event_log import Entry
from traces.formats.records.loose import Object, digest, items, mapping, shown, text
from traces.formats.steps.building import SENT_AGAIN, Builder, Draft
from traces.formats.steps.conversation import Place, drafted, nth
from traces.formats.steps.ordering import SAME_ACTOR
from traces.transcript import ActorKind, Fate, LinkKind, Part, PartKind, Report, StepKind

SPOKEN = frozenset({"user", "assistant"})
CONTEXT = frozenset({"control_request", "control_response", "rate_limit_event", "keep_alive"})
PARTIAL = "pieces of a reply that comes whole"
LAST_WORDS = "last words said again in the result"


@dataclass(slots=True)
class Stream:
    """The run while its records are read in turn. `ends` are those of each agent's thread."""

    builder: Builder
    session: str
    talk: Talk = field(init=False)
    init: Object = field(default_factory=dict)
    ends: dict[str, dict[str, Draft]] = field(default_factory=dict)
    started: set[str] = field(default_factory=set)
    seen: dict[tuple[str, str], Draft | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.talk = Talk(self.builder)

    def read(self, entry: Entry) -> None:
        value, uuid = entry.value, text(entry.value.get("uuid"))
        place = Place(uuid or entry.pointer, (entry.number, 0), entry.pointer)
        known = (uuid, digest(value))
        if uuid and known in self.seen:
            self.builder.fold(SENT_AGAIN, entry.pointer, self.seen[known])
            return
        kind = text(value.get("type"))
        if kind in SPOKEN and isinstance(value.get("message"), dict):
            self.seen[known] = self.message(value, place)
            return
        self.seen[known] = None
        if kind == "result":
            self.result(value, place)
        elif kind == "system":
            self.note(value, place)
        elif kind == "stream_event":
            self.builder.fold(PARTIAL, place.pointer)
        else:
            fate = Fate.CONTEXT if kind in CONTEXT else Fate.UNMAPPED
            self.builder.record(place.pointer, fate, kind)

    def message(self, value: Object, place: Place) -> Draft:
        thread = text(value.get("parent_tool_use_id"))
        actor = self.actor(thread)
        if value.get("type") == "user":
            return self.heard(value, place, thread, actor)
        reply = self.talk.reply(value["message"], place, actor)
        if reply.begins:
            self.follow(thread, reply.draft)
        self.ends[thread] = {each.id: each for each in reply.asked or [reply.draft]}
        return reply.draft

    def heard(self, value: Object, place: Place, thread: str, actor: str) -> Draft:
        spoken = single.message({**value["message"], "role": "user"}, "user")
        beside = mapping(value.get("tool_use_result"))
        if value.get("tool_use_result") and spoken.answers:
            self.builder.fold(STRUCTURED)
        steps = [
            self.talk.rejected(answer, nth(place, at), actor)
            if is_rejection(answer)
            else self.talk.answer(answer, nth(place, at), beside, actor)
            for at, answer in enumerate(spoken.answers)
        ]
        # Results of calls that were asked for together come one by one.
        self.ends.setdefault(thread, {}).update((step.id, step) for step in steps)
        if spoken.answers and not spoken.parts:
            return steps[0]
        said = "\n".join(part.text for part in spoken.parts)
        if is_interruption(said):
            draft = self.talk.human_decision(said, place)
        else:
            kept = list(spoken.parts) or [Part(PartKind.INPUT, "")]
            speaker = self.speaker(thread)
            draft = self.builder.add(drafted(place, speaker, StepKind.INPUT, kept))
        self.follow(thread, draft)
        self.ends[thread] = {draft.id: draft}
        return draft

    def follow(self, thread: str, draft: Draft) -> None:
        """What an agent heard and did before is known by order; who started a subagent, by id."""
        if thread and thread not in self.started:
            self.started.add(thread)
            call = self.talk.calls.get(thread)
            self.builder.link(call.id if call else thread, draft.id, LinkKind.SPAWN)
        for end in self.ends.get(thread, {}).values():
            if end.kind is StepKind.TOOL:
                # The next thing an agent is sent holds the results of what it asked for.
                self.builder.link(end.id, draft.id, LinkKind.CONSUMES)
            else:
                self.builder.link(end.id, draft.id, LinkKind.FOLLOWS, SAME_ACTOR)
            started = str(end.parts[0].data.get("call") or "") if end.parts else ""
            subagent = self.ends.get(started, {}) if started and started != thread else {}
            for last in subagent.values():
                self.builder.link(last.id, draft.id, LinkKind.JOIN)

    def actor(self, thread: str) -> str:
        """Subagents are told apart by the call that started them."""
        model = text(self.init.get("model")) or None
        if not thread:
            return self.builder.actor(MAIN, instance=self.session or None, model=model)
        call = self.talk.calls.get(thread)
        role = self.talk.roles.get(thread) or UNKNOWN_ROLE
        parent = call.actor if call else None
        key = f"{role} {thread}"
        instance = f"{self.session}/{thread}"
        return self.builder.actor(key, role=role, instance=instance, parent=parent)

    def speaker(self, thread: str) -> str:
        if not thread:
            return self.builder.actor(HUMAN, ActorKind.HUMAN)
        call = self.talk.calls.get(thread)
        return call.actor if call else self.actor("")

    def note(self, value: Object, place: Place) -> None:
        kind = text(value.get("subtype"))
        if kind == "init" and not self.init:
            self.init = value
        self.builder.record(place.pointer, Fate.CONTEXT, f"system {kind}".strip())

    def result(self, value: Object, place: Place) -> None:
        """The end of the loop, as the program tells it; what the agent said last is said again."""
        kind = text(value.get("subtype")) or "result"
        value_of = kind if value.get("is_error") is not True or kind != "success" else "error"
        last = next(reversed(self.ends.get("", {}).values()), None)
        said = text(value.get("result")).strip()
        if last is not None and said and any(part.text.strip() == said for part in last.parts):
            self.builder.fold(LAST_WORDS)
            said = ""
        errors = [shown(each) for each in items(value.get("errors"))]
        detail = "\n".join(filter(None, [said, *errors]))
        self.builder.report(Report(value_of, "framework", detail=detail), last)
        self.builder.record(place.pointer, Fate.CONTEXT, f"result {kind}", last)
        for denied in items(value.get("permission_denials")):
            self.builder.unread[f"denied: {text(mapping(denied).get('tool_name'))}"] += 1

"""Who is who in a Claude Code session: the main agent, its subagents, and which call started each.

A subagent is told by its agent id; in older files its lines stand in the main file and only their
tree tells it. The call that started it is known by that id, else guessed by its prompt.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from traces.formats.base import Json
from traces.formats.chat import reading
from traces.formats.claude.talk import SPAWNING, spawned_agent
from traces.formats.records.event_log import Entry
from traces.formats.records.loose import Object, items, mapping, text
from traces.formats.steps.building import Builder, Draft
from traces.transcript import LinkKind

BY_PROMPT = "prompt of the call"
MAIN, UNKNOWN_ROLE, CALLER = "main", "subagent", "caller"
BACKGROUND = frozenset({"async_launched", "teammate_spawned", "remote_launched"})


@dataclass(frozen=True, slots=True)
class Spawn:
    """A call that starts a subagent, by whose thread it was made, and what it asks for."""

    call: str
    role: str
    prompt: str
    thread: str


@dataclass(slots=True)
class Agents:
    """What is known of the agents of a run once all its lines were looked at."""

    session: str
    uuids: set[str] = field(default_factory=set)
    roots: dict[str, str] = field(default_factory=dict)
    spawns: dict[str, Spawn] = field(default_factory=dict)
    call_of: dict[str, str] = field(default_factory=dict)
    guessed: set[str] = field(default_factory=set)
    background: set[str] = field(default_factory=set)
    tasks: dict[str, str] = field(default_factory=dict)
    # Notes on subagents that lie beside their files, by agent id.
    notes: dict[str, Object] = field(default_factory=dict)
    # What lines of their own say of people's words: what the queue holds is no news then.
    told: set[str] = field(default_factory=set)

    def look(self, lines: Iterable[tuple[Entry, str]]) -> None:
        """Look at all lines, each with the agent id that its file's name tells, if any."""
        for entry, agent in lines:
            value = entry.value
            uuid = text(value.get("uuid"))
            if uuid:
                self.uuids.add(uuid)
                parent = text(value.get("parentUuid"))
                self.roots.setdefault(uuid, self.roots.get(parent, uuid))
            thread = self.thread(value, agent)
            self.look_into(value, thread)
        self.guess()

    def look_into(self, value: Object, thread: str) -> None:
        content = mapping(value.get("message")).get("content")
        if value.get("type") == "attachment":
            self.told.add(text(mapping(value.get("attachment")).get("prompt")))
        if value.get("type") == "assistant":
            for block in items(content):
                self.look_at_call(mapping(block), thread)
        elif value.get("type") == "user":
            words = said(content)
            self.told.add(words)
            if thread:
                self.tasks.setdefault(thread, words)
            results = [each for each in items(content) if mapping(each).get("tool_use_id")]
            if results:
                self.look_at_result(value, results)

    def look_at_call(self, block: Object, thread: str) -> None:
        name, call = block.get("name"), text(block.get("id"))
        if isinstance(name, str) and name in SPAWNING and call:
            given = mapping(block.get("input"))
            role = text(given.get("subagent_type")) or UNKNOWN_ROLE
            self.spawns.setdefault(call, Spawn(call, role, text(given.get("prompt")), thread))

    def look_at_result(self, value: Object, results: Sequence[Json]) -> None:
        call = text(mapping(results[0]).get("tool_use_id"))
        if call not in self.spawns:
            return
        beside = mapping(value.get("toolUseResult") or value.get("tool_use_result"))
        own = text(value.get("agentId")) if value.get("isSidechain") is not True else ""
        if agent := spawned_agent(beside, results) or own:
            self.call_of.setdefault(agent, call)
        status = beside.get("status")
        if (isinstance(status, str) and status in BACKGROUND) or beside.get("isAsync") is True:
            self.background.add(call)

    def guess(self) -> None:
        """Subagents whose call no result names: by a note, else the first call of their prompt."""
        for agent, note in self.notes.items():
            call = text(note.get("toolUseId"))
            if call in self.spawns:
                self.call_of.setdefault(agent, call)
        taken = set(self.call_of.values())
        free: defaultdict[str, list[str]] = defaultdict(list)
        for spawn in reversed(self.spawns.values()):
            if spawn.call not in taken and spawn.prompt:
                free[spawn.prompt].append(spawn.call)
        for thread, task in self.tasks.items():
            if thread not in self.call_of and free[task]:
                self.call_of[thread] = free[task].pop()
                self.guessed.add(thread)

    def thread(self, value: Object, agent: str) -> str:
        """Which agent a line is of: empty for the main one, else the subagent's id."""
        if value.get("isSidechain") is True:
            uuid = text(value.get("uuid"))
            return text(value.get("agentId")) or agent or self.roots.get(uuid, uuid) or UNKNOWN_ROLE
        own = text(value.get("sessionId"))
        return f"session {own}" if own and own != self.session else ""

    def actor(self, builder: Builder, value: Object, agent: str) -> str:
        name = text(value.get("agentName")) if value.get("isSidechain") is not True else ""
        return self.actor_of(builder, self.thread(value, agent), name)

    def actor_of(self, builder: Builder, thread: str, name: str = "") -> str:
        if not thread:
            return builder.actor(name or MAIN, instance=self.session or None)
        if thread.startswith("session "):
            instance = thread.removeprefix("session ")
            return builder.actor(f"{MAIN} {instance}", role=MAIN, instance=instance)
        spawn = self.spawns.get(self.call_of.get(thread, ""))
        role = self.role(thread)
        parent = None
        if spawn and spawn.thread != thread:
            parent = MAIN if not spawn.thread else self.key(spawn.thread)
        instance = f"{self.session}/{thread}"
        return builder.actor(self.key(thread), role=role, instance=instance, parent=parent)

    def key(self, thread: str) -> str:
        return f"{self.role(thread)} {thread}"

    def role(self, thread: str) -> str:
        spawn = self.spawns.get(self.call_of.get(thread, ""))
        noted = text(self.notes.get(thread, {}).get("agentType"))
        return spawn.role if spawn else noted or UNKNOWN_ROLE

    def caller(self, builder: Builder, value: Object, agent: str) -> str:
        """Who tells a subagent what to do; empty for a line of the main agent."""
        thread = self.thread(value, agent)
        if not thread or thread.startswith("session "):
            return ""
        spawn = self.spawns.get(self.call_of.get(thread, ""))
        if spawn and spawn.thread != thread:
            return self.actor_of(builder, spawn.thread)
        return builder.actor(CALLER, capture={"instance": "not_captured"})

    def connect(
        self,
        builder: Builder,
        calls: Mapping[str, Draft],
        first: Mapping[str, Draft],
        last: Mapping[str, Draft],
    ) -> None:
        """Link each call to its subagent's first step, and the last one to who has the result."""
        after: defaultdict[str, list[str]] = defaultdict(list)
        for edge in builder.edges:
            after[edge.source].append(edge.target)
        for thread, start in first.items():
            call = calls.get(self.call_of.get(thread, ""))
            if call is None or start is call:
                continue
            rule = BY_PROMPT if thread in self.guessed else ""
            builder.link(call.id, start.id, LinkKind.SPAWN, rule)
            if self.call_of[thread] not in self.background:
                for target in after[call.id]:
                    builder.link(last[thread].id, target, LinkKind.JOIN, rule)


def said(content: Json) -> str:
    """The plain text of a prompt."""
    spoken = reading.messages([{"role": "user", "content": content}])
    return spoken[0].text if spoken else ""

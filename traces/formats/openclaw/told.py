"""What the histories in an openclaw log tell, so that other records need not tell it again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from traces.formats.openclaw.messages import asked, calls_of, spoken
from traces.formats.records.event_log import Entry
from traces.formats.records.loose import digest, objects, text
from traces.formats.records.times import moment

AGENT = "agent"


@dataclass(slots=True)
class Told:
    """All that is told more than once. `again`: starts that are told a second time, with more."""

    again: set[int] = field(default_factory=set)
    timed: bool = True
    # What messages tell: prompts and words by session, calls by session, tool and arguments.
    prompts: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    words: set[str] = field(default_factory=set)
    calls: Counter[str] = field(default_factory=Counter)

    def look(self, entries: Iterable[Entry]) -> None:
        """Look at all histories first: what they tell, other records need not."""
        seen: set[tuple[str, str]] = set()
        last: dict[str, tuple[str, int]] = {}
        for entry in entries:
            session = text(entry.value.get("sessionKey"))
            self.timed = self.timed and moment(entry.value.get("ts")) is not None
            self.look_at_start(entry, session, last)
            for message in objects(entry.value.get("messages")):
                known = (session, digest(message))
                if known in seen:
                    continue
                seen.add(known)
                said = spoken(message)
                if message.get("role") == "user":
                    self.prompts[session] |= {said, said.rpartition("\n\n")[2]}
                elif message.get("role") == "assistant":
                    self.words.add(said)
                    for call in calls_of(message):
                        self.calls[asked(whose(session), call.name, call.arguments)] += 1

    def look_at_start(self, entry: Entry, session: str, last: dict[str, tuple[str, int]]) -> None:
        """A start is told twice, the second time with the history: that one counts."""
        kind, prompt = entry.value.get("type"), text(entry.value.get("prompt"))
        if kind == "agent.end":
            last.pop(session, None)
        elif kind == "agent.start":
            if session in last and last[session][0] == prompt:
                self.again.add(last[session][1])
            last[session] = (prompt, entry.number)


def whose(session: str) -> str:
    """Whose calls: a subagent's own; others of one agent may be told under several keys."""
    return session if ":subagent:" in session else ":".join(session.split(":")[:2])


def role_of(session: str) -> str:
    """A subagent is one by its key; another session is its agent's."""
    named = session.split(":")[1:2] or [AGENT]
    return "subagent" if ":subagent:" in session else named[0] or AGENT

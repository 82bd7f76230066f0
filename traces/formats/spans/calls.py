"""Tool calls: what a model asked for and the span of the tool that did it, brought together.

By the call's id where both have it, else by name and arguments in their order.
"""

from __future__ import annotations

import json
from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Iterator, Sequence

from traces.compact import compact
from traces.formats.base import Json
from traces.formats.chat.message import Call
from traces.formats.spans.json_text import opened
from traces.formats.spans.span import Role
from traces.formats.spans.tree import Node, Place
from traces.formats.steps.building import Draft

BY_ARGUMENTS = "equal name and arguments, in their order"
BY_NAME = "equal name, in their order"
BY_PASSING = "last call before the handoff that hands over"
# Shorter texts stand in many others by chance.
TELLING = 4
# What JSON that is not a number or a word begins with.
JSON = ("{", "[", '"')
# What tools that hand over are called.
PASSING = ("transfer", "handoff", "hand_off", "delegate")
# Calls of one tool, or of one id, that a span or an answer is compared with.
MOST = 200


class Asked:
    """A call that a model asked for. `draft` is its step, once it has one."""

    __slots__ = ("actor", "by", "call", "draft", "id", "place", "pointer")

    def __init__(self, call: Call, by: Draft, place: Place, number: int) -> None:
        self.call, self.by, self.place = call, by, place
        self.actor, self.pointer = by.actor, by.pointer
        self.id = f"{by.id}.{number}"
        self.draft: Draft | None = None


class Calls:
    """All calls of a run: those asked for, and those whose step is known."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.by_id: defaultdict[str, list[Asked]] = defaultdict(list)
        self.by_name: defaultdict[str, list[Asked]] = defaultdict(list)
        self.done: defaultdict[str, list[Draft]] = defaultdict(list)
        # Those that have no id, by who asked for them and their names.
        self.nameless: defaultdict[tuple[str, str], list[Asked]] = defaultdict(list)

    def ask(self, asked: Asked) -> Asked:
        self.asked.append(asked)
        if asked.call.id:
            self.by_id[asked.call.id].append(asked)
        else:
            self.nameless[asked.actor, spelled(asked.call.name)].append(asked)
        self.by_name[spelled(asked.call.name)].append(asked)
        return asked

    def of(self, node: Node) -> tuple[Asked | None, str]:
        """The call that a tool's span answers, and the rule that says so if no id does."""
        facts = node.facts
        if facts.call and facts.call in self.by_id:
            return nearest(self.by_id[facts.call], node), ""
        if facts.call:
            return self.without_id(facts.tool, facts.arguments, node), BY_ARGUMENTS
        if facts.role is Role.HANDOFF and not facts.tool:
            return self.passing(node), BY_PASSING
        fitting = [each for each in self.waiting(facts.tool) if each.place <= node.place]
        own = [each for each in fitting if each.actor == node.actor] or fitting
        if facts.arguments is not None:
            wanted = key_of(facts.arguments)
            for asked in own:
                if key_of(asked.call.arguments) == wanted:
                    return asked, BY_ARGUMENTS
        return (own[0], BY_NAME) if own else (None, "")

    def without_id(self, tool: str, arguments: Json, node: Node) -> Asked | None:
        """The last open call without an id that a tool's span answers which does have one."""
        known = self.nameless.get((node.actor, spelled(tool)), ())
        fitting = (each for each in known[-MOST:] if each.draft is None)
        return next(
            (each for each in fitting if each.place <= node.place and alike(each.call, arguments)),
            None,
        )

    def knows(self, call: Call, node: Node) -> bool:
        """Whether a call that stands in a prompt is known: by its id, else by what it asked for."""
        if call.id:
            return bool(self.done.get(call.id))
        known = self.nameless.get((node.actor, spelled(call.name)), ())
        return any(
            each.place < node.place and alike(each.call, call.arguments) for each in known[-MOST:]
        )

    def asking(self, calls: Sequence[Call]) -> Draft | None:
        """The model call that asked for the first of these, if its id tells."""
        asked = self.by_id.get(calls[0].id) if calls else None
        return asked[-1].by if asked else None

    def passing(self, node: Node) -> Asked | None:
        """The last call of the agent before a handoff whose name says that it hands over."""
        own = (each for each in reversed(self.asked[-MOST:]) if each.actor == node.actor)
        return next((each for each in own if passes(each) and each.place <= node.place), None)

    def waiting(self, name: str) -> list[Asked]:
        """The first calls of a tool that have no step yet."""
        known = self.by_name.get(spelled(name))
        if not known:
            return []
        done = next((n for n, each in enumerate(known) if each.draft is None), len(known))
        del known[:done]
        return [each for each in known[:MOST] if each.draft is None]

    def without_step(self) -> Iterator[Asked]:
        return (each for each in self.asked if each.draft is None)

    def answer(self, call: str, draft: Draft) -> None:
        """Note the step of a call that has an id, in order of its place."""
        insort(self.done[call], draft, key=start_of)

    def answered_by(self, call: str, actor: str, place: Place) -> Draft | None:
        """The step of the nearest call before this place that has the id, of this agent first."""
        steps = self.done.get(call)
        if not steps:
            return None
        end = bisect_right(steps, place[0], key=start_of)
        before = steps[max(0, end - MOST) : end] or steps[:1]
        return next((each for each in reversed(before) if each.actor == actor), before[-1])


def start_of(draft: Draft) -> float:
    return float(draft.order[0])


def passes(asked: Asked) -> bool:
    return asked.draft is None and any(word in asked.call.name.lower() for word in PASSING)


def nearest(calls: Sequence[Asked], node: Node) -> Asked | None:
    """The last open call before a tool's span, of its agent if it has one; else the next of all."""
    end = bisect_right(calls, node.place, key=lambda each: each.place)
    before = [each for each in calls[max(0, end - MOST) : end] if each.draft is None]
    own = [each for each in before if each.actor == node.actor] or before
    later = (each for each in calls[end : end + MOST] if each.draft is None)
    return own[-1] if own else next(later, None)


def spelled(name: str) -> str:
    """A tool's name as models may spell it: some frameworks call it "Find order" themselves."""
    return name.lower().replace(" ", "_")


SORTED = json.JSONEncoder(sort_keys=True, ensure_ascii=False, default=str)


def alike(call: Call, arguments: Json) -> bool:
    """Whether a call has these arguments; no arguments are as good as an empty object."""
    return key_of(call.arguments or {}) == key_of(arguments or {})


def key_of(arguments: Json) -> str:
    """Arguments in one spelling, to compare them."""
    value = opened(arguments)
    if isinstance(value, dict | list):
        return SORTED.encode(value)
    return value if isinstance(value, str) else compact(value)


def same_text(one: str, other: str) -> bool:
    """Whether two texts say the same, be it in other spellings of one JSON value."""
    if one == other or one.strip() == other.strip():
        return True
    return one[:1] in JSON and other[:1] in JSON and key_of(one) == key_of(other)


def tells(result: str, told: str) -> bool:
    """Whether what a model was told of a result is that, or has it somewhere."""
    return (len(result) >= TELLING and result in told) or same_text(result, told)

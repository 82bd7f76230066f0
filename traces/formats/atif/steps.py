"""The steps of ATIF trajectories: one agent each, with the trajectories it refers to.

A subagent's trajectory stands between the step that refers to it and the next one; a
continuation comes behind the trajectory that names it. Steps marked as copied context are told
only if what they were copied from is not here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from traces.formats.base import Json
from traces.formats.chat.message import Answer, Call, Message
from traces.formats.chat.pieces import Pieces
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.records.times import moment
from traces.formats.steps.building import Builder, Draft
from traces.formats.steps.conversation import HEARD, Conversation, Place
from traces.transcript import ActorKind, Fate, LinkKind, Part, PartKind

COPIED = "context copied from another trajectory"
# Keys of a step that have a place of their own; what else there is stays with the step.
PLACED = frozenset(
    {"step_id", "timestamp", "source", "message", "reasoning_content", "tool_calls"}
    | {"observation"}
)
# Behind a step's calls, which are numbered from 1.
OBSERVED, BELOW = 100_000, 200_000


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A trajectory and its place: `prefix` is put before the pointers of its steps."""

    value: Object
    prefix: str = ""
    file: str = ""

    @property
    def agent(self) -> str:
        return loose.name(loose.at(self.value, "agent", "name")) or "agent"

    @property
    def id(self) -> str:
        return loose.name(self.value.get("trajectory_id")) or self.session

    @property
    def session(self) -> str:
        return loose.name(self.value.get("session_id"))

    def steps(self) -> list[tuple[int, Json]]:
        """The steps with their indexes, by their numbers if all have one, else as they stand."""
        listed = list(enumerate(loose.items(self.value.get("steps"))))
        numbers = [loose.number(loose.mapping(step).get("step_id")) for _, step in listed]
        if None in numbers:
            return listed
        return sorted(listed, key=lambda each: (numbers[each[0]] or 0, each[0]))


@dataclass(slots=True)
class Story:
    """A run while its trajectories are told. `files` are those that may be referred to."""

    builder: Builder
    files: Mapping[str, Trajectory] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    said: set[str] = field(default_factory=set)

    def tell(self, trajectory: Trajectory, order: tuple[int, ...] = (), caller: str = "") -> Thread:
        """All steps of a trajectory, of its subagents, and of what continues it."""
        thread = Thread(self, trajectory, order, caller)
        thread.tell()
        return thread

    def referred(self, trajectory: Trajectory, path: str, name: str) -> Trajectory | None:
        """The trajectory behind a reference: one that is embedded, else another file."""
        embedded = loose.items(trajectory.value.get("subagent_trajectories"))
        for index, value in enumerate(embedded):
            found = Trajectory(
                loose.mapping(value), f"{trajectory.prefix}/subagent_trajectories/{index}"
            )
            if name and name in (found.id, found.session):
                return found
        return next(
            (self.files[each] for each in names(trajectory.file, path) if each in self.files), None
        )


def names(file: str, path: str) -> list[str]:
    """What a file may be called that another one refers to: beside it, or with its prefix."""
    if not path:
        return []
    path = path.removeprefix("./")
    folder = file[: file.rfind("/") + 1]
    begin = file[: max(file.rfind("trajectory"), 0)]
    return list(dict.fromkeys((f"{folder}{path}", f"{begin}{path}")))


@dataclass(slots=True)
class Thread:
    """One trajectory while it is told."""

    story: Story
    trajectory: Trajectory
    order: tuple[int, ...]
    caller: str
    talk: Conversation = field(init=False)
    first: Draft | None = None
    joining: list[Draft] = field(default_factory=list)

    def __post_init__(self) -> None:
        value, name = self.trajectory.value, self.trajectory.agent
        main = not self.story.told
        key = name if main else f"{name} {self.trajectory.id or self.trajectory.prefix}"
        self.story.told.append(self.trajectory.file or self.trajectory.prefix)
        actor = self.story.builder.actor(
            key,
            role=name,
            instance=self.trajectory.id or None,
            model=loose.text(loose.at(value, "agent", "model_name")) or None,
            parent=self.caller or None,
        )
        self.talk = Conversation(self.story.builder, actor)

    def tell(self) -> None:
        """The steps of the trajectory and of all that continue it."""
        number = 0
        following: Trajectory | None = self.trajectory
        while following:
            trajectory = following
            for index, step in trajectory.steps():
                pointer = f"{trajectory.prefix}/steps/{index}"
                if isinstance(step, Mapping):
                    self.step(step, pointer, number, trajectory)
                else:
                    self.story.builder.record(pointer, Fate.UNMAPPED, "no step")
                    self.story.builder.gap("undecodable_step", f"This is no step: {pointer}.")
                number += 1
            following = self.next(trajectory)

    def next(self, trajectory: Trajectory) -> Trajectory | None:
        path = loose.text(trajectory.value.get("continued_trajectory_ref"))
        found = self.story.referred(trajectory, path, "") if path else None
        if path and not found:
            self.story.missing.append(path)
        if found is None or found.file in self.story.told:
            return None
        self.story.told.append(found.file)
        return found

    def step(self, step: Object, pointer: str, number: int, trajectory: Trajectory) -> None:
        said = loose.digest([step.get("source"), step.get("message"), step.get("tool_calls")])
        if step.get("is_copied_context") is True and said in self.story.said:
            self.story.builder.fold(COPIED, pointer)
            return
        self.story.said.add(said)
        own = loose.name(step.get("step_id")) or str(number + 1)
        prefix = "" if not self.order and trajectory is self.trajectory else f"{ident(trajectory)}/"
        at = moment(step.get("timestamp"))
        place = Place(f"{prefix}{own}", (*self.order, number), pointer, at)
        draft = self.say(step, place)
        kind = LinkKind.JOIN if len(self.joining) > 1 else LinkKind.CONSUMES
        for each in self.joining:
            self.story.builder.link(each.id, draft.id, kind)
        self.joining = []
        self.first = self.first or draft
        self.observe(step, place, draft, trajectory)

    def say(self, step: Object, place: Place) -> Draft:
        source = loose.text(step.get("source"))
        pieces = Pieces(PartKind.MESSAGE if source == "agent" else PartKind.INPUT)
        pieces.thought(step.get("reasoning_content"))
        pieces.content(step.get("message"))
        rest = {key: value for key, value in step.items() if key not in PLACED and value}
        message = Message("assistant", parts=tuple(pieces.parts), calls=calls(step), rest=rest)
        if source == "agent":
            return self.talk.decide(message, place)
        who, kind = self.caller, ActorKind.AGENT
        if source != "user" or not who:
            who, kind = source or "unknown", HEARD.get(source, ActorKind.HARNESS)
        parts = list(pieces.parts) or [Part(PartKind.INPUT, "")]
        if rest:
            parts[0] = Part(parts[0].kind, parts[0].text, {**parts[0].data, "message": rest})
        return self.talk.hear(parts, place, self.story.builder.actor(who, kind))

    def observe(self, step: Object, place: Place, draft: Draft, trajectory: Trajectory) -> None:
        """What came back: to the calls by their ids, else from the environment."""
        known = {loose.name(call.get("tool_call_id")) for call in called(step)}
        for index, result in enumerate(loose.objects(loose.at(step, "observation", "results"))):
            order = (*place.order, OBSERVED + index)
            there = Place(f"{place.id}.observed.{index + 1}", order, place.pointer, place.at)
            call, text, data = loose.name(result.get("source_call_id")), *content(result)
            if call and call in known:
                self.talk.answer(Answer(call, "", text, data=data), there)
            elif text or data:
                who = self.story.builder.actor("environment", ActorKind.ENVIRONMENT)
                self.talk.hear([Part(PartKind.INPUT, text, data)], there, who)
            for number, ref in enumerate(loose.objects(result.get("subagent_trajectory_ref"))):
                self.descend(ref, (*place.order, BELOW + index, number), draft, trajectory)

    def descend(
        self, ref: Object, order: tuple[int, ...], draft: Draft, trajectory: Trajectory
    ) -> None:
        path = loose.text(ref.get("trajectory_path"))
        name = loose.name(ref.get("trajectory_id")) or loose.name(ref.get("session_id"))
        found = self.story.referred(trajectory, path, name)
        if found is None or (found.file or found.prefix) in self.story.told:
            if found is None:
                self.story.missing.append(path or name or "a trajectory without a name")
            return
        below = self.story.tell(found, order, self.talk.agent)
        if below.first:
            self.story.builder.link(draft.id, below.first.id, LinkKind.SPAWN)
        self.joining.extend(below.talk.ends)


def ident(trajectory: Trajectory) -> str:
    return trajectory.file or trajectory.id or trajectory.prefix


def called(step: Object) -> list[Object]:
    return loose.objects(step.get("tool_calls"))


def calls(step: Object) -> tuple[Call, ...]:
    return tuple(
        Call(
            loose.name(call.get("tool_call_id")),
            loose.text(call.get("function_name")) or "unknown tool",
            call.get("arguments"),
        )
        for call in called(step)
    )


def content(result: Object) -> tuple[str, dict[str, Json]]:
    """The text of a result, and what of it is no text."""
    pieces = Pieces(PartKind.TOOL_RESPONSE)
    pieces.content(result.get("content"))
    data = [dict(part.data) for part in pieces.parts if part.data]
    text = "\n".join(part.text for part in pieces.parts)
    rest = {k: v for k, v in result.items() if k not in RESULT and v}
    return text, ({"pieces": data} if data else {}) | ({"message": rest} if rest else {})


RESULT = frozenset({"source_call_id", "content", "subagent_trajectory_ref"})

"""The threads of an ADK run: one for each branch, that joins again in what is on none of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from traces.completeness import listed
from traces.formats.base import Json
from traces.formats.chat.message import Answer, Message
from traces.formats.chat.reading import messages, opened
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.records.times import moment
from traces.formats.steps.building import Builder, Draft
from traces.formats.steps.conversation import Conversation, Place, drafted, with_data
from traces.transcript import ActorKind, LinkKind, Part, PartKind, StepKind, StepStatus

PIECES = "streamed pieces before the whole"
NEW_BRANCH = "first event of a branch"
AFTER_BRANCHES = "first event after parallel branches, on none of them"
ADDRESSED = "next step of the agent that was transferred to"
# Levels of a branch that are told apart.
DEEPEST = 32
TRANSFERS = frozenset({"transfer_to_agent", "transfer_to_other_agent"})
READ = frozenset(
    {"id", "author", "branch", "timestamp", "content", "actions", "partial", "modelVersion"}
    | {"invocationId", "invocation_id", "model_version", "finishReason", "finish_reason"}
    | {"errorCode", "error_code", "errorMessage", "error_message"}
)


@dataclass(slots=True)
class Branches:
    """The open branches of a run while its events are read in turn."""

    builder: Builder
    talks: dict[str, Conversation] = field(default_factory=dict)
    below: dict[str, list[str]] = field(default_factory=dict)
    pieces: dict[str, list[tuple[Object, str, int]]] = field(default_factory=dict)
    waiting: dict[str, str] = field(default_factory=dict)
    before: list[tuple[Draft, LinkKind, str]] = field(default_factory=list)

    def add(self, event: Object, pointer: str, index: int) -> None:
        """Read the next event. What is only a piece of a stream waits for the whole."""
        author = loose.text(event["author"])
        if event.get("partial") is True:
            self.pieces.setdefault(author, []).append((event, pointer, index))
            return
        draft = self.read(event, pointer, index)
        for _, place, _ in self.pieces.pop(author, ()):
            self.builder.fold(PIECES, place, draft)

    def read(self, event: Object, pointer: str, index: int) -> Draft | None:
        """The steps of an event: what is said, what is called, what is answered, what changed."""
        author, branch = loose.text(event["author"]), loose.text(event.get("branch"))
        place = Place(
            loose.name(event.get("id")) or pointer,
            (index, 0),
            pointer,
            moment(event.get("timestamp")),
        )
        who, talk = self.actor(author, branch, event), self.talk(branch, author)
        before = len(self.builder.drafts)
        said = self.said(event, author)
        draft = self.answered(said, place, talk)
        if said.parts or said.calls or not said.answers:
            draft = self.spoken(event, said, place, talk, who) or draft
        self.changes(event, place, draft, talk, who)
        self.transfer(event, draft)
        for name in event.keys() - READ:
            if event[name] not in (None, {}, [], "", False):
                self.builder.unread[name] += 1
        count = len(self.builder.drafts) - before
        self.arrive(author, list(islice(reversed(self.builder.drafts), count))[::-1])
        return draft

    def said(self, event: Object, author: str) -> Message:
        content = bare(event.get("content"))
        role = "user" if author == "user" else "assistant"
        parts = content.get("parts") if isinstance(content, Mapping) else content
        return messages([{"role": role, "content": parts or []}])[0]

    def answered(self, said: Message, place: Place, talk: Conversation) -> Draft | None:
        drafts = [
            talk.answer(
                judged(answer),
                Place(f"{place.id}.{i}", (*place.order[:1], i), place.pointer, place.at),
            )
            for i, answer in enumerate(said.answers, start=1)
        ]
        return drafts[-1] if drafts else None

    def spoken(
        self, event: Object, said: Message, place: Place, talk: Conversation, who: str
    ) -> Draft | None:
        """A step for a model call or for what the user said; none for an event without content."""
        error = loose.name(event.get("errorCode") or event.get("error_code"))
        if event.get("author") == "user":
            return talk.hear(said.parts, place, who)
        if not (said.parts or said.calls or error):
            return None
        if not (said.parts or error) and [call.name in TRANSFERS for call in said.calls] == [True]:
            # A model call that only passes control is the handoff, and no step besides.
            draft = talk.ask(said.calls[0], place, None, who)
            talk.ends = [draft]
            self.hand_over(draft, "")
            return draft
        parts = said.parts or (Part(PartKind.MESSAGE, "", {}, {"text": "not_captured"}),)
        finish = loose.name(event.get("finishReason") or event.get("finish_reason"))
        draft = talk.decide(
            Message("assistant", parts=parts, calls=said.calls, finish=finish), place, who
        )
        if error:
            text = loose.text(event.get("errorMessage") or event.get("error_message"))
            draft.parts.append(Part(PartKind.ERROR, text or error, {"code": error}))
            draft.status = StepStatus.ERROR
        return draft

    def changes(
        self, event: Object, place: Place, draft: Draft | None, talk: Conversation, who: str
    ) -> None:
        """What the event changed in the session's state and artifacts."""
        actions = loose.mapping(event.get("actions"))
        parts = [
            loose.state(name, change=loose.shown(value))
            for key in ("stateDelta", "state_delta")
            for name, value in loose.mapping(actions.get(key)).items()
        ]
        parts += [
            loose.state(name, after=loose.name(version))
            for key in ("artifactDelta", "artifact_delta")
            for name, version in loose.mapping(actions.get(key)).items()
        ]
        if draft is None:
            kind = StepKind.STATE if parts else StepKind.MESSAGE
            silent = [Part(PartKind.MESSAGE, "", {}, {"text": "not_captured"})]
            draft = self.builder.add(drafted(place, who, kind, parts or silent))
            talk.follow(draft)
            talk.ends = [draft]
        else:
            draft.parts.extend(parts)
            draft.read_from(place.pointer)
        if actions.get("escalate"):
            draft.parts[0] = with_data(draft.parts[0], escalate=True)

    def transfer(self, event: Object, draft: Draft | None) -> None:
        """A transfer to another agent is the tool call that asked for it."""
        actions = loose.mapping(event.get("actions"))
        to = loose.text(actions.get("transferToAgent") or actions.get("transfer_to_agent"))
        if draft and (to or draft.tool in TRANSFERS):
            self.hand_over(draft, to)

    def hand_over(self, draft: Draft, to: str) -> None:
        to = to or loose.text(loose.at(_arguments(draft), "agent_name"))
        if to:
            draft.kind = StepKind.HANDOFF
            draft.parts[0] = with_data(draft.parts[0], to=to)
            self.waiting[to] = draft.id

    def arrive(self, author: str, new: list[str]) -> None:
        if new:
            for end, kind, rule in self.before:
                self.builder.link(end.id, new[0], kind, rule)
            self.before = []
        handed = self.waiting.get(author)
        if handed and new and handed not in new:
            del self.waiting[author]
            self.builder.link(handed, new[0], LinkKind.HANDOFF, ADDRESSED)

    def actor(self, author: str, branch: str, event: Object) -> str:
        if author == "user":
            return self.builder.actor(author, ActorKind.HUMAN)
        key = f"{author}@{branch}" if branch else author
        capture = {} if branch else {"instance": "not_captured"}
        model = loose.text(event.get("modelVersion") or event.get("model_version")) or None
        return self.builder.actor(
            key, role=author, instance=branch or None, model=model, capture=capture
        )

    def talk(self, branch: str, author: str) -> Conversation:
        """The branch's thread. A new one goes on from the nearest it came from; one that has
        branches of its own open comes after all of them."""
        talk = self.talks.get(branch)
        if talk is None:
            talk = self.talks[branch] = Conversation(self.builder, author)
            kind = LinkKind.SPAWN if branch else LinkKind.FOLLOWS
            self.before = [(end, kind, NEW_BRANCH) for end in self.origin(branch)]
            for above in aboves(branch):
                self.below.setdefault(above, []).append(branch)
        open_ones = [self.talks.pop(each, None) for each in self.below.pop(branch, ())]
        ends = [end for each in open_ones if each for end in each.ends]
        if ends:
            talk.ends = []
            self.before = [(end, LinkKind.JOIN, AFTER_BRANCHES) for end in ends]
        return talk

    def origin(self, branch: str) -> list[Draft]:
        for above in aboves(branch):
            talk = self.talks.get(above)
            if talk is not None and talk.ends:
                return list(talk.ends)
        return []

    def finish(self) -> None:
        """Pieces whose whole never came are all there is of it."""
        alone = [piece for pieces in self.pieces.values() for piece in pieces]
        for event, pointer, index in alone:
            draft = self.read({**event, "partial": False}, pointer, index)
            if draft:
                draft.capture["text"] = "damaged"
        if alone:
            places = listed([pointer for _, pointer, _ in alone])
            self.builder.gap("cut_text", f"Pieces of a stream without the whole: {places}.")
        for talk in self.talks.values():
            talk.note_reused()


def aboves(branch: str) -> list[str]:
    """The branches that a branch may have come from, the nearest first."""
    names = branch.split(".", DEEPEST) if branch else []
    return [".".join(names[:length]) for length in range(len(names) - 1, -1, -1)]


def bare(value: Json) -> Json:
    """Content without the fields that are only named, as dumps in snake case have them."""
    parts = loose.at(value, "parts")
    kept: list[Any] = [
        {name: each for name, each in part.items() if each is not None}
        for part in loose.objects(parts)
    ]
    return {"parts": kept}


def judged(answer: Answer) -> Answer:
    """ADK has no place for a failure but the response; it wraps results that are no objects."""
    said = loose.mapping(opened(answer.text))
    status = loose.text(said.get("status")).lower()
    failed = True if said.get("error") or status in ("error", "failed") else None
    name, inner = next(iter(said.items())) if len(said) == 1 else ("", None)
    if name not in ("result", "error") or not isinstance(inner, str):
        return replace(answer, failed=failed)
    return replace(answer, failed=failed, text=inner, data={**answer.data, "wrapped": name})


def _arguments(draft: Draft) -> Json:
    request = next((part for part in draft.parts if part.kind is PartKind.TOOL_REQUEST), None)
    return opened(request.text) if request else None

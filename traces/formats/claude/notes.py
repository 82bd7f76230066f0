"""What Claude Code writes between the messages: errors, retries, summaries, state, attachments."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from traces.formats.claude import spawns
from traces.formats.claude.talk import HUMAN
from traces.formats.records.loose import Object, mapping, shown, text
from traces.formats.steps.building import Draft
from traces.formats.steps.conversation import Place, drafted
from traces.transcript import ActorKind, Fate, LinkKind, Part, PartKind, StepKind, StepStatus

if TYPE_CHECKING:
    from traces.formats.claude.session import Session

REWOUND = "The conversation was set back to before this prompt and went on with a later one."
# An operation on the queue of prompts by which one reaches the agent while it works.
STEERED = "remove"
# Lines that say how the program is doing, and nothing of what the agent did.
CONTEXT = frozenset(
    {"progress", "custom-title", "ai-title", "agent-name", "agent-color"}
    | {"agent-setting", "last-prompt", "tag", "mode", "permission-mode", "pr-link", "result"}
    | {"worktree-state", "content-replacement", "marble-origami-commit", "started"}
    | {"file-history-delta", "attribution-snapshot", "speculation-accept"}
)


def read(session: Session, value: Object, place: Place) -> list[Draft]:
    """The steps of a line that is no message; one without any is noted with what became of it."""
    kind = text(value.get("type"))
    reader = READERS.get(kind)
    if reader is not None:
        return reader(session, value, place)
    if kind in CONTEXT:
        data = mapping(value.get("data"))
        if "message" in data:
            # What a subagent says meanwhile: its own file tells it too, if it is here.
            session.builder.unread["progress of a subagent"] += 1
        note(session, place, f"{kind} {text(data.get('type'))}".strip())
    else:
        label = f"{kind} without content" if kind in ("user", "assistant") else kind
        session.builder.record(place.pointer, Fate.UNMAPPED, label)
    return []


def note(session: Session, place: Place, label: str) -> None:
    session.builder.record(place.pointer, Fate.CONTEXT, label)


def system(session: Session, value: Object, place: Place) -> list[Draft]:
    kind = text(value.get("subtype"))
    if kind == "api_error":
        return [api_error(session, value, place)]
    content = text(value.get("content"))
    if not content:
        note(session, place, f"system {kind}".strip())
        return []
    if kind in ("compact_boundary", "microcompact_boundary"):
        data = {"subtype": kind, **mapping(value.get("compactMetadata"))}
        return [told(session, place, StepKind.STATE, Part(PartKind.STATE, content, data))]
    part = Part(PartKind.INPUT, content, {"subtype": kind} if kind else {})
    return [told(session, place, StepKind.INPUT, part)]


def api_error(session: Session, value: Object, place: Place) -> Draft:
    """A call of the model that failed, and which attempt it was."""
    reason = error_text(value.get("error") or value.get("cause"))
    draft = error(session, reason, place)
    attempt = value.get("retryAttempt")
    if isinstance(attempt, int) and not isinstance(attempt, bool):
        draft.attempt = attempt
    actor = session.agents.actor(session.builder, value, session.file_agent)
    before = session.failing.get(actor)
    if before is not None:
        session.builder.link(before.id, draft.id, LinkKind.RETRY_OF)
        draft.attempt_reason = before.parts[0].text
        draft.attempt_by = session.harness()
    session.failing[actor] = draft
    return draft


def error_text(value: object) -> str:
    given = mapping(value)
    inner = mapping(mapping(given.get("error")).get("error")) or mapping(given.get("error"))
    said = text(inner.get("message")) or text(given.get("message"))
    return said or (shown(value) if value else "")


def error(session: Session, said: str, place: Place) -> Draft:
    draft = told(session, place, StepKind.ERROR, Part(PartKind.ERROR, said))
    draft.status = StepStatus.ERROR
    return draft


def tried_again(session: Session, actor: str, reply: Draft) -> None:
    """The reply that came after failed calls is the next attempt."""
    before = session.failing.pop(actor, None)
    if before is None:
        return
    session.builder.link(before.id, reply.id, LinkKind.RETRY_OF)
    reply.attempt = before.attempt + 1 if before.attempt is not None else None
    reply.attempt_reason = before.parts[0].text
    reply.attempt_by = session.harness()


def summary(session: Session, said: str, place: Place) -> Draft:
    """What a model made of the conversation so far: told by the program, seen by nobody."""
    return told(session, place, StepKind.MESSAGE, Part(PartKind.INTERPRETATION, said))


def title(session: Session, value: Object, place: Place) -> list[Draft]:
    """Summaries name the last line they are of, which may be one of another session."""
    leaf, said = text(value.get("leafUuid")), text(value.get("summary"))
    if leaf not in session.agents.uuids or not said:
        note(session, place, "summary of another session" if leaf else "summary")
        return []
    draft = summary(session, said, place)
    session.waiting.append((leaf, draft))
    return [draft]


def snapshot(session: Session, value: Object, place: Place) -> list[Draft]:
    """The files that were kept before a prompt changed them; often none."""
    kept = mapping(mapping(value.get("snapshot")).get("trackedFileBackups"))
    if not kept:
        note(session, place, "file-history-snapshot without files")
        return []
    part = Part(PartKind.STATE, "\n".join(map(str, kept)), {"files": dict(kept)})
    draft = told(session, place, StepKind.STATE, part)
    message = text(value.get("messageId"))
    if message in session.agents.uuids:
        session.waiting.append((message, draft))
    return [draft]


def attachment(session: Session, value: Object, place: Place) -> list[Draft]:
    """What the program adds to the conversation, or a prompt that was written meanwhile."""
    given = mapping(value.get("attachment"))
    kind = text(given.get("type"))
    said = text(given.get("prompt")) or text(given.get("content")) or text(given.get("text"))
    part = Part(PartKind.INPUT, said or shown(dict(given)), {"attachment": kind})
    if kind == "queued_command":
        actor = session.builder.actor(HUMAN, ActorKind.HUMAN)
        return [session.builder.add(drafted(place, actor, StepKind.INPUT, [part]))]
    return [told(session, place, StepKind.INPUT, part)]


def queued(session: Session, value: Object, place: Place) -> list[Draft]:
    """What a person typed meanwhile. Taken out of the queue to steer, it has no other line."""
    operation, said = text(value.get("operation")), spawns.said(value.get("content"))
    taken = waiting(session.queue, operation, said)
    if operation != STEERED or not taken or taken in session.agents.told:
        note(session, place, f"queue-operation {operation}".strip())
        return []
    part = Part(PartKind.INPUT, taken, {"queue": STEERED})
    actor = session.builder.actor(HUMAN, ActorKind.HUMAN)
    return [session.builder.add(drafted(place, actor, StepKind.INPUT, [part]))]


def waiting(queue: deque[str], operation: str, said: str) -> str:
    """What an operation takes out of the queue; what it does not name is what came first."""
    if operation == "enqueue":
        queue.append(said)
    elif operation == "popAll":
        queue.clear()
    elif said in queue:
        queue.remove(said)
    elif queue and not said:
        return queue.popleft()
    return said


def told(session: Session, place: Place, kind: StepKind, part: Part) -> Draft:
    return session.builder.add(drafted(place, session.harness(), kind, [part]))


READERS = {
    "system": system,
    "summary": title,
    "file-history-snapshot": snapshot,
    "attachment": attachment,
    "queue-operation": queued,
}

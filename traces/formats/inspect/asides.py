"""What happens in a sample of Inspect besides talk: state, sandbox, approvals, errors, limits."""

from __future__ import annotations

from traces.formats.chat.message import Answer, Call
from traces.formats.inspect.run import Run
from traces.formats.inspect.spans import Agent
from traces.formats.records import loose
from traces.formats.records.loose import Object
from traces.formats.steps.building import Draft
from traces.formats.steps.conversation import Place, drafted
from traces.transcript import (
    ActorKind,
    Fate,
    LinkKind,
    Part,
    PartKind,
    Report,
    StepKind,
    StepStatus,
)

IN_STATE = "changes of state that repeat messages"
# Below these, a change of state repeats what models and tools said, or holds a judgement.
REPEATED = ("/messages", "/output")
JUDGED = ("/scores", "/target")


def state(run: Run, event: Object, place: Place, agent: Agent) -> None:
    """Changes of the sample's state and store. What repeats messages is only counted."""
    parts, judged = [], 0
    for change in loose.objects(event.get("changes")):
        path = loose.text(change.get("path"))
        if path.startswith(JUDGED):
            judged += 1
        elif path.startswith(REPEATED) and event.get("event") == "state":
            run.builder.folded[IN_STATE] += 1
        else:
            parts.append(changed(run, change, path))
    if not parts:
        run.builder.record(place.pointer, Fate.CONTEXT if judged else Fate.FOLDED, IN_STATE)
        return
    draft = run.builder.add(drafted(place, agent.talk.agent, StepKind.STATE, parts))
    run.builder.actor(agent.talk.agent)
    agent.talk.follow(draft)
    run.begun(agent, draft)


def changed(run: Run, change: Object, path: str) -> Part:
    before = loose.shown(run.attachments.whole(change.get("replaced")))
    after = loose.shown(run.attachments.whole(change.get("value")))
    return loose.state(path or "/", before, after, change=loose.text(change.get("op")))


def sandbox(run: Run, event: Object, place: Place, agent: Agent) -> None:
    """What was done in the sandbox, below the tool that did it."""
    action = loose.text(event.get("action")) or "use"
    call = Call("", f"sandbox {action}", event.get("cmd") or event.get("file"))
    shown = run.attachments.whole(event.get("output") or event.get("input"))
    code = loose.number(event.get("result"))
    who = run.builder.actor("sandbox", ActorKind.ENVIRONMENT)
    answer = Answer("", "", loose.shown(shown), data={"exit_code": code})
    draft = drafted(place, who, StepKind.TOOL, [call.part(), answer.part()])
    draft.tool = call.name
    if code is not None:
        draft.status = StepStatus.ERROR if code else StepStatus.OK
    draft = run.builder.add(draft)
    if agent.talk.ends:
        run.builder.link(agent.talk.ends[-1].id, draft.id, LinkKind.PARENT)


def approval(run: Run, event: Object, place: Place, agent: Agent) -> None:
    name = loose.text(event.get("approver")) or "approver"
    kind = ActorKind.HUMAN if name == "human" else ActorKind.HARNESS
    decision = loose.text(event.get("decision"))
    said = loose.text(event.get("explanation"))
    part = Part(PartKind.DECISION, "\n".join(filter(None, (decision, said))), {"chosen": decision})
    aside(place, run.builder.actor(name, kind), StepKind.DECISION, part, agent)


def asked_of_people(run: Run, event: Object, place: Place, agent: Agent) -> None:
    part = Part(PartKind.INPUT, loose.shown(run.attachments.whole(event.get("input"))))
    aside(place, run.builder.actor("user", ActorKind.HUMAN), StepKind.INPUT, part, agent)


def error(run: Run, event: Object, place: Place, agent: Agent) -> None:
    error = loose.mapping(run.attachments.whole(event.get("error")))
    part = Part(PartKind.ERROR, loose.text(error.get("message")) or loose.shown(error))
    aside(place, run.builder.actor("inspect", ActorKind.HARNESS), StepKind.ERROR, part, agent)


def limit(run: Run, event: Object, place: Place, agent: Agent) -> None:
    kind = loose.text(event.get("type")) or "unknown"
    part = Part(
        PartKind.ERROR, loose.text(event.get("message")) or kind, {"error": f"{kind} limit"}
    )
    who = run.builder.actor("inspect", ActorKind.HARNESS)
    draft = aside(place, who, StepKind.ERROR, part, agent)
    run.builder.report(Report(f"{kind} limit", by="harness", at=place.at), draft)


def aside(place: Place, actor: str, kind: StepKind, part: Part, agent: Agent) -> Draft:
    draft = agent.talk.builder.add(drafted(place, actor, kind, [part]))
    if kind is StepKind.ERROR:
        draft.status = StepStatus.ERROR
    agent.talk.follow(draft)
    agent.talk.ends = [draft]
    return draft

"""Events of OpenHands' first generation: actions, and observations that name their cause."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from traces.formats.base import Json
from traces.formats.chat.message import Call
from traces.formats.openhands.acts import AGENT, HARNESS, HUMAN, Acts, exit_code, facts, zoned
from traces.formats.records.event_log import Entry
from traces.formats.records.loose import Object, at, items, mapping, objects, shown, text
from traces.formats.steps.building import Draft
from traces.formats.steps.conversation import Place
from traces.transcript import Fate, Part, PartKind, Report, StepKind

# Of arguments of actions: what the program adds, and what is told elsewhere in the step.
NOT_ASKED = frozenset(
    {"thought", "is_confirmed", "confirmation_state", "blocking", "hidden", "keep_prompt"}
    | {"action", "action_risk", "security_risk", "impl_source", "reasoning_content"}
    | {"kernel_init_code", "observation", "id", "timestamp", "source", "message", "timeout"}
    | {"tool_call_metadata", "llm_metrics", "cause"}
)
ENDS = frozenset({"finished", "error", "rejected", "stopped", "rate_limited"})
NOTES = frozenset(
    {"null", "change_agent_state", "recall", "condensation_request", "start", "pause", "resume"}
    | {"stop", "push", "send_pr", "loop_recovery"}
)


@dataclass(slots=True)
class Events:
    """A run while its events are read. `asked`: actions without ids, which wait for their turn."""

    acts: Acts
    last: Draft | None = None

    def read(self, entry: Entry) -> None:
        value = entry.value
        name = number_of(value)
        here = f"{value['id']}" if name is not None else entry.pointer
        moment_of = zoned(value.get("timestamp"))
        place = Place(
            here, (name if name is not None else entry.number, 0), entry.pointer, moment_of
        )
        action, observation = text(value.get("action")), text(value.get("observation"))
        if action:
            self.action(action, value, place)
        elif observation:
            self.observation(observation, value, place)
        else:
            self.acts.builder.record(place.pointer, Fate.UNMAPPED, "event")

    def action(self, kind: str, value: Object, place: Place) -> None:
        args = mapping(value.get("args")) or {k: v for k, v in value.items() if k != "action"}
        reader = ACTIONS.get(kind)
        if reader is not None:
            reader(self, value, args, place)
        elif kind in NOTES:
            self.acts.builder.record(place.pointer, Fate.CONTEXT, f"action {kind}")
        else:
            self.ask(kind, value, args, place)

    def ask(self, kind: str, value: Object, args: Object, place: Place) -> Draft:
        metadata = mapping(value.get("tool_call_metadata"))
        named = text(metadata.get("function_name")) or kind
        call_id = text(metadata.get("tool_call_id"))
        asked = arguments(metadata, call_id, args)
        data = facts(action=kind if named != kind else "", confirmation=confirmed(args))
        if text(value.get("source")) == HUMAN:
            person = self.acts.other(HUMAN)
            decided = self.acts.tell(
                person, replace(place, id=f"{place.id}.reply"), StepKind.DECISION, said_by(args)
            )
        else:
            decided = self.decide(value, args, place)
        self.last = self.acts.ask(decided, place, Call(call_id, named, asked, data))
        return self.last

    def decide(self, value: Object, args: Object, place: Place) -> Draft:
        """The call of the model, by its response's id; its own words come before its actions."""
        response = mapping(at(value, "tool_call_metadata", "model_response"))
        message = mapping(at(first(response.get("choices")), "message"))
        metrics = at(value, "llm_metrics", "accumulated_token_usage")
        model = text(response.get("model")) or text(mapping(metrics).get("model"))
        thought = text(args.get("thought")) or text(message.get("content"))
        reasoning = text(args.get("reasoning_content")) or text(message.get("reasoning_content"))
        parts = [
            Part(kind, said)
            for kind, said in ((PartKind.INTERPRETATION, reasoning), (PartKind.MESSAGE, thought))
            if said
        ]
        name = text(response.get("id")) or f"{place.id}.reply"
        return self.acts.decide(name, place, parts, model)

    def observation(self, kind: str, value: Object, place: Place) -> None:
        content, extras = text(value.get("content")), mapping(value.get("extras")) or value
        cause = self.cause(value)
        if kind in ("agent_state_changed", "null"):
            self.state(kind, extras, place)
        elif kind == "recall":
            part = Part(PartKind.INPUT, content, {"recall": shown(dict(extras))[:20_000]})
            self.acts.tell(self.acts.other(HARNESS), place, StepKind.INPUT, part)
        elif kind == "user_rejected":
            self.acts.reject(cause, place, content)
        elif kind == "error" and not cause:
            self.acts.error(place, content)
        elif kind in ("think", "success") and cause not in self.acts.calls:
            self.acts.builder.record(place.pointer, Fate.CONTEXT, f"observation {kind}")
        else:
            self.came_of(kind, value, place)

    def came_of(self, kind: str, value: Object, place: Place) -> None:
        extras = mapping(value.get("extras")) or value
        metadata = mapping(value.get("tool_call_metadata"))
        code = exit_code(extras, mapping(extras.get("metadata")))
        failed = None if code is None else code != 0
        if kind == "error" or extras.get("error") is True:
            failed = True
        call = text(metadata.get("tool_call_id"))
        part = Part(
            PartKind.TOOL_RESPONSE,
            text(value.get("content")) or shown(extras.get("outputs")),
            facts(exit_code=code, call=call, error_id=text(extras.get("error_id"))),
        )
        tool = text(metadata.get("function_name")) or kind
        draft = self.acts.observe(self.cause(value), place, part, failed=failed, tool=tool)
        if kind == "delegate":
            self.acts.come_back(draft)
        self.last = None

    def cause(self, value: Object) -> str:
        """The event an observation names; where events have no ids, the action before it."""
        before = self.last.id if self.last and number_of(value) is None else ""
        return name_of(value.get("cause")) or before

    def state(self, kind: str, extras: Object, place: Place) -> None:
        now = text(extras.get("agent_state"))
        self.acts.builder.record(place.pointer, Fate.CONTEXT, f"{kind} {now}".strip())
        if now in ENDS:
            last = next(reversed(self.acts.ends.values()), None)
            detail = text(extras.get("reason"))
            self.acts.builder.report(Report(now, "framework", at=place.at, detail=detail), last)


def message(events: Events, value: Object, args: Object, place: Place) -> None:
    said = text(args.get("content")) or text(value.get("message"))
    source = text(value.get("source")) or (HUMAN if not events.acts.ends else AGENT)
    if source == AGENT:
        part = Part(PartKind.MESSAGE, said)
        parts = [Part(PartKind.INTERPRETATION, text(args.get("reasoning_content"))), part]
        kept = [each for each in parts if each.text] or [part]
        events.acts.tell(events.acts.actor(), place, StepKind.MESSAGE, *kept)
        return
    actor = events.acts.other(source if source == HUMAN else HARNESS)
    data = facts(images=len(items(args.get("image_urls"))) or None)
    events.acts.tell(actor, place, StepKind.INPUT, Part(PartKind.INPUT, said, data))


def instructions(events: Events, value: Object, args: Object, place: Place) -> None:
    said = text(args.get("content")) or text(value.get("message"))
    tools = [text(at(tool, "function", "name")) for tool in objects(args.get("tools"))]
    part = Part(PartKind.INPUT, said, facts(tools=tools or None))
    events.acts.tell(events.acts.other(HARNESS), place, StepKind.INPUT, part)


def finish(events: Events, value: Object, args: Object, place: Place) -> None:
    """The agent says that it is done, in the words of whichever version it is."""
    words = (args.get("final_thought"), args.get("thought"), value.get("message"))
    said = next(filter(None, map(text, words)), "") or shown(args.get("outputs") or "")
    end = text(value.get("action"))
    actor = events.acts.actor()
    part = Part(PartKind.MESSAGE, said, {}, {} if said else {"text": "absent"})
    draft = events.acts.tell(actor, place, StepKind.MESSAGE, part)
    completed = args.get("task_completed")
    value_of = text(completed) or (str(completed).lower() if isinstance(completed, bool) else end)
    if not events.acts.subagents:
        events.acts.builder.report(Report(value_of, "agent", at=place.at), draft)


def think(events: Events, value: Object, args: Object, place: Place) -> None:
    part = Part(PartKind.INTERPRETATION, text(args.get("thought")))
    events.acts.tell(events.acts.actor(), place, StepKind.MESSAGE, part)


def condense(events: Events, value: Object, args: Object, place: Place) -> None:
    """The program left events out of what the model is sent, and told it in short."""
    summary = text(args.get("summary"))
    capture = {} if summary else {"text": "absent"}
    forgotten = args.get("forgotten_event_ids")
    part = Part(PartKind.INTERPRETATION, summary, facts(forgotten=forgotten), capture)
    events.acts.tell(events.acts.other(HARNESS), place, StepKind.MESSAGE, part)


def delegate(events: Events, value: Object, args: Object, place: Place) -> None:
    call = events.ask("delegate", value, args, place)
    events.acts.delegate(text(args.get("agent")) or "delegate", call)


ACTIONS: dict[str, Callable[[Events, Object, Object, Place], None]] = {
    "message": message,
    "system": instructions,
    "finish": finish,
    "reject": finish,
    "think": think,
    "condensation": condense,
    "delegate": delegate,
}


def number_of(value: Object) -> int | None:
    name = value.get("id")
    return name if isinstance(name, int) and not isinstance(name, bool) else None


def name_of(value: Json) -> str:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else text(value)


def first(value: Json) -> Object:
    return next(iter(objects(value)), {})


def arguments(metadata: Object, call: str, args: Object) -> Json:
    """What the model wrote, if it is kept; else what the program made of it."""
    message = mapping(at(first(at(metadata, "model_response", "choices")), "message"))
    for asked in objects(message.get("tool_calls")):
        if call and asked.get("id") == call:
            return mapping(asked.get("function")).get("arguments")
    return {key: value for key, value in args.items() if key not in NOT_ASKED}


def confirmed(args: Object) -> str:
    given = args.get("confirmation_state") or args.get("is_confirmed")
    return text(given) if text(given) != "confirmed" else ""


def said_by(args: Object) -> Part:
    said = text(args.get("thought"))
    return Part(PartKind.DECISION, said, {}, {} if said else {"text": "absent"})


def in_order(entries: Sequence[Entry]) -> list[Entry]:
    """Events have numbers; where one has none, they stand as they were written."""
    if all(number_of(entry.value) is not None for entry in entries):
        return sorted(entries, key=lambda entry: (entry.value["id"], entry.number))
    return list(entries)
